// writer.hpp — the connection that writes: a batch in, one transaction, every verb its outcome.
//
// Verbs are grouped by file, as in the SQLite store: writer_submit, writer_record, writer_end, writer_claim,
// writer_control. What they share: the transaction (writer.cpp), the leases (writer_leases), the bodies of users
// (writer_bodies), the lanes (lanes.hpp) in which plain writes travel together, and the batches that need no look
// (writer_certain). Verbs that are the same in SQLite are in SqlWriter (store/sql/writer.hpp), which asks this one for
// the rest.
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
#include <set>
#include <string>
#include <vector>

#include "core/store/batch.hpp"
#include "core/store/body_failure.hpp"
#include "core/store/postgres/certain_part.hpp"
#include "core/store/postgres/connection.hpp"
#include "core/store/postgres/db.hpp"
#include "core/store/postgres/lanes.hpp"
#include "core/store/postgres/numbers.hpp"
#include "core/store/postgres/run_cache.hpp"
#include "core/store/postgres/statements.hpp"
#include "core/store/postgres/told.hpp"
#include "core/store/sql/writer.hpp"
#include "core/store/store.hpp"

namespace belay::store::postgres {

struct WriterOptions {
    ConnectOptions connect{};
    std::string name{};  // the store's, for people
    Duration transaction_time_max{};
    Duration lease_for{};
    std::size_t share_from = 0;  // verbs in a batch that goes over two connections
};

class Writer final : private SqlWriter<Db> {
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
    friend class SqlWriter<Db>;

    // The batch is to be done again from its start.
    struct Redo {
        std::string why;
    };
    using Steady = std::chrono::steady_clock;

    // ---- the transaction (writer.cpp)
    void commit_with_look(Batch& batch);
    bool try_commit(Batch& batch);
    void be_worker(const std::string& name);
    void prepare(const Batch& batch);
    void begin_anew();
    void apply(Verb& verb);
    bool commit_transaction();
    void give_up() noexcept;
    Connection& side();

    // ---- leases (writer_leases.cpp). `held` is null if the lease is not the newest or its run not running.
    void begin(const Batch& batch);
    HeldRun* held(const Lease& lease) override;
    void read_held(const std::vector<std::int64_t>& runs);
    void ask_held(const std::vector<std::int64_t>& runs);
    std::vector<std::string> learn_held(const Result& held);
    void lock_others(std::vector<std::string> names, const std::vector<std::int64_t>& runs);
    void lock_workers(const std::vector<std::string>& names);
    void learn_mark();
    void mark_workers(const std::vector<std::string>& names);

    // ---- what needs no look (writer_certain.cpp)
    bool is_certain(const Batch& batch) const;
    bool is_certain(const Record& verb) const;
    bool is_certain(const End& verb) const;
    bool is_certain(const Submit& verb) const;
    // Gives the places of the verbs that were not written and have to be looked at after all.
    std::vector<std::size_t> commit_certain(Batch& batch);
    bool gather_certain(Batch& batch);
    void note_gathered();
    std::vector<std::optional<PgError>> write_certain(bool is_shared);
    void check_certain(const std::vector<std::optional<PgError>>& errors);
    bool has_beside();
    void forget_known();

    // ---- the lanes (writer_lanes.cpp)
    enum class Flush { AndWait, NoWait };  // NoWait: the commit waits for all of it
    void flush() override { flush(Flush::AndWait); }
    void flush(Flush how);
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

    // ---- bodies (writer_bodies.cpp). What a body returns goes to `output`.
    BodyResult run_body(const TxBody& body, std::string& output) override;
    // A hook under a savepoint of its own, undone if it fails.
    BodyResult run_hook(const TxBody& hook, BodyKey key) override;
    void savepoint() override;
    void release() override;
    void undo_savepoint() override;

    // ---- verbs
    using SqlWriter::apply;
    using SqlWriter::stop;  // which the one for the end of the process hides
    void apply(Submit& verb);
    void apply(Record& verb);
    void apply(End& verb);
    void apply(Wait& verb);
    void apply(Release& verb);
    void apply(Claim& verb);
    void apply(Reclaim& verb);
    void apply(Load& verb);
    void apply(TakeRequests& verb);
    void apply(MarkStalled& verb);

    // ---- writer_submit.cpp
    SubmitOutcome submit(const model::NewRun& run, const std::string& claim_as,
                         bool retry_failed) override;
    SubmitOutcome join(const model::NewRun& run, bool retry_failed);
    using SqlWriter::join;
    void submit_now(Submit& verb);
    void give_history(model::Run& run, const Submit& verb);
    SubmitOutcome created(const model::NewRun& run, const std::string& claim_as, RunNo no) const;
    void make_runs(const std::vector<Submit*>& submits);
    void note_created(const model::Run& run);

