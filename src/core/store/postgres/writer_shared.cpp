// writer_shared.cpp — SqlWriter made for this store, and what it asks of it (store/sql/writer.hpp).
#include <set>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "core/store/postgres/writer.hpp"
#include "core/store/sql/control.hpp"
#include "core/store/sql/deaths.hpp"
#include "core/store/sql/ending.hpp"
#include "core/store/sql/pruning.hpp"
#include "core/store/sql/queues.hpp"
#include "core/store/sql/saying.hpp"
#include "core/store/sql/schedules.hpp"
#include "core/store/sql/spending.hpp"
#include "core/store/sql/starting.hpp"
#include "core/store/sql/submission.hpp"
#include "core/store/sql/undoing.hpp"
#include "core/store/sql/waiting.hpp"

namespace belay::store::postgres {

std::vector<Signaled> Writer::cancel_inside(RunNo run, const std::string& from,
                                            const std::string& to) {
    IntegerArray parents;
    parents.add(run.value);
    Parameters parameters;
    parents.give(parameters);
    parameters.add(from);
    parameters.add(to);
    parameters.add(now_);
    statements_.cancel_children.send(parameters);
    Rows rows{connection_.finish().back()};
    std::vector<Signaled> told;
    while (rows.next()) {
        const RunNo child{rows.integer(0)};
        tell_holder(child, rows, 2);
        told.push_back({child, rows.integer(1)});
    }
    return told;
}

void Writer::lock_run(std::string_view id) {
    IntegerArray none;
    TextArray ids;
    ids.add(id);
    Parameters parameters;
    none.give(parameters);
    ids.give(parameters);
    none.give(parameters);
    statements_.lock_runs.send(parameters);
    connection_.finish();
}

void Writer::lock_queue(const std::string& name) {
    Parameters parameters;
    parameters.add(name);
    connection_.send_prepared("lock_queue",
                              "SELECT name FROM workflow_queues WHERE name = $1 FOR NO KEY UPDATE",
                              parameters);
}

void Writer::lock_dedupe(const model::NewRun& run) {
    Parameters key;
    key.add(fmt::format("{}\n{}\n{}", run.dedupe_id, run.queue, run.organization_id));
    connection_.send_prepared("lock_dedupe",
                              "SELECT pg_advisory_xact_lock(hashtextextended('belay dedupe ' || "
                              "current_schema()::text || $1::text, 0))",
                              key);
}

void Writer::lock_ledger() {
    connection_.send(
        "SELECT pg_advisory_xact_lock(hashtextextended('belay ledger ' || current_schema()::text, "
        "0))");
}

// Waited for: what is read next must be what the last one who had it left.
void Writer::lock_budgets() {
    connection_.send(
        "SELECT pg_advisory_xact_lock(hashtextextended('belay budgets ' || current_schema()::text, "
        "0))");
    connection_.finish();
}

// In the order of their numbers, as everyone does. Who begins to await one of them has to lock that one first.
std::vector<RunNo> Writer::lock_to_remove(const std::vector<RunNo>& runs, IfBusy busy) {
    IntegerArray ids;
    for (const RunNo run : runs) ids.add(run.value);
    Parameters parameters;
    ids.give(parameters);
    statements_.list_needing.send(parameters);
    std::vector<std::pair<std::int64_t, std::int64_t>> needing;
    IntegerArray all;
    for (Rows row{connection_.finish().back()}; row.next();) {
        needing.emplace_back(row.integer(0), row.integer(1));
        all.add(row.integer(1));
    }
    Parameters wanted;
    all.give(wanted);
    (busy == IfBusy::Wait ? statements_.lock_all_runs : statements_.lock_free_runs).send(wanted);
    std::unordered_set<std::int64_t> locked;
    for (Rows row{connection_.finish().back()}; row.next();) locked.insert(row.integer(0));
    std::set<std::int64_t> out;
    for (const auto& [run, by] : needing) out.insert(run);
    for (const auto& [run, by] : needing) {
        if (!locked.contains(by)) out.erase(run);
    }
    std::vector<RunNo> gives;
    for (const std::int64_t run : out) gives.emplace_back(run);
    return gives;
}

// A run that waited is due for whoever comes first; one that runs elsewhere has to be told of there.
void Writer::note_for_others(RunNo run, std::string_view worker, std::string_view status) {
    if (status != to_string(RunStatus::Running)) {
        news_.due = true;
    } else if (worker != worker_) {
        news_.runs[std::string(worker)].add(run.value);
    }
}

}  // namespace belay::store::postgres

namespace belay::store {

template class SqlWriter<postgres::Db>;

}  // namespace belay::store
