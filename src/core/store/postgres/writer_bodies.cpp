// writer_bodies.cpp — the bodies of users in the batch's transaction, each under a savepoint.
#include <utility>

#include "core/store/postgres/body_tx.hpp"
#include "core/store/postgres/writer.hpp"

namespace belay::store::postgres {

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

BodyResult Writer::run_hook(const TxBody& hook, BodyKey) {
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

}  // namespace belay::store::postgres
