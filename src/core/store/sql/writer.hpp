// writer.hpp — the verbs that are the same in every store that speaks SQL, and what they ask of its writer.
//
// Declared here and defined by concept, in sql_submission.hpp, sql_starting.hpp, sql_ending.hpp, sql_control.hpp,
// waiting.hpp, sql_queues.hpp, sql_schedules.hpp and sql_pruning.hpp. A store's Writer derives from SqlWriter<Db>, makes it its friend and
// instantiates it in one file (writer_shared.cpp). `Db` (the store's db.hpp) names its classes and the SQL that is
// seldom run.
//
// A writer has statements_, one for each .sql file under the same name in every store, runs_, now_ and woken_; it has
// held, hold, store_stage, store_progress, stages_of, refused, submit, find_without_queue, run_body, run_hook and
// undo_savepoint. Where the stores differ they are asked
// by name, and one to which a question means nothing answers with an empty function:
//
//   db             the connection, for statements that are seldom run
//   flush          what was gathered is written, so that a verb reads what the ones before it wrote
//   savepoint, release
//   offence        how a body of this verb failed, if it cost the batch its transaction when it was tried before
//   lock_queue, lock_dedupe
//                  holds off other workers until the commit
//   lock_ledger    two workers that prune add to the same rows, one after the other
//   lock_to_remove holds off whoever would change one of these runs, its parent or one that awaits it; gives those that
//                  it could lock
//   list_line, has_line, cancel_inside
//                  statements that take other parameters
//   lock_charged   holds off whoever would take or change the runs that a death may be charged to
//   note_pick_up   a claim takes a run from a worker that is gone
//   store_taken    a run that a claim takes gets its worker and its epoch, now or with the others of the claim
//   may_have_tombstones, note_deleted
//                  what a store remembers of runs that were deleted
//   tell_due, tell_ended, tell_schedules, tell_holder, tell_late
//                  what the other workers hear when the batch is committed
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/model/queue.hpp"
#include "core/model/run.hpp"
#include "core/model/schedule.hpp"
#include "core/store/batch.hpp"
#include "core/store/body_failure.hpp"

namespace belay::store {

// A run that a claim may take.
struct Candidate {
    RunNo run;
    Time due{};
    std::int64_t charges = 0;
    std::int64_t priority = 0;  // in line
    std::int64_t turn = 0;
};
using Candidates = std::vector<Candidate>;

// How many more a claim takes.
inline std::size_t room_of(const Claim& verb) {
    const auto limit = static_cast<std::size_t>(std::max(verb.limit, 0));
    return limit - std::min(limit, verb.outcome.claimed.size());
}

// What becomes of a lock that another worker has.
enum class IfBusy { Wait, Leave };

// Which body of the verb at work: a claim has two hooks for each run, a rider comes after its verb's own.
struct BodyKey {
    RunNo run{};
    bool is_end_hook = false;
    bool is_rider = false;
    friend bool operator==(const BodyKey&, const BodyKey&) = default;
};

inline bool is_ahead_in_line(const Candidate& a, const Candidate& b) {
    return std::tuple(-a.priority, a.turn, a.run) < std::tuple(-b.priority, b.turn, b.run);
}

// A run whose row was changed for it to notice something, and its count of signals since.
struct Signaled {
    RunNo run;
    std::int64_t signals = 0;
};

// The last turn that a partition has in line, and the last that was served in its lane.
struct LastTurns {
    std::int64_t of_partition = 0;
    std::int64_t in_lane = 0;
};

template <class Db>
class SqlWriter {
protected:
    using Writer = typename Db::Writer;
    using Statement = typename Db::Statement;
    using Rows = typename Db::Rows;

    // ---- riding.hpp
    template <class Verb>
    void apply_with_rider(Verb& verb);

    // ---- sql_submission.hpp
    // Its id is taken by `found`: joins that run, or opens it again if it failed and a retry was asked for.
    SubmitOutcome join(const model::NewRun& run, model::Run found, bool retry_failed);
    std::optional<model::Run> find_dedupe(const model::NewRun& run);
    // What is left of a run with that id that was deleted, as an answer to its submission.
    std::optional<SubmitOutcome> tombstone_of(const model::NewRun& run, bool retry_failed);

    // ---- sql_starting.hpp
    Candidates find_due(Claim& verb, int suspects_left);
    void start(Claim& verb, model::Run run);
    void take(Claim& verb, model::Run run);

