// writer.hpp — the connection that writes: a batch in, one transaction, every verb its outcome.
//
// Verbs are grouped by file, as in the SQLite store: writer_submit, writer_record, writer_end, writer_await,
// writer_claim, writer_control. This one holds what they share: the transaction, the leases, the bodies of users,
// and the lanes (lanes.hpp) in which plain writes travel together.
//
// Several workers write at once. A batch first locks its worker's row FOR KEY SHARE, then the run rows it will
// change, in the order of their numbers, then reads the epochs; whoever takes a running run away locks that
// worker's row FOR UPDATE. So an epoch that was read is the newest until the commit (P5, rules 3 and 6). A
// deadlock or a serialization failure makes the whole batch be done again: a body may run twice, its effect
// commits once. Everything here is called from one thread at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "store/batch.hpp"
#include "store/body_failure.hpp"
#include "store/postgres/connection.hpp"
#include "store/postgres/lanes.hpp"
#include "store/postgres/numbers.hpp"
#include "store/postgres/run_cache.hpp"
#include "store/postgres/statements.hpp"
#include "store/postgres/told.hpp"
#include "store/store.hpp"

namespace belay::store::postgres {

struct WriterOptions {
    ConnectOptions connect{};
    std::string name{};  // the store's, for people
    Duration transaction_time_max{};
    Duration lease_for{};
};

class Writer {
public:
    // `told` hears what the others have to be told, and outlives this.
    Writer(const WriterOptions& options, Told& told);
    ~Writer();

    // As Store says.
    void commit(Batch& batch);
    void migrate(const Migrations& migrations);

    // After a lost connection: waits until what this worker had under way on it is over, and writes a little.
    void prove_writable();
    void start_session(Time forget_before);

    // The worker that this process is, from the first claim on; empty before.
    const std::string& worker() const { return worker_; }
    // It is known who this is: after a reopen.
    void continue_as(const std::string& worker);

    // The worker has stopped: its runs may be taken at once. Unused numbers are returned.
    void stop() noexcept;

private:
    friend class BodyTx;

    // The batch is to be done again from its start.
    struct Redo {
        std::string why;
    };
    enum class Stored { Yes, No };
    using Steady = std::chrono::steady_clock;

    // ---- the transaction (writer.cpp)
    bool try_commit(Batch& batch);
    void be_worker(const std::string& name);
    void prepare(const Batch& batch);
    void begin(const Batch& batch);
    void begin_anew();
    void read_held(const std::vector<std::int64_t>& runs);
    void ask_held(const std::vector<std::int64_t>& runs);
    std::vector<std::string> learn_held(const Result& held);
    void lock_others(std::vector<std::string> names, const std::vector<std::int64_t>& runs);
    void lock_workers(const std::vector<std::string>& names);
    void apply(Verb& verb);
    bool commit_transaction();
    bool is_redone(const PgError& error) const;
    void give_up() noexcept;
    Connection& side();

    // ---- what needs no look (writer_certain.cpp)
    bool is_certain(const Batch& batch) const;
    bool is_certain(const Record& verb) const;
    bool is_certain(const End& verb) const;
    bool is_certain(const Submit& verb) const;
    void begin_certain(const Batch& batch);
    void learn_mark();
    void mark_workers(const std::vector<std::string>& names);

    // ---- the lanes (writer_lanes.cpp)
    enum class Flush { AndWait, NoWait };  // NoWait: the commit waits for all of it
    void flush(Flush how = Flush::AndWait);
    void finish_written();
    std::vector<Result> finish_or_redo();
    void check_written(const std::vector<Result>& results);
    void flush_stages();
    bool has_no_row(RunNo run, const model::Stage& stage);
    void note_position(RunNo run, const model::Stage& stage);
    void flush_rest();
    void find_joins();
    void refuse_unknown_queues(std::vector<Submit*>& submits);
    void give_turns(const std::vector<Submit*>& submits);
    void flush_submits();
    void note_record(Record& verb);

    // ---- bodies (writer.cpp). What a body returns goes to `output`.
    BodyResult run_body(const TxBody& body, std::string& output);
    // A hook under a savepoint of its own, undone if it fails.
    BodyResult run_hook(const TxBody& hook);
    void savepoint();
    void release();
    void undo_savepoint();

