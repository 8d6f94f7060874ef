#include "core/engine/refusals.hpp"

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/base/limits.hpp"

namespace belay::engine {

std::string guard_refusal(std::string_view prefix, std::string_view run_id,
                          std::string_view workflow_key) {
    return fmt::format(
        "this code is for workflows `{}…`, and run `{}` is of `{}`: it was sent to the wrong code. "
        "Nothing was done for it here; define `{}` with its own code, or submit it under a key "
        "that "
        "begins with `{}`.",
        prefix, run_id, workflow_key, workflow_key, prefix);
}

void check_continue(const Context& context, const std::string& input) {
    if (!belay::detail::ContextAccess::is_own_code(context)) {
        throw Error(ErrorCode::InvalidArgument,
                    "continue_as_new was called inside a scope or a branch; what is under way "
                    "beside it would be "
                    "lost. Return from it, and call continue_as_new from the workflow's own code.");
    }
    if (input.size() > base::kPayloadBytesMax) {
        throw Error(
            ErrorCode::PayloadTooLarge,
            fmt::format(
                "continue_as_new was given {} bytes of JSON; a run's input takes at most {}. Keep "
                "large data in a file and pass its name.",
                input.size(), base::kPayloadBytesMax));
    }
}

void check_start(belay::detail::Call& call) {
    if (call.kind != belay::detail::CallKind::Transaction) return;
    if (call.started_child() == nullptr || belay::detail::ContextAccess::is_own_code(*call.context))
        return;
    throw Error(ErrorCode::InvalidArgument,
                fmt::format("`{}` was started inside a scope or a branch, and this run's end is to "
                            "wait for it: start it from the workflow's own code, or await it with "
                            "ctx.child.",
                            call.name));
}

}  // namespace belay::engine
