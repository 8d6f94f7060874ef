#include "core/store/sqlite/body_tx.hpp"

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/base/text.hpp"
#include "core/store/sqlite/failure.hpp"
#include "core/store/sqlite/writer.hpp"

namespace belay::store::sqlite {

BodyTx::BodyTx(Writer& writer)
    : writer_(writer), deadline_(Steady::now() + writer.options_.transaction_time_max) {
    writer_.sql_.over_limit = [this] { return slow_ = Steady::now() > deadline_; };
}

BodyTx::~BodyTx() { writer_.sql_.over_limit = nullptr; }

SqlResult BodyTx::run(std::string_view sql, std::span<const SqlValue> parameters) {
    check_alive();
    try {
        return writer_.sql_.run(sql, parameters);
    } catch (const Error& error) {
        const bool interrupted = slow_ && error.code() == ErrorCode::Overloaded;
        try {
            if (interrupted) refuse_slow();
            throw;
        } catch (const Error& told) {
            if (told.code() == ErrorCode::StoreUnavailable)
                store_failure_ = std::current_exception();
            if (writer_.sql_.transaction_lost()) lost_ = std::current_exception();
            throw;
        }
    }
}

template <class F>
auto BodyTx::guarded(F act) -> decltype(act()) {
    check_alive();
    try {
        return act();
    } catch (const SqliteError& failed) {
        const Error error = unavailable(writer_.file_, failed);
        store_failure_ = std::make_exception_ptr(error);
        if (writer_.sql_.transaction_lost()) lost_ = store_failure_;
        throw error;
    }
}

SubmitOutcome BodyTx::submit(const model::NewRun& run, bool retry_failed) {
    return guarded([&] { return writer_.submit(run, "", retry_failed); });
}

SendResult BodyTx::send(const model::NewMessage& message, std::string& why) {
    return guarded([&] { return writer_.send(message, why); });
}

void BodyTx::check_end() {
    if (!lost_) writer_.sql_.check_deferred_keys();
}

void BodyTx::check_alive() {
    if (lost_) std::rethrow_exception(lost_);
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

}  // namespace belay::store::sqlite
