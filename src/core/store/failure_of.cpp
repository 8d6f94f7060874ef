#include "core/store/failure_of.hpp"

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/base/limits.hpp"
#include "core/base/utf8.hpp"
#include "core/store/sealed_text.hpp"

namespace belay::store {

namespace {

model::Failure failure(ErrorCode code, std::string_view message) {
    model::Failure f;
    f.code = to_string(code);
    f.message = base::truncate(base::to_valid_utf8(message), base::kMessageCharsMax);
    return f;
}

}  // namespace

model::Failure failure_of(const std::exception_ptr& error) {
    try {
        std::rethrow_exception(error);
    } catch (const Error& e) {
        return failure(e.code(), e.what());
    } catch (const std::exception& e) {
        return failure(ErrorCode::RunFailed, e.what());
    } catch (...) {
        return failure(ErrorCode::RunFailed, "something that is no std::exception was thrown");
    }
}

void add_end_failure(model::Failure& failure, const std::exception_ptr& of_hook) {
    const std::string also = failure_of(of_hook).message;
    failure.message += known_by(also) == known_by(failure.message)
                           ? " (its on_end hook failed the same way)"
                           : fmt::format(" (and its on_end hook failed: {})", also);
}

bool is_crash_loop(const model::Run& run, std::int64_t charges_max) {
    if (run.charges < charges_max) return false;
    return !run.cancel_requested || run.charges / 2 >= charges_max;
}

model::Failure crash_loop(const model::Run& run) {
    const bool has_begun = run.current_stage != "queued";
    return {
        .code = std::string(to_string(ErrorCode::CrashLoop)),
        .message = fmt::format(
            "crash loop: its own code was executing in {} processes that died, without a new "
            "checkpoint in between{}. The deaths of the run say when and how; put the step right, "
            "then resume it",
            run.charges, has_begun ? fmt::format("; last in step `{}`", run.current_stage) : ""),
        .stage = has_begun ? run.current_stage : "",
        .path = {}};
}

}  // namespace belay::store
