#include "core/store/family.hpp"

#include <array>
#include <string>

#include <fmt/format.h>

#include "core/model/ledger.hpp"

namespace belay::store {

namespace {

// The runs below it; `is_done`: it and all between the two have succeeded.
constexpr std::string_view kFamily =
    "WITH RECURSIVE family (id, is_done) AS ("
    "SELECT child.id, CASE WHEN child.status = 'succeeded' THEN 1 ELSE 0 END "
    "FROM workflow_runs AS child WHERE child.parent_id = ? "
    "UNION ALL "
    "SELECT child.id, CASE WHEN child.status = 'succeeded' THEN family.is_done ELSE 0 END "
    "FROM family JOIN workflow_runs AS child ON child.parent_id = family.id) ";

constexpr std::string_view kRuns =
    "SELECT family.is_done, count(*) FROM family GROUP BY family.is_done";
constexpr std::string_view kSaved =
    "SELECT run.saved FROM family JOIN workflow_runs AS run ON run.id = family.id "
    "WHERE run.saved IS NOT NULL";
constexpr std::string_view kSteps =
    "SELECT count(*), CAST(coalesce(sum(stage.finished_at - stage.started_at), 0) AS BIGINT) "
    "FROM family JOIN workflow_stage_runs AS stage ON stage.workflow_run_id = family.id "
    "WHERE family.is_done = 1 AND stage.status = 'succeeded' AND stage.kind IN ('step', "
    "'transaction')";
constexpr std::string_view kCosts =
    "SELECT family.is_done, stage.cost FROM family "
    "JOIN workflow_stage_runs AS stage ON stage.workflow_run_id = family.id "
    "WHERE stage.cost IS NOT NULL";

}  // namespace

Family family_of(Store& store, model::RunNo parent) {
    Family family;
    if (store.name() == "memory") return family;
    const auto ask = [&](std::string_view what) {
        const std::array<SqlValue, 1> values{SqlValue{parent.value}};
        return SqlRows{store.query(fmt::format("{}{}", kFamily, what), values)};
    };
    for (const SqlRow row : ask(kRuns)) family.runs += row.get<std::int64_t>(1);
    if (family.runs == 0) return family;
    for (const SqlRow row : ask(kSaved)) {
        model::Run run;
        run.saved = row.get<std::string>(0);
        model::add_to(family.saved, model::saved_of(run));
    }
    for (const SqlRow row : ask(kSteps))
        family.done = {row.get<std::int64_t>(0), Duration{row.get<std::int64_t>(1)}, {}};
    for (const SqlRow row : ask(kCosts)) {
        model::Stage stage;
        stage.cost = row.get<std::string>(1);
        model::LedgerRow sum;
        model::add_stage_cost(sum, stage);
        family.cost += sum.cost;
        if (row.get<std::int64_t>(0) != 0) family.done.cost += sum.cost;
    }
    return family;
}

boost::json::object family_json(const Family& family) {
    return {{"runs", family.runs},
            {"cost", model::cost_json(family.cost)},
            {"saved", model::saved_json(family.saved)}};
}

}  // namespace belay::store
