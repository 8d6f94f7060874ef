// awaited.hpp — what open stages of a run wait for: messages, other runs, the branches of a fan.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/model/stage.hpp"

namespace belay::model {

// It is open and waits for a message or for another run.
bool waits_outside(const Stage& stage);

// The id of the run that a stage of kind Child waits for; empty if it has ended or does not say.
std::string awaited_child(const Stage& stage);
std::vector<std::string> awaited_children(const std::vector<Stage>& stages);

// The innermost fan around a stage that has not ended.
struct OpenFan {
    const Stage* fan = nullptr;
    std::int64_t size = 0;
    std::int64_t ended = 0;           // of its branches
    std::vector<std::string> open{};  // names of those that have begun and not ended, the first few
};
std::optional<OpenFan> fan_around(const std::vector<Stage>& stages, const Stage& inside);

}  // namespace belay::model
