// control_answer.hpp — what every store answers to a control that changes nothing, and what it records of one
// that does.
#pragma once

#include <string>
#include <utility>

#include <fmt/format.h>

#include <belay/error.hpp>

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

}  // namespace belay::store
