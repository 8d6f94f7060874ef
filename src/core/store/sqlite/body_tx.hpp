// body_tx.hpp — what the body of a transaction is given: SQL inside the writer's own transaction.
#pragma once

#include <chrono>
#include <exception>
#include <span>
#include <string_view>

#include "core/store/batch.hpp"
#include "core/store/sql_tx.hpp"

namespace belay::store::sqlite {

class Writer;

// Lives for one call of one body.
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

    // What made SQLite roll back everything; null if nothing did.
    std::exception_ptr lost() const { return lost_; }

    // The failure of the store that the body met, whatever it made of it; null if it met none.
    std::exception_ptr store_failure() const { return store_failure_; }

private:
    // The real time, and not the store's clock: a test that skips a day must not fail a body.
    using Steady = std::chrono::steady_clock;

    void check_alive();
    template <class F>
    auto guarded(F act) -> decltype(act());
    [[noreturn]] void refuse_slow() const;

    Writer& writer_;
    Steady::time_point deadline_;
    bool slow_ = false;
    std::exception_ptr lost_;
    std::exception_ptr store_failure_;
};

}  // namespace belay::store::sqlite
