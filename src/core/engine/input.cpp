#include "core/engine/input.hpp"

#include <algorithm>
#include <typeinfo>
#include <vector>

#include <fmt/format.h>
#include <boost/json.hpp>

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

namespace {

// The kinds of JSON that a schema's outermost level allows; empty: any.
std::vector<std::string> kinds(const std::string& schema) {
    const boost::json::value read = boost::json::parse(schema);
    const auto* object = read.if_object();
    const auto* type = object == nullptr ? nullptr : object->if_contains("type");
    std::vector<std::string> found;
    if (type == nullptr) return found;
    const auto add = [&found](const boost::json::value& one) {
        // Whole numbers are read as others, and the other way round if they have no fraction.
        if (const auto* text = one.if_string())
            found.emplace_back(*text == "integer" ? "number" : *text);
    };
    if (const auto* several = type->if_array())
        for (const auto& one : *several) add(one);
    else
        add(*type);
    return found;
}

std::string listed(const std::vector<std::string>& kinds) {
    std::string text;
    for (const std::string& kind : kinds) text += (text.empty() ? "" : " or ") + kind;
    return text;
}

}  // namespace

void check_types(const Workflows& workflows, const belay::detail::Submission& submission) {
    const belay::detail::Workflow& workflow = *workflows.find(submission.workflow)->second;
    const belay::detail::RunTypes& defined = workflow.types();
    const belay::detail::RunTypes& asked = *submission.types;
    // A workflow without input reads none, whatever it is given.
    if (*asked.input != *defined.input && *defined.input != typeid(void)) {
        if (auto problem = input_problem(workflow, submission.input))
            throw Error(ErrorCode::BadValue, *problem);
    }
    if (*asked.result == *defined.result || asked.result_schema == nullptr) return;
    const auto gives = kinds(workflow.output_schema());
    const auto wanted = kinds(asked.result_schema());
    const auto may_be = [&wanted](const std::string& kind) {
        return std::ranges::find(wanted, kind) != wanted.end();
    };
    if (gives.empty() || wanted.empty() || std::ranges::any_of(gives, may_be)) return;
    throw Error(ErrorCode::BadValue, fmt::format("workflow {} gives {}, and its result is asked "
                                                 "for as {}: submit it as belay::Run of the "
                                                 "type that it returns",
                                                 workflow.key, listed(gives), listed(wanted)));
}

}  // namespace belay::engine
