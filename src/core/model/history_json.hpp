// history_json.hpp — a run with everything recorded of it, as one document that can be read back.
//
// `belay runs export` writes it and `belay runs replay` runs today's code against it; histories of old
// versions are kept in tests and replayed by every build. So it is versioned, and reading is strict: a
// member that is missing, unknown or of the wrong type is an error, never a guess. Values of the program
// (input, outputs, result, costs) are kept as the text that was recorded, because parsing and writing
// them again could change the last digit of a number.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/model/run.hpp"
#include "core/model/stage.hpp"

namespace belay::model {

struct History {
    Run run{};  // without `no`, which means something in one database only
    std::vector<Stage> stages{};
    std::vector<Attempt> attempts{};
};

// 2 has what came with children, forks and new histories. 1 is still read.
inline constexpr int kHistoryVersion = 2;

// Stages by position, one line each, so that two histories can be compared with diff.
std::string history_json(const History& history);

// Throws Error{BadValue} naming the member, what was expected and what is there.
History read_history(std::string_view json);

}  // namespace belay::model
