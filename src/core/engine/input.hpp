// input.hpp — whether an input fits the workflow it is for, and the sentence that says why it does not.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <belay/detail/workflow.hpp>
#include <belay/engine.hpp>

#include "core/engine/workflows.hpp"

namespace belay::engine {

// What the codec says of an input, with whose it is: "the input of WF1_RECEIPT: expected an object, found a number".
std::string input_fault(std::string_view workflow, std::string_view what);

// That sentence, or nothing if it fits. No line of the workflow runs: its coroutine is dropped before its first.
std::optional<std::string> input_problem(const belay::detail::Workflow& workflow,
                                         const std::string& input);

// Throws Error{BadValue} with that sentence. A workflow that is not defined here is not judged.
void check_input(const Workflows& workflows, std::string_view workflow, const std::string& input);

// What a program's code submits, by the C++ types that it has at hand: the same types fit without a look at the input;
// of others the input is read as above, and a result that can never be read as what is asked for (an integer as
// a text) is refused. Throws Error{BadValue}.
void check_types(const Workflows& workflows, const belay::detail::Submission& submission);

}  // namespace belay::engine