    // ---- sql_ending.hpp
    // `current_stage` is the last one that is known, unless the verb says which.
    WriteOutcome end(End& verb, const std::string& current_stage);

    // ---- sql_control.hpp
    void apply(Control& verb);
    void apply(AnswerRequest& verb);
    void apply(Transact& verb);
    std::optional<model::Run> find_run(std::string_view id);
    std::optional<model::Run> find_run(RunNo no);
    // Changes the row and `run` alike.
    void stop(model::Run& run, RunStatus status, model::Failure failure);
    void retry_run(RunNo run, const std::vector<std::string>& reset_paths,
                   const std::vector<std::string>& forget_paths);

    // ---- sql_waiting.hpp
    void apply(Await& verb);
    void apply(Look& verb);
    void apply(Send& verb);
    SendResult send(const model::NewMessage& message, std::string& why);
    void tell_waiters(RunNo run);
    // Of those that were started at a stage inside `path`, or of all for "".
    void cancel_children(RunNo run, const std::string& path);

    // ---- sql_queues.hpp
    void apply(ChangeQueue& verb);
    std::optional<model::Queue> find_queue(const std::string& name);
    LastTurns last_turns(const std::string& queue, std::int64_t priority,
                         const std::string& partition);
    std::int64_t turn_of(const std::string& queue, std::int64_t priority,
                         const std::string& partition);
    void into_line(const model::Run& run);
    std::optional<std::string> next_line(std::string_view after);
    Candidates find_in_line(const Claim& verb, const std::string& queue, std::size_t most,
                            int suspects_left);
    // A run is let out of line, and takes its token if it has none.
    void let_in(model::Run& run);
    bool put_back_in_line(const Claim& verb, const model::Run& orphan);
    void look_along_lines(Claim& verb);

    // ---- sql_schedules.hpp
    void apply(ChangeSchedule& verb);
    void apply(ReadSchedules& verb);
    void apply(Tick& verb);

    // ---- deaths.hpp
    void apply(NoteDeath& verb);

    // ---- sql_pruning.hpp
    void apply(NoteSaved& verb);
    void apply(Prune& verb);
    void put_cached(const Record& verb);

private:
    Writer& self() { return static_cast<Writer&>(*this); }

    // ---- sql_starting.hpp
    void put_off(Claim& verb, const model::Run& run, const BodyFailure& failure);
    void fail_at_start(Claim& verb, model::Run run, const BodyFailure& failure);

    // ---- sql_control.hpp
    void cancel(Control& verb, model::Run run);
    void pause(Control& verb, model::Run run);
    void resume(Control& verb, const model::Run& run);
    void retry(Control& verb, const model::Run& run);

    // ---- sql_waiting.hpp
    WriteOutcome start_child(Await& verb);
    WriteOutcome await_child(Await& verb);
    WriteOutcome await_message(Await& verb);
    std::int64_t oldest_that_fits(Await& verb);
    WriteOutcome keep_waiting(Await& verb);
    WriteOutcome came(Await& verb);
    // False: it is over, and nothing is told.
    bool signal(RunNo run, std::string path, std::string topic);
    void note_canceled(const Signaled& run);

    // ---- sql_queues.hpp
    // A queue that does not exist has no limits.
    model::Queue queue_or_free(const std::string& name);
    model::QueueRoom room_in_queue(const model::Queue& queue, const std::string& worker);
    // Why it is not removed; empty if nothing needs it.
    std::string needs_queue(const std::string& name);

    // ---- sql_schedules.hpp
    class Port;  // lent to fire() for one verb
    std::optional<model::StoredSchedule> find_schedule(const std::string& name);
    void put_schedule(const model::StoredSchedule& row);
    std::vector<RunNo> unfinished_of(const std::string& schedule);
    void cancel_unfinished_of(const std::string& schedule);

    // ---- sql_pruning.hpp
    std::string refuses_to_go(const std::optional<model::Run>& run, const std::string& id);
    void remove_named(Prune& verb, int& stages_left);
    void remove_old(Prune& verb, const Prune::Rule& rule, int& stages_left);
    void remove(Prune& verb, model::Run run, int& stages_left);
    void remove_gone(Prune& verb, int& stages_left);
    void add_to_ledger(const model::Run& run, std::int64_t steps, Duration time);
};

}  // namespace belay::store
