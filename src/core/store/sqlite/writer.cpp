#include "core/store/sqlite/writer.hpp"

#include <utility>

#include <sqlite3.h>

#include <belay/error.hpp>

#include "core/base/assert.hpp"
#include "core/store/sql/riding.hpp"
#include "core/store/sqlite/body_tx.hpp"
#include "core/store/sqlite/failure.hpp"
#include "core/store/sqlite/schema.hpp"

namespace belay::store::sqlite {

Writer::Writer(std::filesystem::path file, const WriterOptions& options, Time now)
    : file_(std::move(file)), options_(options),
      connection_(open_for_writing(file_, options.busy_time_max, now)), statements_(*connection_),
      sql_(connection_->handle()) {
    connection_->use_blobs(options_.blobs);
    explained(file_, [&] {
        notice_changes();
        const char* const newest = "SELECT value FROM belay_meta WHERE key = 'commits'";
        commits_ = connection_->integer(newest).value_or(0);
    });
    if (options_.mark != nullptr) commits_ = options_.mark->opened(commits_, now);
    changed_outside_ = false;
}

Writer::~Writer() = default;

void Writer::commit(Batch& batch) {
    now_ = batch.now;
    offenders_.clear();
    while (!try_commit(batch)) {
        // Each round has one offender more, and there are only so many bodies.
    }
}

// False if a body cost us the transaction: it is now among the offenders, and the batch to be redone.
bool Writer::try_commit(Batch& batch) {
    try {
        batch.woken.clear();
        woken_ = &batch.woken;
        begin();
        for (verb_ = 0; verb_ < batch.verbs.size(); ++verb_) apply(batch.verbs[verb_]);
    } catch (const TransactionLost& lost) {
        give_up();
        offenders_.push_back({verb_, lost});
        return false;
    } catch (const SqliteError& error) {
        give_up();
        throw unavailable(file_, error);
    } catch (...) {
        give_up();
        throw;
    }
    commit_transaction();
    return true;
}

void Writer::begin() {
    statements_.begin.run();
    changes_before_ = connection_->total_changes();
    notice_changes();
}

// If another connection committed since the last look, what is known of the runs may be old.
void Writer::notice_changes() {
    Rows version{statements_.data_version};
    version.next();
    if (version->integer(0) == data_version_) return;
    data_version_ = version->integer(0);
    changed_outside_ = true;
    runs_.clear();
}

void Writer::commit_transaction() {
    // What only reads costs no page and no sync, and needs no number.
    const bool writes = connection_->total_changes() != changes_before_;
    try {
        if (writes) statements_.number_commit.run(commits_ + 1);
    } catch (const SqliteError& error) {
        give_up();
        throw unavailable(file_, error);
    }
    try {
        statements_.commit.run();
    } catch (const SqliteError& error) {
        give_up();
        throw commit_failed(file_, error);
    }
    if (writes) {
        ++commits_;
        if (options_.mark != nullptr) options_.mark->acknowledged(commits_);
    }
    connection_->let_go_of_values();
}

// Nothing of the transaction stays, and nothing that was learnt in it.
void Writer::give_up() noexcept {
    runs_.clear();
    announced_.clear();
    has_tombstones_.reset();
    number_may_be_free_ = true;
    connection_->let_go_of_values();
    try {
        if (connection_->in_transaction()) statements_.rollback.run();
    } catch (const SqliteError&) {
        // Whatever it was, the transaction is closed; that is all that matters here.
    }
    BELAY_ASSERT(!connection_->in_transaction(), "{}: a rollback left its transaction open",
                 file_.string());
}

void Writer::apply(Verb& verb) {
    std::visit(
        [this]<class V>(V& one) {
            if constexpr (Ridable<V>) {
                if (one.rider) return apply_with_rider(one);
            }
            apply(one);
        },
        verb);
}

bool Writer::changed_outside() {
    explained(file_, [&] { notice_changes(); });
    return std::exchange(changed_outside_, false);
}

void Writer::migrate(const Migrations& migrations, Time now) {
    explained(file_, [&] { apply_migrations(*connection_, sql_, file_, migrations, now); });
}

void Writer::prove_writable() {
    explained(file_, [&] { Statement{*connection_, sql::prove_writable}.run(); });
}

void Writer::start_session(Time forget_before) {
    explained(file_, [&] {
        Statement{*connection_, sql::next_session}.run();
        Statement{*connection_, sql::forget_answers}.run(forget_before);
    });
}

BodyResult Writer::run_body(const TxBody& body, std::string& output, BodyKey key) {
    BodyTx tx{*this};
    std::exception_ptr error;
    const std::size_t woken_before = woken_->size();
    try {
        output = body(tx);
        tx.check_end();
    } catch (...) {
        error = std::current_exception();
    }
    // A body may swallow what it was thrown, or throw something else: what happened has happened.
    if (tx.lost()) error = tx.lost();
    if (tx.store_failure()) error = tx.store_failure();
    const BodyFailure failure{error, tx.store_failure() != nullptr};
    if (sql_.transaction_lost()) throw TransactionLost{key, failure};
    if (!error) return std::nullopt;
    // Its messages are taken back with its other writes, and so is what was known of those it woke.
    if (woken_->size() > woken_before) {
        woken_->resize(woken_before);
        runs_.clear();
    }
    return failure;
}

BodyResult Writer::run_hook(const TxBody& hook, BodyKey key) {
    if (BodyResult failed = offence(key)) return failed;
    std::string ignored;
    statements_.savepoint.run();
    BodyResult failed = run_body(hook, ignored, key);
    if (failed) {
        undo_savepoint();
    } else {
        statements_.release.run();
    }
    return failed;
}

BodyResult Writer::offence(BodyKey key) const {
    for (const Offender& offender : offenders_) {
        if (offender.verb == verb_ && offender.lost.body == key) return offender.lost.failure;
    }
    return std::nullopt;
}

void Writer::undo_savepoint() {
    number_may_be_free_ = true;  // a run that had the next one may be among what is undone
    statements_.rollback_to.run();
    statements_.release.run();
}

HeldRun* Writer::held(const Lease& lease) {
    HeldRun* run = runs_.find(lease.run);
    if (run == nullptr) {
        Rows row{statements_.held_run, lease.run.value};
        if (!row.next() || row->text(1) != to_string(RunStatus::Running)) return nullptr;
        run = runs_.put(lease.run, {.epoch = row->integer(0),
                                    .recoveries = row->integer(2),
                                    .cancel_requested = row->integer(3) != 0,
                                    .pause_requested = row->integer(4) != 0,
                                    .signals = row->integer(5),
                                    .is_awaited = row->integer(6) != 0,
                                    .may_have_children = true,
                                    .current_stage = {}});
    }
    return run->epoch == lease.epoch ? run : nullptr;
}

}  // namespace belay::store::sqlite
