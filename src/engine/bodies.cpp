#include "engine/bodies.hpp"

#include <fmt/format.h>

#include <belay/error.hpp>
#include <belay/tx.hpp>

#include "base/hash.hpp"
#include "base/limits.hpp"
#include "engine/inside.hpp"
#include "engine/new_run.hpp"
#include "store/batch.hpp"
#include "store/child_end.hpp"

namespace belay::engine {
namespace {

RunInfo info_of(const model::Run& run) {
    RunInfo info;
    info.id = run.id;
    info.workflow_key = run.workflow_key;
    info.organization_id = run.organization_id;
    info.file_id = run.file_id;
    info.input = run.input;
    info.status = run.status;
    if (run.result) info.result = *run.result;
    if (run.failure) {
        info.error = run.failure->message;
        info.error_stage = run.failure->stage;
    }
    return info;
}

// The place of a run's on_end hook. A run that was retried ends again, and what its hook starts then is
// another run.
std::string end_place(std::int64_t run_attempts) {
    return run_attempts <= 1 ? "on_end" : fmt::format("on_end:{}", run_attempts);
}

}  // namespace

class Bodies::EngineTx final : public belay::detail::TxPort {
public:
    EngineTx(Bodies& bodies, store::SqlTx& sql, const Owner& owner)
        : bodies_(bodies), sql_(sql), owner_(owner) {}

    SqlResult run(std::string_view sql, std::span<const SqlValue> parameters) override {
        return sql_.run(sql, parameters);
    }

    std::string submit(std::string_view workflow, std::string input, const SubmitOptions& options) override {
        check_new_run(bodies_.workflows_, workflow, input, options);
        std::string id = options.id.empty() ? derived_id(owner_.run_id, fmt::format("{}/{}", owner_.place, ++submissions_)) : "";
        const model::NewRun run = new_run(workflow, std::move(input), options, std::move(id),
                                          owner_.organization_id, bodies_.options_.code_version, now());
        const store::SubmitOutcome outcome = sql_.submit(run, options.retry);
        if (outcome.kind == store::SubmitKind::UnknownQueue) {
            throw Error(ErrorCode::NotFound, store::unknown_queue(run.queue));
        }
        if (outcome.kind == store::SubmitKind::Mismatch) {
            throw Error(ErrorCode::InputMismatch,
                        fmt::format("a run with id `{}` exists with another workflow or another input",
                                    outcome.run.id));
        }
        bodies_.submitted_ = true;
        return outcome.run.id;
    }

    void send(const std::string& run_id, std::string_view topic, std::string payload,
              const SendOptions& options) override {
        const model::NewMessage message =
            new_message(run_id, topic, std::move(payload), options, owner_.organization_id, now());
        std::string why;
        if (sql_.send(message, why) == store::SendResult::Refused) throw Error(ErrorCode::InvalidArgument, why);
    }

    const std::string& run_id() const override { return owner_.run_id; }
    Time now() const override { return bodies_.clock_.now(); }

private:
    Bodies& bodies_;
    store::SqlTx& sql_;
    const Owner& owner_;
    int submissions_ = 0;
};

void Bodies::check(std::string_view workflow, const std::string& input, const SubmitOptions& options) const {
    check_new_run(workflows_, workflow, input, options);
}

store::TxBody Bodies::of_step(std::shared_ptr<belay::detail::StepCall> call) {
    const auto& shared = *call->run_shared;
    Owner owner{shared.id, fmt::format("{}:{}", call->path, call->name), shared.organization_id};
    return [this, call = std::move(call), owner = std::move(owner)](store::SqlTx& sql) {
        EngineTx port{*this, sql, owner};
        Tx tx{port};
        const Inside inside{this, Inside::Where::Body};
        std::string output = call->commit(tx);
        if (output.size() > base::kPayloadBytesMax) {
            throw Error(ErrorCode::PayloadTooLarge,
                        fmt::format("step `{}` returned {} bytes of JSON; a checkpoint takes at most {}",
                                    call->name, output.size(), base::kPayloadBytesMax));
        }
        return output;
    };
}

store::TxBody Bodies::on_start(const model::Run& run) {
    const auto workflow = workflows_.find(run.workflow_key);
    if (workflow == workflows_.end()) return {};
    model::Run started = run;
    started.status = RunStatus::Running;
    return of_hook(workflow->second->options.on_start, started, "on_start");
}

store::TxBody Bodies::on_end(const model::Run& run) {
    const auto workflow = workflows_.find(run.workflow_key);
    if (workflow == workflows_.end()) return {};
    return of_hook(workflow->second->options.on_end, run, end_place(run.attempts));
}

store::TxBody Bodies::of_program(std::function<std::string(Tx&)> function, std::string name) {
    return [this, function = std::move(function),
            owner = Owner{std::move(name), "transact", options_.organization_id}](store::SqlTx& sql) {
        EngineTx port{*this, sql, owner};
        Tx tx{port};
        return function(tx);
    };
}

store::TxBody Bodies::of_hook(const Hook& hook, const model::Run& run, std::string place) {
    if (!hook) return {};
    return [this, &hook, info = info_of(run),
            owner = Owner{run.id, std::move(place), run.organization_id}](store::SqlTx& sql) {
        EngineTx port{*this, sql, owner};
        Tx tx{port};
        const Inside inside{this, Inside::Where::Body};
        hook(tx, info);
        return std::string{};
    };
}

}  // namespace belay::engine
