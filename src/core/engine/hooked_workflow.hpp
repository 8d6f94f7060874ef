// hooked_workflow.hpp — a workflow whose end also does what the engine's owner wants of every end.
#pragma once

#include <memory>
#include <utility>

#include <belay/detail/workflow.hpp>

namespace belay::engine {

class HookedWorkflow final : public belay::detail::Workflow {
public:
    HookedWorkflow(std::unique_ptr<belay::detail::Workflow> inner, const Hook& at_end)
        : Workflow(inner->key, with(inner->options, at_end)), inner_(std::move(inner)) {}

    std::unique_ptr<belay::detail::Invocation> call(Context& context,
                                                    std::string_view input) const override {
        return inner_->call(context, input);
    }
    std::string input_schema() const override { return inner_->input_schema(); }
    std::string output_schema() const override { return inner_->output_schema(); }
    const belay::detail::RunTypes& types() const override { return inner_->types(); }

private:
    static WorkflowOptions with(WorkflowOptions options, const Hook& at_end) {
        options.on_end = [own = std::move(options.on_end), at_end](Tx& tx, const RunInfo& run) {
            if (own) own(tx, run);
            at_end(tx, run);
        };
        return options;
    }

    std::unique_ptr<belay::detail::Workflow> inner_;
};

}  // namespace belay::engine
