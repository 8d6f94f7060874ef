#include "core/model/ledger.hpp"

#include <algorithm>
#include <chrono>

#include <boost/json.hpp>

#include <belay/error.hpp>

namespace belay::model {

namespace {

std::int64_t sum_of(std::int64_t a, std::int64_t b) {
    std::int64_t sum = 0;
    return __builtin_add_overflow(a, b, &sum) ? a : sum;
}

void add_cost(Cost& sum, const Cost& more) {
    try {
        sum += more;
    } catch (const Error&) {
        // More currencies or counters than one cost has: what is there stays right.
    }
}

std::int64_t number(const boost::json::object& from, std::string_view name) {
    const auto* value = from.if_contains(name);
    return value != nullptr && value->is_int64() ? value->get_int64() : 0;
}

Cost read_cost(const boost::json::object& from, std::string_view name) {
    const auto* value = from.if_contains(name);
    if (value == nullptr) return {};
    try {
        return Codec<Cost>::read(*value);
    } catch (const std::exception&) {
        return {};
    }
}

Saved read_saved(const boost::json::object& from, std::string_view name) {
    const auto* value = from.if_contains(name);
    return value != nullptr && value->is_object() ? saved_from(value->get_object()) : Saved{};
}

}  // namespace

Saved saved_from(const boost::json::object& json) {
    return {number(json, "steps"), Duration{number(json, "time_ms")}, read_cost(json, "cost")};
}

Saved saved_of(const Run& run) {
    if (!run.saved) return {};
    boost::json::error_code error;
    const auto json = boost::json::parse(*run.saved, error);
    return !error && json.is_object() ? saved_from(json.get_object()) : Saved{};
}

void add_to(Saved& sum, const Saved& more) {
    sum.steps = sum_of(sum.steps, more.steps);
    sum.time = Duration{sum_of(sum.time.count(), more.time.count())};
    add_cost(sum.cost, more.cost);
}

Saved saved_by_pick_up(const std::vector<Stage>& stages) {
    Saved saved;
    for (const Stage& stage : stages) {
        if (!is_work(stage) || stage.status != StageStatus::Succeeded) continue;
        add_to(saved, {1, time_of(stage), cost_of(stage)});
    }
    return saved;
}

bool is_work(const Stage& stage) {
    return stage.kind == StageKind::Step || stage.kind == StageKind::Transaction;
}

Duration time_of(const Stage& stage) {
    if (!stage.started_at || !stage.finished_at) return Duration{0};
    return std::max(Duration{0}, *stage.finished_at - *stage.started_at);
}

Saved saved_by_cache(const Stage& stage) {
    if (!stage.cost || stage.cost->find("\"cached\"") == std::string::npos) return {};
    boost::json::error_code error;
    const auto json = boost::json::parse(*stage.cost, error);
    if (error || !json.is_object()) return {};
    const auto* cached = json.get_object().if_contains("cached");
    if (cached == nullptr || !cached->is_object()) return {};
    return {1, Duration{0}, read_cost(json.get_object(), "cached")};
}

std::optional<std::string> stage_cost_text(const Cost* paid, const Cost* spared) {
    if ((paid == nullptr || paid->empty()) && spared == nullptr) return std::nullopt;
    boost::json::object json = paid == nullptr ? boost::json::object{} : cost_json(*paid);
    if (spared != nullptr) json["cached"] = cost_json(*spared);
    return boost::json::serialize(json);
}

Time day_of(Time time) { return Time{std::chrono::floor<std::chrono::days>(time)}; }

void add_to(LedgerRow& row, const LedgerRow& more) {
    row.succeeded = sum_of(row.succeeded, more.succeeded);
    row.failed = sum_of(row.failed, more.failed);
    row.canceled = sum_of(row.canceled, more.canceled);
    row.steps = sum_of(row.steps, more.steps);
    row.time = Duration{sum_of(row.time.count(), more.time.count())};
    add_cost(row.cost, more.cost);
    add_to(row.saved, more.saved);
    add_to(row.saved_by_cache, more.saved_by_cache);
}

LedgerRow ledger_row_of(const Run& run) {
    LedgerRow row;
    row.day = day_of(run.completed_at.value_or(run.updated_at));
    row.workflow_key = run.workflow_key;
    row.organization_id = run.organization_id;
    row.succeeded = run.status == RunStatus::Succeeded;
    row.failed = run.status == RunStatus::Failed;
    row.canceled = run.status == RunStatus::Canceled;
    row.saved = saved_of(run);
    return row;
}

void add_stage(LedgerRow& row, const Stage& stage) {
    if (is_work(stage) && stage.status == StageStatus::Succeeded) {
        row.steps = sum_of(row.steps, 1);
        row.time = Duration{sum_of(row.time.count(), time_of(stage).count())};
    }
    add_stage_cost(row, stage);
}

void add_stage_cost(LedgerRow& row, const Stage& stage) {
    if (!stage.cost) return;
    add_cost(row.cost, cost_of(stage));
    add_to(row.saved_by_cache, saved_by_cache(stage));
}

boost::json::object ledger_json(const LedgerRow& row) {
    return {{"runs", row.succeeded + row.failed + row.canceled},
            {"succeeded", row.succeeded},
            {"failed", row.failed},
            {"canceled", row.canceled},
            {"steps", row.steps},
            {"time_ms", row.time.count()},
            {"cost", cost_json(row.cost)},
            {"saved", saved_json(row.saved)},
            {"cached", saved_json(row.saved_by_cache)}};
}

std::string ledger_text(const LedgerRow& row) { return boost::json::serialize(ledger_json(row)); }

void read_ledger_text(LedgerRow& row, std::string_view text) {
    boost::json::error_code error;
    const auto value = boost::json::parse(text, error);
    if (error || !value.is_object()) return;
    const auto& json = value.get_object();
    row.succeeded = number(json, "succeeded");
    row.failed = number(json, "failed");
    row.canceled = number(json, "canceled");
    row.steps = number(json, "steps");
    row.time = Duration{number(json, "time_ms")};
    row.cost = read_cost(json, "cost");
    row.saved = read_saved(json, "saved");
    row.saved_by_cache = read_saved(json, "cached");
}

std::vector<LedgerRow> rows_of(const LedgerSums& sums) {
    std::vector<LedgerRow> rows;
    rows.reserve(sums.size());
    for (const auto& [names, row] : sums) rows.push_back(row);
    return rows;
}

LedgerRow& row_of(LedgerSums& sums, Time day, const std::string& workflow_key,
                  const std::string& organization_id) {
    LedgerRow& row = sums[{day, workflow_key, organization_id}];
    row.day = day;
    row.workflow_key = workflow_key;
    row.organization_id = organization_id;
    return row;
}

bool matches(const LedgerFilter& filter, Time day, std::string_view workflow_key,
             std::string_view organization_id) {
    if (filter.since && day < day_of(*filter.since)) return false;
    if (filter.until && day >= *filter.until) return false;
    if (!filter.workflow_key.empty() && workflow_key != filter.workflow_key) return false;
    return filter.organization_id.empty() || organization_id == filter.organization_id;
}

}  // namespace belay::model
