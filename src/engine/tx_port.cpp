#include "engine/tx_port.hpp"

#include <fmt/format.h>

#include <belay/error.hpp>

#include "store/batch.hpp"

namespace belay::engine {
namespace {

class EngineTx final : public belay::detail::TxPort {
public:
    EngineTx(store::SqlTx& sql, const TxOwner& owner) : sql_(sql), owner_(owner) {}

    SqlResult run(std::string_view sql, std::span<const SqlValue> parameters) override {
        return sql_.run(sql, parameters);
    }

    std::string submit(std::string_view workflow, std::string input, const SubmitOptions& options) override {
        model::NewRun run;
        run.id = options.id.empty()
                     ? fmt::format("{}/{}/{}", owner_.run_id, owner_.place, ++submissions_)
                     : options.id;
        run.workflow_key = workflow;
        run.input = std::move(input);
        run.organization_id =
            options.organization_id.empty() ? owner_.organization_id : options.organization_id;
        run.source_channel = options.source_channel;
        run.file_id = options.file_id;
        run.content_hash = options.content_hash;
        run.code_version = owner_.code_version;
        if (options.delay > Duration{0}) run.available_at = now() + options.delay;
        const store::SubmitOutcome outcome = sql_.submit(run);
        if (outcome.kind == store::SubmitKind::Mismatch) {
            throw Error(ErrorCode::InputMismatch,
                        fmt::format("a run with id `{}` exists with another workflow or another input",
                                    run.id));
        }
        owner_.submitted->store(true);
        return run.id;
    }

    const std::string& run_id() const override { return owner_.run_id; }
    Time now() const override { return owner_.clock->now(); }

private:
    store::SqlTx& sql_;
    const TxOwner& owner_;
    int submissions_ = 0;
};

}  // namespace

store::TxBody body_of(std::shared_ptr<belay::detail::StepCall> call, TxOwner owner) {
    return [call = std::move(call), owner = std::move(owner)](store::SqlTx& sql) {
        EngineTx port{sql, owner};
        Tx tx{port};
        return call->commit(tx);
    };
}

store::TxBody body_of(const Hook& hook, RunInfo info, TxOwner owner) {
    if (!hook) return {};
    return [hook, info = std::move(info), owner = std::move(owner)](store::SqlTx& sql) {
        EngineTx port{sql, owner};
        Tx tx{port};
        hook(tx, info);
        return std::string{};
    };
}

}  // namespace belay::engine
