// body_tx.hpp — what the body of a transaction is given: SQL inside the writer's own transaction.
#pragma once

#include <chrono>
#include <exception>
#include <span>
#include <string_view>

#include "core/store/batch.hpp"
#include "core/store/postgres/connection.hpp"
#include "core/store/sql_tx.hpp"

namespace belay::store::postgres {

class Writer;

// Lives for one call of one body. Each statement has a savepoint of its own, because PostgreSQL would take a
// failed one as the end of the whole transaction, and a body may catch it and go on.
class BodyTx final : public SqlTx {
public:
    explicit BodyTx(Writer& writer);
    ~BodyTx() override;

    BodyTx(const BodyTx&) = delete;
    BodyTx& operator=(const BodyTx&) = delete;

    SqlResult run(std::string_view sql, std::span<const SqlValue> parameters) override;
    using SqlTx::submit;
    SubmitOutcome submit(const model::NewRun& run, bool retry_failed) override;
    SendResult send(const model::NewMessage& message, std::string& why) override;

    // To be called when the body has returned: what would make the COMMIT fail, fails here.
    void check_end();

    // Why nothing of the body can be kept; null if it can.
    std::exception_ptr doomed() const { return doomed_; }

    // The failure of the store that the body met, whatever it made of it; null if it met none.
    std::exception_ptr store_failure() const { return store_failure_; }

    // A deadlock: the whole batch is to be done again.
    bool wants_redo() const { return wants_redo_; }

private:
    // The real time, and not the store's clock: a test that skips a day must not fail a body.
    using Steady = std::chrono::steady_clock;

    void check_alive();
    [[noreturn]] void failed(const PgError& error, bool dooms);
    [[noreturn]] void refuse_slow() const;
    template <class F>
    auto guarded(F act) -> decltype(act());

    Writer& writer_;
    Steady::time_point deadline_;
    bool has_written_ = false;
    bool wants_redo_ = false;
    std::exception_ptr doomed_;
    std::exception_ptr store_failure_;
};

}  // namespace belay::store::postgres