    // ---- writer_record.cpp
    Stored store_stage(RunNo run, const model::Stage& stage,
                       const std::optional<std::string>& output) override;
    WriteOutcome record_with_body(Record& verb);
    void skip_inside(const Record& verb);
    Refused refused(RunNo run, const model::Stage& stage) override;
    static Refused refused(const model::Stage& stage, std::optional<StageStatus> before);
    std::optional<StageStatus> status_of(RunNo run, std::string_view path);
    void store_progress(RunNo run, const std::optional<model::Progress>& progress) override;

    bool gather(Record& verb, HeldRun& run);

    // ---- writer_end.cpp
    void gather(End& verb, const HeldRun& run);

    // ---- writer_claim.cpp
    using Candidate = store::Candidate;
    using Candidates = store::Candidates;
    std::vector<Candidate> find_orphans(const Claim& verb);
    Candidates find_without_queue(Claim& verb, int suspects_left) override;
    void lock_dead_workers(const Claim& verb);
    std::set<RunNo> crash_loops_of(const std::vector<Candidate>& orphans, std::int64_t charges_max);
    void claim_orphans(Claim& verb, int& suspects_left);
    void claim_due(Claim& verb, const std::vector<Candidate>& due, int& suspects_left);
    void store_taken(const Claim&, const model::Run& run) override {
        taken_.emplace_back(run.no, run.recoveries);  // and written with the others
    }
    void write_taken(const Claim& verb);
    // Written by write_pick_ups.
    void note_pick_up(const Claim& verb, const model::Run& orphan) override;
    void write_pick_ups(const Claim& verb);
    void lock_charged(const NoteDeath& verb) override;
    void look_ahead(Claim& verb);
    void announce(const Claim& verb);
    std::vector<RunNo> held_except(const std::string& worker, std::vector<RunNo> except);
    void hold(const model::Run& run) override;

    // ---- writer_queue.cpp
    Candidates list_line(const Claim& verb, const std::string& queue, bool begun, std::size_t most,
                         int suspects_left) override;
    bool has_line(const Claim& verb, const std::string& queue, bool begun) override;

    // ---- writer_control.cpp
    std::vector<model::Run> find_runs(
        const std::vector<RunNo>& runs);  // in that order, those that exist
    std::vector<model::Stage> stages_of(RunNo run) override;

    // ---- the rest of its duties (writer_shared.cpp)
    Connection& db() { return connection_; }
    // A batch that loses its transaction is done again whole.
    BodyResult offence() const override { return std::nullopt; }
    std::vector<Signaled> cancel_inside(RunNo run, const std::string& from,
                                        const std::string& to) override;
    void lock_run(std::string_view id);
    void lock_queue(const std::string& name) override;
    void lock_dedupe(const model::NewRun& run) override;
    void lock_ledger() override;
    void lock_budgets() override;
    std::vector<RunNo> lock_to_remove(const std::vector<RunNo>& runs, IfBusy busy) override;
    bool may_have_tombstones() override { return true; }
    void note_deleted(RunNo) override {}  // numbers are given once (numbers.hpp)
    void tell_due() override { news_.due = true; }
    void tell_ended(RunNo run) override { news_.ended.add(run.value); }
    void tell_schedules() override { news_.requests = true; }  // others read the schedules again
    void tell_holder(const model::Run& run) override {
        note_for_others(run.no, run.worker, to_string(run.status));
    }
    void tell_holder(RunNo run, const Rows& row, int column) override {
        note_for_others(run, row.text(column), row.text(column + 1));
    }
    void tell_late(const std::string& run_id) override {
        statements_.mark_late.run(run_id);
        sent_to_nobody_.push_back(run_id);
    }
    void note_for_others(RunNo run, std::string_view worker, std::string_view status);
    void signal_late(const std::vector<std::string>& ids) noexcept;

    WriterOptions options_;
    Told& told_;
    Connection connection_;
    std::unique_ptr<Connection> side_;
    Statements statements_;
    // The connection over which half of a large batch goes; opened when there is one.
    struct Beside {
        explicit Beside(const ConnectOptions& options)
            : connection(options), statements(connection) {}
        Connection connection;
        Statements statements;
    };
    std::unique_ptr<Beside> beside_;
    Steady::time_point beside_tried_at_{};
    Numbers numbers_;
    RunCache runs_;
    std::string worker_;
    std::string announced_;  // the worker whose row in workflow_workers has been written
    std::optional<Steady::time_point>
        judges_from_;  // after a reopen: nobody is taken for dead before

    // The batch under way, beside what SqlWriter knows of it.
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
    struct PickedUp {
        RunNo run;
        std::int64_t epoch;
        std::string worker;
        Time last_seen;
    };
    std::vector<PickedUp> picked_up_;  // by the claim at work, from workers that are gone
    std::vector<std::pair<RunNo, std::int64_t>>
        taken_;        // by the claim at work, with their recoveries
    Told::News news_;  // for the others, when it is committed
    std::vector<std::string>
        sent_to_nobody_;    // ids of runs that were sent a message before they existed
    bool careful_ = false;  // submissions are not gathered: one of them meets an end in its batch
    bool joins_lately_ =
        false;  // of the submissions in the last batch that looked, one joined a run
};

}  // namespace belay::store::postgres
