#include "core/store/postgres/body_tx.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/base/text.hpp"
#include "core/store/postgres/body_sql.hpp"
#include "core/store/postgres/dialect.hpp"
#include "core/store/postgres/failure.hpp"
#include "core/store/postgres/writer.hpp"

namespace belay::store::postgres {

BodyTx::BodyTx(Writer& writer)
    : writer_(writer), deadline_(Steady::now() + writer.options_.transaction_time_max) {
    writer_.connection_.send(fmt::format("SET LOCAL statement_timeout = {}",
                                         writer.options_.transaction_time_max.count()));
}

BodyTx::~BodyTx() {
    // Where the body is taken back, so is the setting.
    if (!writer_.connection_.lost() && !doomed_ && !store_failure_) {
        try {
            writer_.connection_.send("SET LOCAL statement_timeout = 0");
        } catch (const PgError&) {
            // The next statement meets it again.
        }
    }
}

SqlResult BodyTx::run(std::string_view sql, std::span<const SqlValue> parameters) {
    check_alive();
    const Translated statement = translate(sql);
    if (!statement.refused.empty()) throw Error(ErrorCode::TransactionRefused, statement.refused);
    const Parameters values = parameters_of(statement, parameters, sql);
    Connection& connection = writer_.connection_;
    try {
        connection.send("SAVEPOINT statement");
        connection.send(
            "SET LOCAL enable_seqscan = on");  // which the writer does not want for its own
        connection.send(statement.sql, values);
        connection.send("SET LOCAL enable_seqscan = off");
        connection.send("RELEASE SAVEPOINT statement");
        const auto results = connection.finish();
        if (!statement.reads_only) has_written_ = true;
        return result_of(results[results.size() - 3], statement.reads_only);
    } catch (const PgError& error) {
        failed(error, statement.dooms_body);
    }
}

void BodyTx::failed(const PgError& error, bool dooms) {
    Connection& connection = writer_.connection_;
    if (error.wants_retry()) wants_redo_ = true;
    if (!connection.lost()) {
        try {
            connection.send("ROLLBACK TO SAVEPOINT statement");
            connection.send("RELEASE SAVEPOINT statement");
            connection.finish();
        } catch (const PgError&) {
            // The transaction is gone; whoever called the body finds out.
        }
    }
    try {
        if (error.state() == "57014") refuse_slow();
        if (is_of_store(error)) throw unavailable(writer_.options_.name, error);
        throw Error(ErrorCode::InvalidArgument, error.what());
    } catch (const Error& told) {
        if (told.code() == ErrorCode::StoreUnavailable) store_failure_ = std::current_exception();
        if (dooms || told.code() == ErrorCode::StoreUnavailable) doomed_ = std::current_exception();
        throw;
    }
}

template <class F>
auto BodyTx::guarded(F act) -> decltype(act()) {
    check_alive();
    try {
        return act();
    } catch (const PgError& failure) {
        if (failure.wants_retry()) wants_redo_ = true;
        const Error error = unavailable(writer_.options_.name, failure);
        doomed_ = store_failure_ = std::make_exception_ptr(error);
        throw error;
    }
}

SubmitOutcome BodyTx::submit(const model::NewRun& run, bool retry_failed) {
    return guarded([&] { return writer_.submit(run, "", retry_failed); });
}

SendResult BodyTx::send(const model::NewMessage& message, std::string& why) {
    return guarded([&] { return writer_.send(message, why); });
}

// A foreign key that is checked at the COMMIT would fail everyone's: it is checked here, and forgotten again.
void BodyTx::check_end() {
    if (doomed_ || !has_written_) return;
    Connection& connection = writer_.connection_;
    try {
        connection.send("SAVEPOINT keys");
        connection.send("SET CONSTRAINTS ALL IMMEDIATE");
        connection.send("ROLLBACK TO SAVEPOINT keys");
        connection.send("RELEASE SAVEPOINT keys");
        connection.finish();
    } catch (const PgError& error) {
        if (error.wants_retry()) wants_redo_ = true;
        if (is_of_store(error)) {
            store_failure_ = std::make_exception_ptr(unavailable(writer_.options_.name, error));
        }
        doomed_ = std::make_exception_ptr(Error(ErrorCode::InvalidArgument, error.what()));
        std::rethrow_exception(doomed_);
    }
}

void BodyTx::check_alive() {
    if (doomed_) std::rethrow_exception(doomed_);
    if (Steady::now() > deadline_) refuse_slow();
}

void BodyTx::refuse_slow() const {
    // Whether the body is slow or the machine was, nobody can tell: it is worth another attempt.
    throw Error(
        ErrorCode::Overloaded,
        fmt::format("the transaction body ran longer than its limit of {}: it holds up every "
                    "other commit, so do slow work in a step and only write in its commit",
                    base::format_duration(writer_.options_.transaction_time_max)));
}

}  // namespace belay::store::postgres
