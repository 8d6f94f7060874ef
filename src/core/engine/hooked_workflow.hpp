// hooked_workflow.hpp — a workflow whose hooks are patient, and whose end also does what the engine's owner wants of every end.
#pragma once

#include <memory>
#include <utility>

#include <belay/detail/workflow.hpp>

#include "core/engine/patient_hook.hpp"

namespace belay::engine {

class HookedWorkflow final : public belay::detail::Workflow {
public:
    // `at_end` may be null.
    HookedWorkflow(std::unique_ptr<belay::detail::Workflow> inner, const Hook& at_end,
                   const Log& log)
        : Workflow(inner->key, with(inner->options, at_end, log)), inner_(std::move(inner)) {}

    std::unique_ptr<belay::detail::Invocation> call(Context& context,
                                                    std::string_view input) const override {
        return inner_->call(context, input);
    }
    std::string input_schema() const override { return inner_->input_schema(); }
    std::string output_schema() const override { return inner_->output_schema(); }
    const belay::detail::RunTypes& types() const override { return inner_->types(); }

private:
    static WorkflowOptions with(WorkflowOptions options, const Hook& at_end, const Log& log) {
        if (at_end) {
            options.on_end = [own = std::move(options.on_end), at_end](Tx& tx, const RunInfo& run) {
                if (own) own(tx, run);
                at_end(tx, run);
            };
        }
        if (options.on_start)
            options.on_start = PatientHook("on_start", std::move(options.on_start), log);
        if (options.on_end) options.on_end = PatientHook("on_end", std::move(options.on_end), log);
        return options;
    }

    std::unique_ptr<belay::detail::Workflow> inner_;
};

}  // namespace belay::engine