    // ---- leases (writer.cpp). Null if the lease is not the newest or its run not running.
    HeldRun* held(const Lease& lease);

    // ---- verbs
    void apply(Submit& verb);
    void apply(Record& verb);
    void apply(End& verb);
    void apply(Wait& verb);
    void apply(Release& verb);
    void apply(Await& verb);
    void apply(Send& verb);
    void apply(Claim& verb);
    void apply(Reclaim& verb);
    void apply(Load& verb);
    void apply(Control& verb);
    void apply(TakeRequests& verb);
    void apply(AnswerRequest& verb);
    void apply(MarkStalled& verb);
    void apply(Transact& verb);
    void apply(NoteSaved& verb);
    void apply(Prune& verb);
    void apply(ChangeQueue& verb);
    void apply(ChangeSchedule& verb);
    void apply(ReadSchedules& verb);
    void apply(Tick& verb);

    // ---- writer_submit.cpp
    SubmitOutcome submit(const model::NewRun& run, const std::string& claim_as, bool retry_failed);
    SubmitOutcome join(const model::NewRun& run, bool retry_failed);
    SubmitOutcome join(const model::NewRun& run, model::Run found, bool retry_failed);
    void submit_now(Submit& verb);
    void give_history(model::Run& run, const Submit& verb);
    SubmitOutcome created(const model::NewRun& run, const std::string& claim_as, RunNo no) const;

    // ---- writer_record.cpp
    Stored store_stage(RunNo run, const model::Stage& stage,
                       const std::optional<std::string>& output);
    WriteOutcome record_with_body(Record& verb);
    void skip_inside(const Record& verb);
    Refused refused(RunNo run, const model::Stage& stage);
    static Refused refused(const model::Stage& stage, std::optional<StageStatus> before);
    std::optional<StageStatus> status_of(RunNo run, std::string_view path);
    void store_progress(RunNo run, const std::optional<model::Progress>& progress);

    // ---- writer_prune.cpp
    void put_cached(const Record& verb);
    // What is left of a run with that id that was deleted, as an answer to its submission.
    std::optional<SubmitOutcome> tombstone_of(const model::NewRun& run, bool retry_failed);
    std::string refuses_to_go(const std::optional<model::Run>& run, const std::string& id);
    void remove(Prune& verb, model::Run run, int& stages_left);
    void remove_gone(Prune& verb, int& stages_left);
    void add_to_ledger(const model::Run& run, std::int64_t steps, Duration time);

    // ---- writer_end.cpp
    WriteOutcome end(End& verb, HeldRun& run);

    // ---- writer_await.cpp
    WriteOutcome start_child(Await& verb, HeldRun& run);
    WriteOutcome await_child(Await& verb);
    WriteOutcome await_message(Await& verb);
    WriteOutcome keep_waiting(Await& verb);
    WriteOutcome came(Await& verb);
    SendResult send(const model::NewMessage& message, std::string& why);
    void signal(RunNo run, std::string path, std::string topic);
    void tell_waiters(RunNo run);
    void note_for_others(std::string_view worker, std::string_view status);
    void signal_late(const std::vector<std::string>& ids) noexcept;
    // Of those that were started at a stage inside `path`, or of all for "".
    void cancel_children(RunNo run, const std::string& path);

    // ---- writer_claim.cpp
    struct Candidate {
        RunNo run;
        Time due{};
        std::int64_t recoveries = 0;
        std::int64_t priority = 0;  // in line
        std::int64_t turn = 0;
    };
    using Candidates = std::vector<Candidate>;
    std::vector<Candidate> find_orphans(const Claim& verb);
    Candidates find_due(Claim& verb, int suspects_left);
    Candidates find_without_queue(Claim& verb, int suspects_left);
    void lock_dead_workers(const Claim& verb);
    void claim_orphans(Claim& verb, int& suspects_left);
    void claim_due(Claim& verb, const std::vector<Candidate>& due, int& suspects_left);
    void start(Claim& verb, model::Run run);
    void take(Claim& verb, model::Run run);
    void write_taken(const Claim& verb);
    BodyResult tell_end(const Claim& verb, model::Run& run);
    void put_off(Claim& verb, const model::Run& run, const BodyFailure& failure);
    void fail_at_start(Claim& verb, model::Run run, const BodyFailure& failure);
    void look_ahead(Claim& verb);
    void announce(const Claim& verb);
    std::vector<RunNo> held_except(const std::string& worker, std::vector<RunNo> except);
    void hold(const model::Run& run);

