#include "store/memory/batch_pass.hpp"

#include <belay/error.hpp>

namespace belay::store::memory {

class BatchPass::Tx final : public SqlTx {
public:
    explicit Tx(BatchPass& pass) : pass_(pass) {}

    SqlResult run(std::string_view sql, std::span<const SqlValue> parameters) override {
        if (pass_.sql_.body().transaction_lost()) {
            throw Error(ErrorCode::TransactionRefused,
                        "an earlier statement ended the transaction");
        }
        return pass_.sql_.body().run(sql, parameters);
    }

    SubmitOutcome submit(const model::NewRun& run) override { return pass_.submit(run, false, ""); }

private:
    BatchPass& pass_;
};

BatchPass::BatchPass(Tables& tables, PrivateSql& sql, Time now, bool executes,
                     const FailedBodies& failed)
    : tables_(tables), sql_(sql), now_(now), executes_(executes), failed_(failed) {}

void BatchPass::apply(std::size_t place, Verb& verb) {
    place_ = place;
    std::visit([this](auto& v) { apply(v); }, verb);
}

BatchPass::BodyResult BatchPass::run_body(const TxBody& body, Tables::Mark from, RunNo run) {
    const BodyKey key{place_, run};
    if (const auto found = failed_.find(key); found != failed_.end()) {
        tables_.roll_back_to(from);
        return {"", found->second};
    }
    sql_.begin();
    sql_.savepoint();
    sql_.restart_limit();
    BodyResult result;
    try {
        Tx tx{*this};
        result.output = body(tx);
        if (!sql_.body().transaction_lost()) sql_.body().check_deferred_keys();
    } catch (...) {
        result.error = std::current_exception();
    }
    if (sql_.body().transaction_lost()) {
        // A body that caught the error that ended its transaction has failed all the same.
        if (!result.error) {
            result.error = std::make_exception_ptr(Error(
                ErrorCode::TransactionRefused, "a statement of the body ended the transaction"));
        }
        throw TransactionLost{key, result.error};
    }
    if (result.error) {
        sql_.roll_back_to_savepoint();
        tables_.roll_back_to(from);
    } else {
        sql_.release();
    }
    return result;
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

void BatchPass::apply(Transact& verb) {
    BodyResult result = run_body(verb.body, tables_.mark(), RunNo{});
    if (result.error) {
        verb.outcome = BodyFailed{result.error};
    } else {
        verb.outcome = std::move(result.output);
    }
}

}  // namespace belay::store::memory
