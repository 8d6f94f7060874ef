#include "core/engine/fork.hpp"

#include <fmt/format.h>
#include <boost/describe.hpp>

#include <belay/codec.hpp>
#include <belay/error.hpp>

#include "core/engine/new_run.hpp"
#include "core/engine/outside.hpp"
#include "core/model/fork.hpp"

namespace belay::engine {

namespace {

struct ForkRequest {
    std::string from;
    std::optional<std::string> input;
    std::map<std::string, std::string> outputs;
    std::string id;
};
BOOST_DESCRIBE_STRUCT(ForkRequest, (), (from, input, outputs, id))

}  // namespace

store::Submit fork_of(store::Store& store, const std::string& run_id, const ForkOptions& options,
                      std::string id, const std::string& code_version) {
    const auto run = store.find_run(run_id);
    if (!run) throw Error(ErrorCode::NotFound, fmt::format("there is no run with id `{}`", run_id));
    check_run_id(options.id);
    // Otherwise the fork would join that run, and be none.
    if (!options.id.empty() && store.find_run(options.id)) {
        throw Error(
            ErrorCode::InputMismatch,
            fmt::format("run `{}` exists already, and a fork is a new run: choose another id",
                        options.id));
    }
    const auto stages = store.stages(run->no);
    model::Fork fork = model::fork_of(*run, stages, store.attempts(run->no), options);
    store::Submit submit;
    submit.run = model::forked_run(*run, fork, options.id.empty() ? std::move(id) : options.id,
                                   code_version);
    // Nobody has admitted its origin's input, so nobody has admitted this one's.
    if (!options.input && !run->continued_input && run->source_channel.starts_with(kUnadmitted))
        submit.run.source_channel.insert(0, kUnadmitted);
    // Found by what its origin is found by; what its code says from here on is its own.
    if (auto labels = store.labels({run->no}); !labels.empty())
        submit.run.labels = std::move(labels.begin()->second);
    submit.stages = std::move(fork.stages);
    submit.may_be_undone = run->undo != model::UndoState::None;
    submit.attempts = std::move(fork.attempts);
    return submit;
}

bool is_fork_made_for(const store::ControlRequest& request, const model::Run& run) {
    return run.forked_from == request.run_id && run.created_at >= request.created_at;
}

std::string fork_request(const ForkOptions& options) {
    return to_json(ForkRequest{options.from, options.input, options.outputs, options.id});
}

ForkOptions read_fork_request(std::string_view json) {
    auto request = from_json<ForkRequest>(json);
    return {std::move(request.from), std::move(request.input), std::move(request.outputs),
            std::move(request.id)};
}

}  // namespace belay::engine
