// store.hpp — the verbs every store speaks.
//
// Three stores implement it: memory (obvious and slow: the oracle), SQLite, PostgreSQL. One
// conformance suite, tests/conformance, runs unchanged on each. The engine knows only this header.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/ledger.hpp"
#include "core/model/worker.hpp"
#include "core/store/batch.hpp"

namespace belay::store {

// It goes no further by itself: it has ended, or is paused.
inline bool is_at_rest(RunStatus status) {
    return is_finished(status) || status == RunStatus::Paused;
}

struct RunFilter {
    std::optional<RunStatus> status{};
    std::string workflow_key{};     // empty: any
    std::string organization_id{};  // empty: any
    std::string text{};  // part of the public id or the workflow key, to the letter: no wildcards
    std::optional<Time> since{};        // created then or later
    std::optional<Time> until{};        // created before then
    std::optional<Time> ended_since{};  // ended then or later; what has not ended is left out
    std::optional<Time> ended_until{};  // ended before then; likewise
    int limit = 50;
    std::optional<RunNo> before{};  // newest first; continue below this number
    bool stalled =
        false;  // only those marked as stalled, also if something has happened to them since
    bool asleep = false;  // only those that wait and that no clock wakes (wake_at is kNever)
    Labels labels{};      // with all of these
};

struct RunPage {
    std::vector<model::Run> runs{};  // newest first
    std::optional<RunNo> next{};     // give as `before` for the next page
};

using LabelsOfRuns = std::map<RunNo, Labels>;

struct RunCounts {
    std::int64_t queued = 0, running = 0, waiting = 0, paused = 0;
    std::int64_t succeeded = 0, failed = 0, canceled = 0;
    std::int64_t stalled = 0;  // of those that have not ended
};

// A set of tables that a program or a room owns beside Belay's: numbered scripts, applied once
// each, in order, each in a transaction of its own. The rules for bodies hold for them.
struct Migrations {
    std::string owner{};
    std::vector<std::string> scripts{};  // number 1, 2, …
};

class Store {
public:
    virtual ~Store() = default;

    // ---- the executor's side: called from one thread at a time

    // Commits the batch in one transaction and writes each verb's outcome. When it returns, what
    // was applied survives power loss (P2). Throws Error{StoreUnavailable} if nothing of the batch
    // happened, Error{CommitUnknown} if it may have: the caller reopens and reads again.
    virtual void commit(Batch& batch) = 0;

    // After a failure: closes and opens what can be closed and opened. Throws
    // Error{StoreUnavailable} while the store still cannot be written.
    virtual void reopen() = 0;

    // Whether another process wrote since the last call (new control requests, say). Cheap. May say
    // yes too often, never no wrongly.
    virtual bool changed_outside() = 0;

    // Applies the scripts that this store has not seen from that owner. Throws
    // Error{InvalidArgument} with the database's message if one fails (the ones before it stay),
    // Error{SchemaTooNew} if more were applied than are given.
    virtual void migrate(const Migrations& migrations) = 0;

    // ---- reads: from any thread, also from a process that does not execute

    virtual std::optional<model::Run> find_run(std::string_view id) = 0;
    virtual std::optional<model::Run> find_run(RunNo no) = 0;
    // Of the runs with these ids those that have ended, or are paused; in any order. One read, however many are asked for.
    virtual std::vector<model::Run> ended_of(const std::vector<std::string>& ids) = 0;
    virtual RunPage list_runs(const RunFilter& filter) = 0;
    virtual std::vector<model::Stage> stages(RunNo run) = 0;
    virtual std::vector<model::Attempt> attempts(RunNo run) = 0;
    // The deaths of its workers that it was in the hands of, oldest first.
    virtual std::vector<model::Death> deaths(RunNo run) = 0;
    // What these runs are labeled with; a run without labels has no entry.
    virtual LabelsOfRuns labels(const std::vector<RunNo>& runs) = 0;
    // What a run has exposed: JSON by name.
    virtual std::map<std::string, std::string> exposed(RunNo run) = 0;
    // Both of one run.
    model::Said said(RunNo run) {
        LabelsOfRuns of = labels({run});
        return {of.empty() ? Labels{} : std::move(of.begin()->second), exposed(run)};
    }
    virtual RunCounts count_runs() = 0;

    // All queues by name, and how they stand at `now`: the counts are of all runs, or of one organization's.
    virtual std::vector<QueueInfo> queues(Time now, std::string_view organization) = 0;
    // Where a run stands in line; nothing if it is not in line.
    virtual std::optional<model::QueuePlace> place_in_queue(RunNo run, Time now) = 0;
    // All budgets, by who set them and by name, as they stand on that day; with a run those that count it, for that run.
    virtual std::vector<BudgetInfo> budgets(Time now, const model::Run* run) = 0;
    // All schedules by name.
    virtual std::vector<model::StoredSchedule> schedules() = 0;
    // What was sent to that run, or is kept for when it exists: in the order sent, at most `limit`.
    virtual std::vector<model::Message> messages(std::string_view run_id, int limit) = 0;
    // Whether a message of that topic was ever sent, to any run.
    virtual bool has_topic(std::string_view topic) = 0;
    // The workers that execute here, by what their claims have said. Those of a store with one executor are
    // of its newest session; whether that process still lives is told by its lock.
    virtual std::vector<model::Worker> workers() = 0;
    // The workflows of which runs are queued, waiting or running. Must be cheap with millions of them.
    virtual std::vector<std::string> open_workflows() = 0;

    // The answer kept under that key by a Record's CachePut, if it has not expired at `now`.
    struct Cached {
        std::string output{};
        std::optional<std::string> cost{};  // JSON as recorded by the step that worked it out
    };
    virtual std::optional<Cached> find_cached(std::string_view key, Time now) = 0;

    // What runs that ended in that time did and cost, added up by day of their end (UTC), workflow and
    // organization, in that order; those that were deleted since included.
    virtual std::vector<model::LedgerRow> ledger(const model::LedgerFilter& filter) = 0;

    // Removes what no row names any more (files of large values); gives how many. Slow: not on the executor's
    // thread, and from one at a time.
    virtual std::int64_t collect_garbage() { return 0; }

    // Runs one read-only SQL statement, for programs that look at their own tables outside a run.
    // Throws Error{InvalidArgument} for SQL that fails or would write.
    virtual SqlResult query(std::string_view sql, std::span<const SqlValue> parameters) = 0;

    // ---- asking the executor, from any process

    // Durable when it returns; gives the request's id (the one in `request` is ignored).
    virtual std::int64_t ask(const ControlRequest& request) = 0;

    struct Answer {
        bool ok = false;
        std::string text;
    };
    // Requests of kind "ask" without an answer, asked since then, where several executors share the store: each must see
    // them, because only the one that has the run can answer. A store with one executor gives them to TakeRequests.
    virtual std::vector<ControlRequest> questions(Time) { return {}; }

    // What the executor answered; nothing while it has not.
    virtual std::optional<Answer> answer(std::int64_t request_id) = 0;

    // What people call this store: "sqlite:invoices.db", "memory".
    virtual std::string name() const = 0;
};

}  // namespace belay::store
