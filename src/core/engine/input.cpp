#include "core/engine/input.hpp"

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/engine/dry_run.hpp"

namespace belay::engine {

std::string input_fault(std::string_view workflow, std::string_view what) {
    constexpr std::string_view kWhole = "$: ";
    if (what.starts_with(kWhole)) what.remove_prefix(kWhole.size());
    return fmt::format("the input of {}: {}", workflow, what);
}

std::optional<std::string> input_problem(const belay::detail::Workflow& workflow,
                                         const std::string& input) {
    model::History nothing;
    nothing.run.workflow_key = workflow.key;
    nothing.run.input = input;
    return DryRun{workflow, nothing}.input_problem();
}

void check_input(const Workflows& workflows, std::string_view workflow, const std::string& input) {
    const auto found = workflows.find(workflow);
    if (found == workflows.end()) return;
    if (auto problem = input_problem(*found->second, input))
        throw Error(ErrorCode::BadValue, *problem);
}

}  // namespace belay::engine
