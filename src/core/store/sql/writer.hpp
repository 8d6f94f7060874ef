// writer.hpp — the verbs that are the same in every store that speaks SQL, and what they ask of its writer.
//
// Declared here and defined by concept, in submission.hpp, starting.hpp, ending.hpp, control.hpp, waiting.hpp, queues.hpp,
// schedules.hpp, deaths.hpp, saying.hpp, undoing.hpp and pruning.hpp. A store's Writer derives from SqlWriter<Db>, makes it its friend and
// instantiates it in one file (writer_shared.cpp). `Db` (the store's db.hpp) names its classes and the SQL that is
// seldom run. What it has to provide is in duties.hpp; beside that it has statements_, one for each .sql file under the
// same name in every store, runs_ (what it knows of the runs that are running) and db(), the connection for statements
// that are seldom run.
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
#include "core/store/sql/duties.hpp"

namespace belay::store {

// The last turn that a partition has in line, and the last that was served in its lane.
struct LastTurns {
    std::int64_t of_partition = 0;
    std::int64_t in_lane = 0;
};

template <class Db>
class SqlWriter : protected WriterDuties<Db> {
protected:
    ~SqlWriter() = default;

    using Writer = typename Db::Writer;
    using Statement = typename Db::Statement;
    using Rows = typename Db::Rows;
    using WriterDuties<Db>::cancel_inside, WriterDuties<Db>::find_without_queue,
        WriterDuties<Db>::flush, WriterDuties<Db>::has_line, WriterDuties<Db>::held,
        WriterDuties<Db>::hold, WriterDuties<Db>::list_line, WriterDuties<Db>::lock_budgets,
        WriterDuties<Db>::lock_charged,
        WriterDuties<Db>::lock_dedupe, WriterDuties<Db>::lock_ledger, WriterDuties<Db>::lock_queue,
        WriterDuties<Db>::lock_to_remove, WriterDuties<Db>::may_have_tombstones,
        WriterDuties<Db>::note_deleted, WriterDuties<Db>::note_pick_up, WriterDuties<Db>::offence,
        WriterDuties<Db>::refused, WriterDuties<Db>::release, WriterDuties<Db>::run_body,
        WriterDuties<Db>::run_hook, WriterDuties<Db>::savepoint, WriterDuties<Db>::stages_of,
        WriterDuties<Db>::store_progress, WriterDuties<Db>::store_stage,
        WriterDuties<Db>::store_taken, WriterDuties<Db>::submit, WriterDuties<Db>::tell_due,
        WriterDuties<Db>::tell_ended, WriterDuties<Db>::tell_holder, WriterDuties<Db>::tell_late,
        WriterDuties<Db>::tell_schedules, WriterDuties<Db>::undo_savepoint;

    // ---- riding.hpp
    template <class Verb>
    void apply_with_rider(Verb& verb);

    // ---- submission.hpp
    // Its id is taken by `found`: joins that run, or opens it again if it failed and a retry was asked for.
    SubmitOutcome join(const model::NewRun& run, model::Run found, bool retry_failed);
    std::optional<model::Run> find_dedupe(const model::NewRun& run);
    // What is left of a run with that id that was deleted, as an answer to its submission.
    std::optional<SubmitOutcome> tombstone_of(const model::NewRun& run, bool retry_failed);

    // ---- starting.hpp
    Candidates find_due(Claim& verb, int suspects_left);
    void start(Claim& verb, model::Run run);
    void take(Claim& verb, model::Run run);

    // ---- ending.hpp
    // `current_stage` is the last one that is known, unless the verb says which.
    WriteOutcome end(End& verb, const std::string& current_stage);

    // ---- control.hpp
    void apply(Control& verb);
    void apply(AnswerRequest& verb);
    void apply(Transact& verb);
    std::optional<model::Run> find_run(std::string_view id);
    std::optional<model::Run> find_run(RunNo no);
    // Changes the row and `run` alike.
    void stop(model::Run& run, RunStatus status, model::Failure failure);
    void retry_run(RunNo run, const std::vector<std::string>& reset_paths,
                   const std::vector<std::string>& forget_paths);

    // ---- waiting.hpp
    void apply(Await& verb);
    void apply(Look& verb);
    void apply(Send& verb);
    void apply(Wake& verb);
    SendResult send(const model::NewMessage& message, std::string& why);
    void tell_waiters(RunNo run);
    // Of those that were started at a stage inside `path`, or of all for "".
    void cancel_children(RunNo run, const std::string& path);

    // ---- queues.hpp
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

    // ---- schedules.hpp
    void apply(ChangeSchedule& verb);
    void apply(ReadSchedules& verb);
    void apply(Tick& verb);

    // ---- deaths.hpp
    void apply(NoteDeath& verb);

    // ---- saying.hpp
    void apply(Say& verb);
    void put_labels(RunNo run, const Labels& labels);

    // ---- undoing.hpp
    void apply(Undo& verb);

    // ---- spending.hpp
    void apply(Reserve& verb);
    void apply(ChangeBudget& verb);
    void settle_spending(const Record& verb);
    std::string approve_spending(const model::Run& run, const model::Approval& approval);
    void forget_spending(RunNo run);

    // ---- pruning.hpp
    void apply(NoteSaved& verb);
    void apply(Prune& verb);
    void put_cached(const Record& verb);

    // ---- the batch under way
    Time now_{};
    std::vector<Woken>* woken_ = nullptr;
    std::int64_t into_line_left_ = 0;  // of the claim at work

private:
    Writer& self() { return static_cast<Writer&>(*this); }

    // ---- starting.hpp
    void put_off(Claim& verb, const model::Run& run, const BodyFailure& failure);
    void fail_at_start(Claim& verb, model::Run run, const BodyFailure& failure);

    // ---- control.hpp
    void cancel(Control& verb, model::Run run);
    void pause(Control& verb, model::Run run);
    void resume(Control& verb, const model::Run& run);
    void retry(Control& verb, const model::Run& run);

    // ---- waiting.hpp
    WriteOutcome start_child(Await& verb);
    WriteOutcome await_child(Await& verb);
    WriteOutcome await_message(Await& verb);
    std::int64_t oldest_that_fits(Await& verb);
    WriteOutcome keep_waiting(Await& verb);
    WriteOutcome came(Await& verb);
    // False: it is over, and nothing is told.
    bool signal(RunNo run, std::string path, std::string topic);
    void note_canceled(const Signaled& run);

    // ---- queues.hpp
    // A queue that does not exist has no limits.
    model::Queue queue_or_free(const std::string& name);
    model::QueueRoom room_in_queue(const model::Queue& queue, const std::string& worker);
    // Why it is not removed; empty if nothing needs it.
    std::string needs_queue(const std::string& name);

    // ---- schedules.hpp
    class Port;  // lent to fire() for one verb
    std::optional<model::StoredSchedule> find_schedule(const std::string& name);
    void put_schedule(const model::StoredSchedule& row);
    std::vector<RunNo> unfinished_of(const std::string& schedule);
    void cancel_unfinished_of(const std::string& schedule);

    // ---- pruning.hpp
    std::string refuses_to_go(const std::optional<model::Run>& run, const std::string& id);
    void remove_named(Prune& verb, int& stages_left);
    void remove_old(Prune& verb, const Prune::Rule& rule, int& stages_left);
    void remove(Prune& verb, model::Run run, int& stages_left);
    void remove_gone(Prune& verb, int& stages_left);
    void add_to_ledger(const model::Run& run, std::int64_t steps, Duration time);
};

}  // namespace belay::store
