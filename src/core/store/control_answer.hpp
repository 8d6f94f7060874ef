// control_answer.hpp — what every store answers to a control that changes nothing, and what it records of one
// that does.
#pragma once

#include <string>
#include <utility>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/model/transitions.hpp"
#include "core/store/batch.hpp"

namespace belay::store {

// Why a run is canceled or paused, when someone asked for it.
inline model::Failure on_request(ErrorCode code, const std::string& reason) {
    return {.code = std::string(to_string(code)), .message = reason, .stage = {}, .path = {}};
}

inline void refuse(Control& verb, std::string why) {
    verb.outcome = ControlResult::Refused;
    verb.why = std::move(why);
}

inline std::string cannot_become(const model::Run& run, RunStatus to) {
    return fmt::format("the run is {} and cannot become {}", to_string(run.status), to_string(to));
}

// Of a cancel. Empty: it may be canceled that way.
inline std::string refuses_cancel(const Control& verb, const model::Run& run) {
    if (!model::may_follow(run.status, RunStatus::Canceled))
        return cannot_become(run, RunStatus::Canceled);
    if (!run.undo_plan || verb.kind == ControlKind::Leave) return {};
    return "it is being undone already; a cancel with undo = false leaves what is left of it as it "
           "is";
}

// A cancel that a worker has to carry out, because something is to be undone, or its plan says how it ends.
inline bool is_for_worker(const Control& verb, const model::Run& run) {
    if (run.status == RunStatus::Running || run.undo_plan) return true;
    return verb.kind != ControlKind::Leave && run.undo == model::UndoState::Ready;
}

inline bool is_stuck_in_undo(const model::Run& run) {
    return run.failure && run.failure->code == to_string(ErrorCode::UndoFailed);
}

}  // namespace belay::store
