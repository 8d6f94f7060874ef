// refusals.hpp — what a workflow's code is told when it asks for what cannot be: the same live and in a
// replay.
#pragma once

#include <string>
#include <string_view>

#include <belay/context.hpp>

namespace belay::engine {

// Why ctx.expects(prefix) throws in that run.
std::string guard_refusal(std::string_view prefix, std::string_view run_id,
                          std::string_view workflow_key);

// Whether ctx.continue_as_new may stand there: throws Error{InvalidArgument}, {PayloadTooLarge}.
void check_continue(const Context& context, const std::string& input);

// Whether a run may be started there whose end its parent's end waits for: inside a scope or a branch a replay would not
// come by it again. Throws Error{InvalidArgument}.
void check_start(belay::detail::Call& call);

}  // namespace belay::engine
