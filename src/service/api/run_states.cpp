#include "service/api/run_states.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/base/limits.hpp"

namespace belay::api {

namespace {

constexpr int kLookedThroughAtOnce = 500;

// A stage with others inside is as they are.
constexpr std::string_view kState =
    "CASE WHEN EXISTS (SELECT 1 FROM workflow_stage_runs s WHERE s.workflow_run_id = r.id AND "
    "s.status = 'running' AND NOT EXISTS (SELECT 1 FROM workflow_stage_runs i WHERE "
    "i.workflow_run_id = s.workflow_run_id AND i.path LIKE s.path || '.%')) THEN 'running' WHEN "
    "EXISTS (SELECT 1 FROM workflow_stage_runs s WHERE s.workflow_run_id = r.id AND s.status = "
    "'retrying') THEN 'retrying' WHEN EXISTS (SELECT 1 FROM workflow_stage_runs s WHERE "
    "s.workflow_run_id = r.id AND s.status = 'queued') THEN 'slot' ELSE 'running' END";

// Stores without SQL refuse it: nothing then.
std::optional<SqlResult> if_in_sql(store::Store& store, const std::string& sql,
                                   const std::vector<SqlValue>& values) {
    try {
        return store.query(sql, values);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::InvalidArgument) throw;
        return std::nullopt;
    }
}

StatesOfRunning read_states(store::Store& store, const WaitingOutside& outside,
                            const std::string& organization, const std::string& which,
                            const std::vector<SqlValue>& values) {
    StatesOfRunning states;
    auto read = if_in_sql(
        store,
        fmt::format("SELECT r.id, r.public_id, {} FROM workflow_runs r WHERE r.status = 'running' "
                    "AND {}",
                    kState, which),
        values);
    if (!read) return states;
    std::set<std::string> waits;
    if (outside) waits = outside(organization);
    const SqlRows rows{std::move(*read)};
    for (const SqlRow row : rows) {
        std::string state = row.get<std::string>(2);
        if (state == "running" && waits.contains(row.get<std::string>(1))) state = "helper";
        states[row.get<std::int64_t>(0)] = std::move(state);
    }
    return states;
}

// An organization that has all there is, is counted as the whole is: from small indexes.
std::optional<store::RunCounts> counts_of_all(store::Store& store, std::int64_t of_organization) {
    const store::RunCounts n = store.count_runs();
    const std::int64_t all =
        n.queued + n.running + n.waiting + n.paused + n.succeeded + n.failed + n.canceled;
    if (all != of_organization) return std::nullopt;
    return n;
}

std::map<std::string, std::int64_t> count_statuses(store::Store& store,
                                                   const std::string& organization) {
    const std::vector<SqlValue> own{belay::detail::to_sql(organization)};
    const auto total =
        if_in_sql(store, "SELECT count(*) FROM workflow_runs WHERE organization_id = ?", own);
    if (!total) {
        std::map<std::string, std::int64_t> counts;
        store::RunFilter filter;
        filter.organization_id = organization;
        filter.limit = kLookedThroughAtOnce;
        do {
            const store::RunPage page = store.list_runs(filter);
            for (const model::Run& run : page.runs) ++counts[std::string(to_string(run.status))];
            filter.before = page.next;
        } while (filter.before);
        return counts;
    }
    const std::int64_t of_organization = SqlRows{*total}[0].get<std::int64_t>(0);
    if (const auto n = counts_of_all(store, of_organization)) {
        return {{"queued", n->queued},      {"running", n->running}, {"waiting", n->waiting},
                {"paused", n->paused},      {"failed", n->failed},   {"canceled", n->canceled},
                {"succeeded", n->succeeded}};
    }
    // What succeeded is the rest. The organization is not an index's here: those of the statuses are smaller.
    std::map<std::string, std::int64_t> counts;
    std::int64_t rest = of_organization;
    for (const char* status : {"status IN ('queued', 'waiting')", "status = 'running'",
                               "status = 'paused'", "status = 'failed'", "status = 'canceled'"}) {
        const SqlRows rows{
            store.query(fmt::format("SELECT status, count(*) FROM workflow_runs WHERE {} AND "
                                    "coalesce(organization_id, '') = ? GROUP BY status",
                                    status),
                        own)};
        for (const SqlRow row : rows) {
            counts[row.get<std::string>(0)] = row.get<std::int64_t>(1);
            rest -= row.get<std::int64_t>(1);
        }
    }
    counts["succeeded"] = std::max<std::int64_t>(0, rest);
    return counts;
}

}  // namespace

StatesOfRunning states_of_running(store::Store& store, const WaitingOutside& outside,
                                  const std::string& organization,
                                  const std::vector<model::Run>& among) {
    std::string list;
    for (const model::Run& run : among) {
        if (run.status == RunStatus::Running)
            list += fmt::format("{}{}", list.empty() ? "" : ",", run.no.value);
    }
    if (list.empty()) return {};
    return read_states(store, outside, organization, fmt::format("r.id IN ({})", list), {});
}

StatesOfRunning states_of_running(store::Store& store, const WaitingOutside& outside,
                                  const std::string& organization) {
    return read_states(store, outside, organization, "coalesce(r.organization_id, '') = ?",
                       {belay::detail::to_sql(organization)});
}

std::string state_of(const model::Run& run, const StatesOfRunning& running) {
    const auto found = running.find(run.no.value);
    return run.status != RunStatus::Running || found == running.end()
               ? std::string(to_string(run.status))
               : found->second;
}

std::map<std::string, std::int64_t> count_states(store::Store& store, const WaitingOutside& outside,
                                                 const std::string& organization) {
    std::map<std::string, std::int64_t> counts;
    for (const std::string_view state : kRunStates) counts[std::string(state)] = 0;
    for (const auto& [status, count] : count_statuses(store, organization)) counts[status] = count;
    for (const auto& [run, state] : states_of_running(store, outside, organization)) {
        // Counted one after the other: what began or ended in between is no more than that off.
        if (state == "running" || counts["running"] == 0) continue;
        --counts["running"];
        ++counts[state];
    }
    return counts;
}

store::RunPage list_in_state(store::Store& store, store::RunFilter filter, std::string_view state,
                             const StatesOfRunning& running) {
    constexpr std::size_t kLookedThroughMax = base::kRunsInMemoryMax;
    filter.status = RunStatus::Running;
    const auto wanted = static_cast<std::size_t>(filter.limit);
    filter.limit = kLookedThroughAtOnce;
    store::RunPage out;
    for (std::size_t seen = 0; seen < kLookedThroughMax; seen += kLookedThroughAtOnce) {
        store::RunPage page = store.list_runs(filter);
        for (model::Run& run : page.runs) {
            if (state_of(run, running) != state) continue;
            if (out.runs.size() == wanted) {
                out.next = out.runs.back().no;
                return out;
            }
            out.runs.push_back(std::move(run));
        }
        out.next = filter.before = page.next;
        if (!page.next) break;
    }
    return out;
}

}  // namespace belay::api
