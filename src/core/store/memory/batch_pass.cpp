#include "core/store/memory/batch_pass.hpp"

#include <belay/error.hpp>

#include "core/store/rider.hpp"

namespace belay::store::memory {

class BatchPass::Tx final : public SqlTx {
public:
    explicit Tx(BatchPass& pass) : pass_(pass) {}

    SqlResult run(std::string_view sql, std::span<const SqlValue> parameters) override {
        if (pass_.sql_.body().transaction_lost()) {
            throw Error(ErrorCode::TransactionRefused,
                        "an earlier statement ended the transaction");
        }
        try {
            return pass_.sql_.body().run(sql, parameters);
        } catch (const Error& error) {
            if (error.code() == ErrorCode::StoreUnavailable)
                store_failure_ = std::current_exception();
            throw;
        }
    }

    SubmitOutcome submit(const model::NewRun& run, bool retry_failed) override {
        return pass_.submit(run, retry_failed, "");
    }

    SendResult send(const model::NewMessage& message, std::string& why) override {
        return pass_.send(message, why);
    }

    // The failure of the store that the body met, whatever it made of it; null if it met none.
    std::exception_ptr store_failure() const { return store_failure_; }

private:
    BatchPass& pass_;
    std::exception_ptr store_failure_;
};

BatchPass::BatchPass(Tables& tables, PrivateSql& sql, Time now, bool executes,
                     const FailedBodies& failed, std::vector<Woken>& woken)
    : tables_(tables), sql_(sql), now_(now), executes_(executes), failed_(failed), woken_(woken) {}

void BatchPass::apply(std::size_t place, Verb& verb) {
    place_ = place;
    std::visit(
        [this]<class V>(V& one) {
            if constexpr (Ridable<V>) {
                if (one.rider) return apply_with_rider(one);
            }
            apply(one);
        },
        verb);
}

template <class V>
void BatchPass::apply_with_rider(V& verb) {
    verb.rider.failed = nullptr;
    const auto from = tables_.mark();
    const std::size_t woken_before = woken_.size();
    // Around the verb's own body as well, whose savepoint is gone when the rider fails.
    sql_.begin();
    sql_.savepoint();
    apply(verb);
    const BodyResult failed = ride(
        verb,
        [&](const TxBody& body) {
            std::string ignored;
            return run_body(body, ignored, from, {}, BodyKind::Rider);
        },
        [this](AnswerRequest answered) { apply(answered); });
    if (!failed) return sql_.release();
    sql_.roll_back_to_savepoint();
    woken_.resize(woken_before);
}

BodyResult BatchPass::run_body(const TxBody& body, std::string& output, Tables::Mark from,
                               RunNo run, BodyKind kind) {
    const BodyKey key{place_, run, kind};
    if (const auto found = failed_.find(key); found != failed_.end()) {
        tables_.roll_back_to(from);
        return found->second;
    }
    sql_.begin();
    sql_.savepoint();
    sql_.restart_limit();
    Tx tx{*this};
    BodyFailure failure;
    const std::size_t woken_before = woken_.size();
    try {
        output = body(tx);
        if (!sql_.body().transaction_lost()) sql_.body().check_deferred_keys();
    } catch (...) {
        failure.error = std::current_exception();
    }
    // A body may swallow what it was thrown, or throw something else: what happened has happened.
    if (tx.store_failure()) failure = {tx.store_failure(), true};
    if (sql_.body().transaction_lost()) {
        if (!failure.error) {
            failure.error = std::make_exception_ptr(Error(
                ErrorCode::TransactionRefused, "a statement of the body ended the transaction"));
        }
        throw TransactionLost{key, failure};
    }
    if (!failure.error) {
        sql_.release();
        return std::nullopt;
    }
    sql_.roll_back_to_savepoint();
    tables_.roll_back_to(from);
    woken_.resize(woken_before);
    return failure;
}

void BatchPass::apply(Load& verb) {
    verb.outcome.clear();
    for (const RunNo run : verb.runs) verb.outcome.push_back(tables_.stages(run));
}

void BatchPass::apply(TakeRequests& verb) {
    verb.outcome.clear();
    for (const auto& [id, request] : tables_.requests()) {
        if (static_cast<int>(verb.outcome.size()) >= verb.limit) break;
        if (!request.answer) verb.outcome.push_back(request.asked);
    }
}

void BatchPass::apply(AnswerRequest& verb) {
    tables_.answer_request(verb.id, {verb.ok, verb.answer});
}

void BatchPass::apply(MarkStalled& verb) {
    const model::Run* found = tables_.run(verb.run);
    if (found == nullptr || (verb.stall && is_finished(found->status))) return;
    model::Run run = *found;
    run.stall = verb.stall;
    tables_.put_run(run);
}

void BatchPass::apply(Transact& verb) {
    std::string output;
    if (const BodyResult failed = run_body(verb.body, output, tables_.mark())) {
        verb.outcome = BodyFailed{failed->error};
    } else {
        verb.outcome = std::move(output);
    }
}

}  // namespace belay::store::memory
