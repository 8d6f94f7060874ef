#include "core/store/child_end.hpp"

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/base/limits.hpp"

namespace belay::store {

namespace {

void fail(model::Stage& stage, ErrorCode code, std::string message, Time now) {
    stage.status = StageStatus::Failed;
    stage.finished_at = now;
    stage.next_attempt_at.reset();
    stage.error_code = to_string(code);
    stage.message = std::move(message);
}

}  // namespace

bool record_child_end(model::Stage& stage, const std::string& child_id,
                      const std::optional<model::Run>& child, Time now) {
    if (!child) {
        fail(stage, ErrorCode::NotFound,
             fmt::format("the run `{}` that it waited for does not exist any more: it was deleted",
                         child_id),
             now);
        return true;
    }
    if (!is_finished(child->status)) return false;
    if (child->status == RunStatus::Succeeded) {
        stage.status = StageStatus::Succeeded;
        stage.finished_at = now;
        stage.next_attempt_at.reset();
        stage.output = child->result.value_or("null");
        return true;
    }
    const std::string why = child->failure ? child->failure->message : "";
    const bool canceled = child->status == RunStatus::Canceled;
    fail(stage, canceled ? ErrorCode::RunCanceled : ErrorCode::RunFailed,
         fmt::format("child `{}` {}{}{}", child_id, canceled ? "was canceled" : "failed",
                     why.empty() ? "" : ": ", why),
         now);
    return true;
}

void record_mismatch(model::Stage& stage, const std::string& child_id, Time now) {
    fail(stage, ErrorCode::InputMismatch,
         fmt::format(
             "a run `{}` exists with another workflow or another input; give the child another id",
             child_id),
         now);
}

std::string unknown_queue(const std::string& queue) {
    return fmt::format(
        "there is no queue `{}`: make it with engine.queue(\"{}\", limits) or `belay queues set "
        "{}`, or "
        "submit without a queue",
        queue, queue, queue);
}

void record_unknown_queue(model::Stage& stage, const std::string& queue, Time now) {
    fail(stage, ErrorCode::NotFound, unknown_queue(queue), now);
}

std::string refuses_message(const std::optional<model::Run>& run,
                            const model::NewMessage& message) {
    // As if it did not exist: nobody learns of other organizations' runs.
    if (run && run->organization_id != message.organization_id) {
        return fmt::format("there is no run `{}` in organization `{}`", message.run_id,
                           message.organization_id);
    }
    if (run && is_finished(run->status)) {
        return fmt::format("run `{}` has ended as {}: nobody will read the message", message.run_id,
                           to_string(run->status));
    }
    return "";
}

std::optional<Time> expiry_of(const std::optional<model::Run>& run,
                              const model::NewMessage& message, Time now) {
    if (run || message.expires_at) return message.expires_at;
    return now + base::kMessageForNobodyMax;
}

std::string too_many_unread(const std::string& run_id) {
    return fmt::format(
        "run `{}` has {} unread messages, which is the most; it does not receive, or receives "
        "other "
        "topics",
        run_id, base::kUnreadMessagesMax);
}

}  // namespace belay::store
