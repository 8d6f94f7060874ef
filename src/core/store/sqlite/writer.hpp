// writer.hpp — the one connection that writes: a batch in, one transaction, every verb its outcome.
//
// Verbs are grouped by file: writer_submit, writer_record, writer_end, writer_claim, writer_control. This
// one holds what they share: the transaction, the leases, and the bodies of users. Those that are the same in
// PostgreSQL are in SqlWriter (store/sql/writer.hpp), which asks this one for the rest.
//
// A body runs under a savepoint, and usually that is enough to undo it alone. But some failures (disk
// full, an interrupted write, ON CONFLICT ROLLBACK) make SQLite roll back everything since BEGIN. The
// batch is then done again from its start without the offender, so a body may run twice and its effect
// commits once. Everything here is called from one thread at a time.
#pragma once

#include <cstddef>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/store/batch.hpp"
#include "core/store/body_failure.hpp"
#include "core/store/sql/body.hpp"
#include "core/store/sql/writer.hpp"
#include "core/store/sqlite/commit_mark.hpp"
#include "core/store/sqlite/db.hpp"
#include "core/store/sqlite/run_cache.hpp"
#include "core/store/sqlite/statements.hpp"
#include "core/store/store.hpp"

namespace belay::store::sqlite {

struct WriterOptions {
    Blobs* blobs = nullptr;      // for large values; outlives the writer
    CommitMark* mark = nullptr;  // what was acknowledged; outlives it, too
    Duration transaction_time_max{};
    Duration busy_time_max{};
};

class Writer final : private SqlWriter<Db> {
public:
    // Opens the file, creating or upgrading it.
    Writer(std::filesystem::path file, const WriterOptions& options, Time now);
    ~Writer();

    // As Store says.
    void commit(Batch& batch);
    sqlite3* handle() const { return connection_->handle(); }
    bool changed_outside();
    void migrate(const Migrations& migrations, Time now);

    // Writes a little, durably: throws Error{StoreUnavailable} if that cannot be done.
    void prove_writable();

    // Counts this process among those that have executed here, and drops what was answered before
    // `forget_before`.
    void start_session(Time forget_before);

private:
    friend class BodyTx;
    friend class SqlWriter<Db>;

    // A body that cost the batch its transaction.
    struct TransactionLost {
        BodyKey body;
        BodyFailure failure;
    };
    struct Offender {
        std::size_t verb = 0;
        TransactionLost lost;
    };

    // ---- the transaction (writer.cpp)
    bool try_commit(Batch& batch);
    void begin();
    void apply(Verb& verb);
    void commit_transaction();
    void give_up() noexcept;
    void notice_changes();

    // ---- bodies (writer.cpp). What a body returns goes to `output`.
    BodyResult run_body(const TxBody& body, std::string& output) override {
        return run_body(body, output, {});
    }
    BodyResult run_body(const TxBody& body, std::string& output, BodyKey key);
    // A hook under a savepoint of its own, undone if it fails; not called if it is an offender.
    BodyResult run_hook(const TxBody& hook, BodyKey key) override;
    BodyResult offence() const override { return offence({}); }
    BodyResult offence(BodyKey key) const;
    void undo_savepoint() override;

    // ---- leases (writer.cpp). Null if the lease is not the newest or its run not running.
    HeldRun* held(const Lease& lease) override;

    // ---- verbs
    using SqlWriter::apply;
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
    void give_history(model::Run& run, const Submit& verb);

    // ---- writer_record.cpp
    Stored store_stage(RunNo run, const model::Stage& stage,
                       const std::optional<std::string>& output) override;
    WriteOutcome record_with_body(Record& verb);
    void skip_inside(const Record& verb);
    Refused refused(RunNo run, const model::Stage& stage) override;
    std::optional<StageStatus> status_of(RunNo run, std::string_view path);
    void store_attempts(RunNo run, const std::vector<model::Attempt>& attempts);
    void store_progress(RunNo run, const std::optional<model::Progress>& progress) override;

    // ---- writer_end.cpp
    WriteOutcome wait(Wait& verb, HeldRun& run);

    // ---- writer_claim.cpp
    using Candidate = store::Candidate;
    using Candidates = store::Candidates;
    std::vector<Candidate> find_orphans(const Claim& verb);
    Candidates find_without_queue(Claim& verb, int suspects_left) override;
    void claim_orphan(Claim& verb, const Candidate& orphan, int& suspects_left);
    void claim_due(Claim& verb, const Candidate& due, int& suspects_left);
    void store_taken(const Claim& verb, const model::Run& run) override {
        statements_.claim_run.run(run.no.value, verb.worker, run.recoveries, now_);
    }
    void note_pick_up(const Claim& verb, const model::Run& orphan) override {
        statements_.note_pick_up.run(orphan.no.value, orphan.epoch, orphan.worker,
                                     orphan.updated_at, verb.worker, now_);
    }
    void look_ahead(Claim& verb);
    bool has_due(const Claim& verb, const std::string& workflow_key);
    bool has_orphan(const Claim& verb, const std::string& workflow_key);
    void announce(const Claim& verb);
    std::vector<RunNo> held_except(const std::string& worker, std::vector<RunNo> except);
    void hold(const model::Run& run) override;
    std::optional<std::string> next_dead_worker(const Claim& verb, const std::string& workflow_key,
                                                std::string_view after);

    // ---- writer_queue.cpp
    Candidates list_line(const Claim& verb, const std::string& queue, bool begun, std::size_t most,
                         int suspects_left) override;
    bool has_line(const Claim& verb, const std::string& queue, bool begun) override;

    // ---- writer_control.cpp
    std::vector<model::Stage> stages_of(RunNo run) override;

    // ---- the rest of its duties (writer_shared.cpp). A verb is written when it is applied, and nobody else writes
    // during a batch: there is nothing to flush, to lock or to tell.
    const Connection& db() const { return *connection_; }
    void savepoint() override { statements_.savepoint.run(); }
    void release() override { statements_.release.run(); }
    std::vector<Signaled> cancel_inside(RunNo run, const std::string& from,
                                        const std::string& to) override;
    bool may_have_tombstones() override;
    void note_deleted(RunNo run) override;
    std::optional<std::int64_t> next_run_no();
    void flush() override {}
    void lock_queue(const std::string&) override {}
    void lock_dedupe(const model::NewRun&) override {}
    void lock_ledger() override {}
    void lock_budgets() override {}
    void lock_charged(const NoteDeath&) override {}
    std::vector<RunNo> lock_to_remove(const std::vector<RunNo>& runs, IfBusy) override {
        return runs;
    }
    void tell_due() override {}
    void tell_ended(RunNo) override {}
    void tell_schedules() override {}
    void tell_holder(const model::Run&) override {}
    void tell_holder(RunNo, const Statement&, int) override {}
    void tell_late(const std::string&) override {}

    std::filesystem::path file_;
    WriterOptions options_;
    std::unique_ptr<Connection> connection_;
    Statements statements_;
    SqlBody sql_;
    RunCache runs_;
    std::int64_t data_version_ = 0;
    std::int64_t commits_ = 0;         // the number of the newest
    std::int64_t changes_before_ = 0;  // of the connection, when the batch under way began
    std::string announced_;            // the worker whose row has been written
    bool changed_outside_ = false;
    std::optional<bool> has_tombstones_;  // once it is known
    bool number_may_be_free_ = true;      // the run with the largest number may have been deleted

    // The batch under way, beside what SqlWriter knows of it.
    std::size_t verb_ = 0;
    std::vector<Offender> offenders_;
};

}  // namespace belay::store::sqlite