    // ---- writer_queue.cpp
    std::optional<model::Queue> find_queue(const std::string& name);
    // A queue that does not exist has no limits.
    model::Queue queue_or_free(const std::string& name);
    // The last that a partition has in line, and the last that was served in its lane.
    struct LastTurns {
        std::int64_t of_partition = 0;
        std::int64_t in_lane = 0;
    };
    LastTurns last_turns(const std::string& queue, std::int64_t priority,
                         const std::string& partition);
    std::int64_t turn_of(const std::string& queue, std::int64_t priority,
                         const std::string& partition);
    void into_line(const model::Run& run);
    model::QueueRoom room_in_queue(const model::Queue& queue, const std::string& worker);
    std::optional<std::string> next_line(std::string_view after);
    Candidates find_in_line(const Claim& verb, const std::string& queue, std::size_t most,
                            int suspects_left);
    Candidates list_line(const Claim& verb, const std::string& queue, bool begun, std::size_t most,
                         int suspects_left);
    bool has_line(const Claim& verb, const std::string& queue, bool begun);
    // A run is let out of line, and takes its token if it has none.
    void let_in(model::Run& run);
    bool put_back_in_line(const Claim& verb, const model::Run& orphan);
    void look_along_lines(Claim& verb);
    std::optional<model::Run> find_dedupe(const model::NewRun& run);

    // ---- writer_schedule.cpp
    std::optional<model::StoredSchedule> find_schedule(const std::string& name);
    void put_schedule(const model::StoredSchedule& row);

    // ---- writer_control.cpp
    std::optional<model::Run> find_run(std::string_view id);
    std::optional<model::Run> find_run(RunNo no);
    std::vector<model::Run> find_runs(
        const std::vector<RunNo>& runs);  // in that order, those that exist
    void lock_run(std::string_view id);
    std::vector<model::Stage> stages_of(RunNo run);
    void stop(model::Run& run, RunStatus status, model::Failure failure);
    void cancel(Control& verb, model::Run run);
    void pause(Control& verb, model::Run run);
    void resume(Control& verb, const model::Run& run);
    void retry(Control& verb, const model::Run& run);
    void retry_run(RunNo run, const std::vector<std::string>& reset_paths,
                   const std::vector<std::string>& forget_paths);

    WriterOptions options_;
    Told& told_;
    Connection connection_;
    std::unique_ptr<Connection> side_;
    Statements statements_;
    Numbers numbers_;
    RunCache runs_;
    std::string worker_;
    std::string announced_;  // the worker whose row in workflow_workers has been written
    std::optional<Steady::time_point>
        judges_from_;  // after a reopen: nobody is taken for dead before

    // The batch under way.
    Time now_{};
    std::vector<Woken>* woken_ = nullptr;
    Lanes lanes_;
    // Statements of the lanes that are sent and not waited for, and how many rows some of them must have written.
    struct Expected {
        std::size_t statement;
        std::int64_t rows;
        const char* what;
    };
    bool is_writing_ = false;
    std::vector<Expected> expected_;
    std::vector<Submit*> joins_;             // of those in the lane, whose id exists
    std::vector<std::size_t> number_marks_;  // of the savepoints that are open
    std::vector<std::string> dead_workers_;  // locked by the claim at work
    std::int64_t into_line_left_ = 0;        // of the claim at work
    std::vector<std::pair<RunNo, std::int64_t>>
        taken_;        // by the claim at work, with their recoveries
    Told::News news_;  // for the others, when it is committed
    std::vector<std::string>
        sent_to_nobody_;    // ids of runs that were sent a message before they existed
    bool careful_ = false;  // submissions are not gathered: one of them meets an end in its batch
    bool certain_ =
        false;  // nothing is read: the server refuses the whole if something is not as it is known
    bool joins_lately_ =
        false;  // of the submissions in the last batch that looked, one joined a run
};

}  // namespace belay::store::postgres
