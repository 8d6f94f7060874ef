#include "core/store/postgres/writer.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/store/postgres/failure.hpp"
#include "core/store/postgres/schema.hpp"
#include "core/store/sql/riding.hpp"

namespace belay::store::postgres {

namespace {

// A batch that meets a deadlock is done again this often; after that the store is in trouble.
constexpr int kRedoMax = 20;

std::string worker_of(const Verb& verb) {
    if (const auto* submit = std::get_if<Submit>(&verb)) return submit->claim_as;
    if (const auto* claim = std::get_if<Claim>(&verb)) return claim->worker;
    if (const auto* reclaim = std::get_if<Reclaim>(&verb)) return reclaim->worker;
    return "";
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
    batch.woken.clear();
    if (!is_certain(batch)) return commit_with_look(batch);
    const std::vector<std::size_t> left = commit_certain(batch);
    if (left.empty()) return;
    if (left.size() == batch.verbs.size()) return commit_with_look(batch);
    Batch rest{.now = batch.now};
    for (const std::size_t i : left) rest.verbs.push_back(std::move(batch.verbs[i]));
    try {
        commit_with_look(rest);
    } catch (const Error& error) {
        // The other part is there, whatever became of this one.
        for (std::size_t i = 0; i < left.size(); ++i)
            batch.verbs[left[i]] = std::move(rest.verbs[i]);
        throw Error(ErrorCode::CommitUnknown, error.what());
    }
    for (std::size_t i = 0; i < left.size(); ++i) batch.verbs[left[i]] = std::move(rest.verbs[i]);
    batch.woken = std::move(rest.woken);
}

// What it locks and reads, then all that it writes with the COMMIT.
void Writer::commit_with_look(Batch& batch) {
    careful_ = false;
    // A verb that has been changed by a first try must not be seen by the second.
    std::vector<std::pair<std::size_t, Await>> awaits;
    for (std::size_t i = 0; i < batch.verbs.size(); ++i) {
        if (const auto* await = std::get_if<Await>(&batch.verbs[i])) awaits.emplace_back(i, *await);
    }
    for (int tries = 1; !try_commit(batch); ++tries) {
        if (tries == kRedoMax) {
            throw Error(
                ErrorCode::StoreUnavailable,
                fmt::format("{}: a batch met {} deadlocks or lock time-outs one after the other",
                            options_.name, kRedoMax));
        }
        for (const auto& [i, await] : awaits) batch.verbs[i] = await;
    }
}

// False if it is to be done again.
bool Writer::try_commit(Batch& batch) {
    try {
        batch.woken.clear();
        woken_ = &batch.woken;
        prepare(batch);
        begin(batch);
        for (Verb& verb : batch.verbs) apply(verb);
        flush(Flush::NoWait);
    } catch (const Redo&) {
        give_up();
        return false;
    } catch (const PgError& error) {
        const bool redo =
            (error.wants_retry() || error.state() == kUniqueViolation) && !connection_.lost();
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
        const bool redo = error.wants_retry() && !connection_.lost();
        if (!redo) numbers_.settle();
        give_up();
        if (redo) return false;
        throw commit_failed(options_.name, error);
    }
    numbers_.settle();
    return true;
}

// What was known may be wrong.
void Writer::forget_known() {
    runs_.clear();
    runs_.learn_mark("");
    announced_.clear();
}

// Nothing of the transaction stays, and nothing that was learnt in it.
void Writer::give_up() noexcept {
    forget_known();
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
    std::visit(
        [this]<class V>(V& one) {
            if constexpr (Ridable<V>) {
                if (one.rider) return apply_with_rider(one);
            }
            apply(one);
        },
        verb);
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
        Rows row{connection_.run(sql::signal_late, parameters)};
        while (row.next()) tell_holder(RunNo{row.integer(0)}, row, 1);
    } catch (const PgError&) {
        // The batch stands. The connection is lost, and the next batch says so.
    }
}

Connection& Writer::side() {
    if (!side_) side_ = std::make_unique<Connection>(options_.connect);
    return *side_;
}

}  // namespace belay::store::postgres
