#include "store/postgres/writer.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "store/postgres/body_tx.hpp"
#include "store/postgres/failure.hpp"
#include "store/postgres/schema.hpp"

namespace belay::store::postgres {

namespace {

// A batch that meets a deadlock is done again this often; after that the store is in trouble.
constexpr int kRedoMax = 20;

bool speaks_for_run(const Verb& verb, std::int64_t& run) {
    return std::visit(
        [&](const auto& v) {
            if constexpr (requires { v.lease; }) {
                run = v.lease.run.value;
                return true;
            } else {
                return false;
            }
        },
        verb);
}

std::string worker_of(const Verb& verb) {
    if (const auto* submit = std::get_if<Submit>(&verb)) return submit->claim_as;
    if (const auto* claim = std::get_if<Claim>(&verb)) return claim->worker;
    if (const auto* reclaim = std::get_if<Reclaim>(&verb)) return reclaim->worker;
    return "";
}

// What a batch will lock before it reads.
struct Locks {
    std::vector<std::int64_t> read{};  // runs whose lease is checked
    IntegerArray runs{};
    TextArray ids{};
    IntegerArray ending{};
    bool any = false;

    void add_run(std::int64_t run) {
        runs.add(run);
        any = true;
    }
    void add_id(const std::string& id) {
        ids.add(std::string_view(id));
        any = true;
    }
};

Locks locks_of(const Batch& batch) {
    Locks locks;
    for (const Verb& verb : batch.verbs) {
        std::int64_t run = 0;
        if (speaks_for_run(verb, run)) {
            locks.read.push_back(run);
            const auto* record = std::get_if<Record>(&verb);
            if (record == nullptr || record->body || record->touch_run || record->progress ||
                record->skip_inside) {
                locks.add_run(run);
            }
        }
        if (std::holds_alternative<End>(verb)) locks.ending.add(run);
        if (const auto* await = std::get_if<Await>(&verb);
            await != nullptr && !await->child_id.empty()) {
            locks.add_id(await->child_id);
        }
        if (const auto* send = std::get_if<Send>(&verb)) locks.add_id(send->message.run_id);
        if (const auto* control = std::get_if<Control>(&verb)) locks.add_id(control->run_id);
    }
    std::sort(locks.read.begin(), locks.read.end());
    locks.read.erase(std::unique(locks.read.begin(), locks.read.end()), locks.read.end());
    return locks;
}

std::size_t numbers_needed(const Batch& batch) {
    std::size_t count = 0;
    for (const Verb& verb : batch.verbs) {
        const auto* await = std::get_if<Await>(&verb);
        if (std::holds_alternative<Submit>(verb) || (await != nullptr && await->start)) ++count;
    }
    return count;
}

}  // namespace

Writer::Writer(const WriterOptions& options, Told& told)
    : options_(options), told_(told), connection_(options.connect), statements_(connection_) {}

Writer::~Writer() = default;

void Writer::commit(Batch& batch) {
    now_ = batch.now;
    careful_ = false;
    // A verb that has been changed by a first try must not be seen by the second.
    std::vector<std::pair<std::size_t, Await>> awaits;
    for (std::size_t i = 0; i < batch.verbs.size(); ++i) {
        if (const auto* await = std::get_if<Await>(&batch.verbs[i])) awaits.emplace_back(i, *await);
    }
    certain_ = is_certain(batch);
    for (int tries = 1; !try_commit(batch); ++tries) {
        if (tries == kRedoMax) {
            throw Error(
                ErrorCode::StoreUnavailable,
                fmt::format("{}: a batch met {} deadlocks or lock time-outs one after the other",
                            options_.name, kRedoMax));
        }
        certain_ = false;
        for (const auto& [i, await] : awaits) batch.verbs[i] = await;
    }
}

// False if it is to be done again.
bool Writer::try_commit(Batch& batch) {
    try {
        batch.woken.clear();
        woken_ = &batch.woken;
        prepare(batch);
        if (certain_) {
            begin_certain(batch);
        } else {
            begin(batch);
        }
        for (Verb& verb : batch.verbs) apply(verb);
        flush(Flush::NoWait);
    } catch (const Redo&) {
        give_up();
        return false;
    } catch (const PgError& error) {
        const bool redo = is_redone(error);
        give_up();
        if (redo) return false;
        throw unavailable(options_.name, error);
    } catch (...) {
        give_up();
        throw;
    }
    if (!commit_transaction()) return false;
    if (!sent_to_nobody_.empty()) signal_late(sent_to_nobody_);
    told_.tell(std::exchange(news_, {}));
    return true;
}

// What has to be on record before the transaction begins: who this is, and numbers for the new runs.
void Writer::prepare(const Batch& batch) {
    for (const Verb& verb : batch.verbs) {
        const std::string name = worker_of(verb);
        if (!name.empty() && name != worker_) be_worker(name);
    }
    if (runs_.mark().empty() && !worker_.empty()) learn_mark();
    if (const std::size_t needed = numbers_needed(batch)) numbers_.reserve(connection_, needed);
}

// A process is one worker at a time: the one it was before is gone.
void Writer::be_worker(const std::string& name) {
    told_.is_worker(name);
    runs_.learn_mark("");
    const std::string before = std::exchange(worker_, name);
    if (before.empty()) return;
    Parameters parameters;
    parameters.add(before);
    connection_.run(sql::stop_worker, parameters);
}

void Writer::continue_as(const std::string& worker) {
    worker_ = worker;
    judges_from_ = Steady::now() + options_.lease_for;
}

void Writer::begin_anew() {
    lanes_ = {};
    joins_.clear();
    news_ = {};
    sent_to_nobody_.clear();
    number_marks_.clear();
    taken_.clear();
    dead_workers_.clear();
    runs_.begin_batch();
}

void Writer::begin(const Batch& batch) {
    begin_anew();
    const Locks locks = locks_of(batch);
    connection_.send("BEGIN");
    if (!locks.read.empty() && !worker_.empty()) {
        TextArray names;
        names.add(std::string_view(worker_));
        Parameters parameters;
        names.give(parameters);
        statements_.lock_workers.send(parameters);
    }
    if (locks.any) {
        Parameters parameters;
        locks.runs.give(parameters);
        locks.ids.give(parameters);
        locks.ending.give(parameters);
        statements_.lock_runs.send(parameters);
    }
    if (locks.read.empty()) {
        connection_.finish();
        return;
    }
    ask_held(locks.read);
    const auto results = connection_.finish();
    if (!worker_.empty()) {
        Rows own{results[1]};
        runs_.learn_mark(own.next() ? own.text(1) : "");
    }
    lock_others(learn_held(results.back()), locks.read);
}

void Writer::read_held(const std::vector<std::int64_t>& runs) {
    ask_held(runs);
    lock_others(learn_held(connection_.finish().back()), runs);
}

void Writer::ask_held(const std::vector<std::int64_t>& runs) {
    IntegerArray ids;
    for (const std::int64_t run : runs) ids.add(run);
    Parameters parameters;
    ids.give(parameters);
    statements_.held_run.send(parameters);
}

// Gives the other workers that hold some of them.
std::vector<std::string> Writer::learn_held(const Result& held) {
    std::vector<std::string> others;
    Rows row{held};
    while (row.next()) {
        const RunNo run{row.integer(0)};
        if (row.text(2) != to_string(RunStatus::Running)) {
            runs_.forget(run);
            continue;
        }
        if (row.text(8) != worker_) others.emplace_back(row.text(8));
        runs_.refresh(run, {.epoch = row.integer(1),
                            .recoveries = row.integer(3),
                            .cancel_requested = row.integer(4) != 0,
                            .pause_requested = row.integer(5) != 0,
                            .signals = row.integer(6),
                            .is_awaited = row.integer(7) != 0});
    }
    return others;
}

// Runs that another holds: what was read of them counts only under that one's lock.
void Writer::lock_others(std::vector<std::string> names, const std::vector<std::int64_t>& runs) {
    if (names.empty()) return;
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    lock_workers(names);
    ask_held(runs);
    learn_held(connection_.finish().back());
}

void Writer::lock_workers(const std::vector<std::string>& names) {
    TextArray array;
    for (const std::string& name : names) array.add(std::string_view(name));
    Parameters parameters;
    array.give(parameters);
    statements_.bury_workers.send(parameters);
    statements_.lock_workers.send(parameters);
    connection_.finish();
}

// Together with what is still to be written: where that fails, the server does not come to the COMMIT. False if the batch
// is to be done again.
bool Writer::commit_transaction() {
    try {
        connection_.send("COMMIT");
        check_written(finish_or_redo());
    } catch (const Redo&) {
        give_up();
        return false;
    } catch (const PgError& error) {
        const bool redo = is_redone(error);
        if (!redo) numbers_.settle();
        give_up();
        if (redo) return false;
        throw commit_failed(options_.name, error);
    }
    numbers_.settle();
    return true;
}

bool Writer::is_redone(const PgError& error) const {
    const bool was_wrong =
        error.state() == kUniqueViolation || (certain_ && error.state() == kDivisionByZero);
    return (error.wants_retry() || was_wrong) && !connection_.lost();
}

// Nothing of the transaction stays, and nothing that was learnt in it.
void Writer::give_up() noexcept {
    runs_.clear();
    runs_.learn_mark("");
    announced_.clear();
    lanes_ = {};
    expected_.clear();
    is_writing_ = false;
    news_ = {};
    numbers_.rewind(0);
    if (connection_.lost()) return;
    try {
        connection_.run("ROLLBACK");
    } catch (const PgError&) {
        // Then the connection is lost, and the server rolls back.
    }
}

void Writer::apply(Verb& verb) {
    std::visit([this](auto& one) { apply(one); }, verb);
}

void Writer::migrate(const Migrations& migrations) {
    apply_migrations(connection_, options_.name, migrations);
}

void Writer::prove_writable() {
    explained(options_.name, [&] {
        Parameters parameters;
        parameters.add(worker_);
        connection_.send(sql::lock_own_worker, parameters);
        // What was sent on the old connection and has not arrived yet must find another mark.
        mark_workers({worker_});
        connection_.send(sql::prove_writable);
        connection_.finish();
    });
}

void Writer::start_session(Time forget_before) {
    explained(options_.name, [&] {
        Parameters parameters;
        parameters.add(forget_before);
        connection_.send(sql::next_session);
        connection_.send(sql::forget_answers, parameters);
        connection_.send(sql::forget_workers);
        connection_.finish();
    });
}

void Writer::stop() noexcept {
    try {
        numbers_.give_back(connection_);
        if (worker_.empty()) return;
        Parameters parameters;
        parameters.add(worker_);
        connection_.run(sql::stop_worker, parameters);
        told_.tell({.due = true});
    } catch (const std::exception&) {
        // Then its lease ends by itself.
    }
}

// A run that came to be while a message for it was being sent may have looked before the message was there.
void Writer::signal_late(const std::vector<std::string>& ids) noexcept {
    try {
        TextArray array;
        for (const std::string& id : ids) array.add(std::string_view(id));
        Parameters parameters;
        array.give(parameters);
        parameters.add(now_);
        Rows row{connection_.run(
            "UPDATE workflow_runs SET signals = signals + 1, "
            "wake_at = CASE WHEN status = 'waiting' THEN $2::bigint ELSE wake_at END "
            "WHERE public_id = ANY($1::text[]) AND status IN ('queued', 'running', 'waiting', "
            "'paused') RETURNING worker, status",
            parameters)};
        while (row.next()) note_for_others(row.text(0), row.text(1));
    } catch (const PgError&) {
        // The batch stands. The connection is lost, and the next batch says so.
    }
}

Connection& Writer::side() {
    if (!side_) side_ = std::make_unique<Connection>(options_.connect);
    return *side_;
}

void Writer::savepoint() {
    number_marks_.push_back(numbers_.mark());
    connection_.send("SAVEPOINT verb");
}

void Writer::release() {
    number_marks_.pop_back();
    connection_.send("RELEASE SAVEPOINT verb");
}

void Writer::undo_savepoint() {
    numbers_.rewind(number_marks_.back());
    number_marks_.pop_back();
    connection_.send("ROLLBACK TO SAVEPOINT verb");
    connection_.send("RELEASE SAVEPOINT verb");
    connection_.finish();
}

BodyResult Writer::run_body(const TxBody& body, std::string& output) {
    BodyTx tx{*this};
    std::exception_ptr error;
    const std::size_t woken_before = woken_->size();
    try {
        output = body(tx);
        tx.check_end();
    } catch (...) {
        error = std::current_exception();
    }
    if (tx.wants_redo()) throw Redo{"a body met a deadlock"};
    if (connection_.lost())
        throw PgError("", "the connection was lost in a transaction body", true);
    // A body may swallow what it was thrown, or throw something else: what happened has happened.
    if (tx.doomed()) error = tx.doomed();
    if (tx.store_failure()) error = tx.store_failure();
    if (!error) return std::nullopt;
    // Its messages are taken back with its other writes, and so is what was known of those it woke.
    if (woken_->size() > woken_before) {
        woken_->resize(woken_before);
        runs_.clear();
    }
    return BodyFailure{error, tx.store_failure() != nullptr};
}

BodyResult Writer::run_hook(const TxBody& hook) {
    std::string ignored;
    savepoint();
    BodyResult failed = run_body(hook, ignored);
    if (failed) {
        undo_savepoint();
    } else {
        release();
    }
    return failed;
}

HeldRun* Writer::held(const Lease& lease) {
    HeldRun* run = runs_.find(lease.run);
    if (run == nullptr) {
        // Forgotten in this batch, by an end or a body that was taken back.
        flush();
        read_held({lease.run.value});
        run = runs_.find(lease.run);
        if (run == nullptr) return nullptr;
    }
    return run->epoch == lease.epoch ? run : nullptr;
}

}  // namespace belay::store::postgres
