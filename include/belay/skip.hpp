// skip.hpp — a stage that will not run, said in so many words.
//
//     co_await belay::skip(ctx, "ai_pipeline", "ocr failed");
//
// A run whose early stage failed for good may still write down what did not happen, do what has to be done at
// the end, and then fail with the first error. Such records belong to the attempt that failed: a retry forgets
// them (model/rewind.hpp) and the stage then runs.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <belay/context.hpp>

namespace belay {

namespace detail {

// A step without a slow part and without a commit part: nothing is called, and its record is `skipped`.
class SkipStep final : public StepCall<void> {
public:
    SkipStep(Context& context, std::string_view name, std::string_view reason)
        : StepCall(context, CallKind::Step, name, {}) {
        found.output = to_json(reason);
        value.emplace();
    }
    void accept(std::string_view) override { value.emplace(); }
};

// How the engine tells: no other step has nothing to call.
inline bool is_skip(const Call& call) {
    const Work* work = call.work();
    return call.kind == CallKind::Step && !work->has_slow_part && !work->has_commit_part;
}

}  // namespace detail

// Records the stage `name` as skipped, with `reason` as its message. Durable when the await returns.
inline Step<void, false> skip(Context& context, std::string_view name, std::string_view reason) {
    return Step<void, false>{std::make_shared<detail::SkipStep>(context, name, reason)};
}

}  // namespace belay
