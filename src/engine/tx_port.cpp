#include "engine/tx_port.hpp"

#include <fmt/format.h>

#include <belay/error.hpp>

#include "base/hash.hpp"
#include "base/limits.hpp"
#include "store/batch.hpp"

namespace belay::engine {
namespace {

// The id of a run that was given none. Runs that start runs make it longer and longer; what is too long
// ends in a hash of the whole.
std::string derived_id(const TxOwner& owner, int number) {
    std::string id = fmt::format("{}/{}/{}", owner.run_id, owner.place, number);
    if (id.size() <= base::kRunIdCharsMax) return id;
    std::string head = id.substr(0, 100);
    // Not in the middle of a UTF-8 sequence.
    while (!head.empty() && (static_cast<unsigned char>(head.back()) & 0x80U) != 0) head.pop_back();
    return fmt::format("{}~{}", head, base::sha256_hex(id));
}

class EngineTx final : public belay::detail::TxPort {
public:
    EngineTx(store::SqlTx& sql, const TxOwner& owner) : sql_(sql), owner_(owner) {}

    SqlResult run(std::string_view sql, std::span<const SqlValue> parameters) override {
        return sql_.run(sql, parameters);
    }

    std::string submit(std::string_view workflow, std::string input, const SubmitOptions& options) override {
        model::NewRun run;
        run.id = options.id.empty() ? derived_id(owner_, ++submissions_) : options.id;
        if (run.id.size() > base::kRunIdCharsMax) {
            throw Error(ErrorCode::InvalidArgument,
                        fmt::format("a run id has at most {} characters; this one has {}",
                                    base::kRunIdCharsMax, run.id.size()));
        }
        if (input.size() > base::kPayloadBytesMax) {
            throw Error(ErrorCode::PayloadTooLarge,
                        fmt::format("the input of run `{}` is {} bytes of JSON; a run takes at most {}", run.id,
                                    input.size(), base::kPayloadBytesMax));
        }
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
        std::string output = call->commit(tx);
        if (output.size() > base::kPayloadBytesMax) {
            throw Error(ErrorCode::PayloadTooLarge,
                        fmt::format("step `{}` returned {} bytes of JSON; a checkpoint takes at most {}",
                                    call->name, output.size(), base::kPayloadBytesMax));
        }
        return output;
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
