#include "core/engine/inside.hpp"

#include <fmt/format.h>

#include <belay/error.hpp>

namespace belay::engine {

thread_local const Inside* Inside::innermost_ = nullptr;

void Inside::refuse(const void* engine, std::string_view what) {
    for (const Inside* inside = innermost_; inside != nullptr; inside = inside->before_) {
        if (inside->engine_ != engine) continue;
        throw Error(
            ErrorCode::InvalidArgument,
            inside->where_ == Where::Body
                ? fmt::format(
                      "{} was called inside a transaction body, a commit part or a hook of the "
                      "same "
                      "engine, which would wait for itself. Start runs with Tx::submit; anything "
                      "else belongs into a step.",
                      what)
                : fmt::format(
                      "{} was called by a workflow's own code between its steps, where it would "
                      "wait for itself and is no checkpoint. To start a run, co_await ctx.start(…), to "
                      "await one, ctx.child; in a transaction, Tx::submit. Anything else belongs "
                      "into a step.",
                      what));
    }
}

}  // namespace belay::engine
