// outcome.hpp — what a try left behind, as text that can be compared and shown.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/store/store.hpp"

namespace belay::testing {

struct Outcome {
    std::string end{};  // of the run under test: `succeeded with {"total":3}`
    std::map<std::string, std::string> runs{};    // every run by id: how it ended
    std::map<std::string, std::string> stages{};  // "run / path": `step `charge`: succeeded`
    std::map<std::string, std::vector<std::string>>
        rows{};             // the program's tables: their rows, sorted
    std::string effects{};  // what the caller saw outside
};

// Reads it from a disk on which nothing runs any more.
Outcome read_outcome(store::Store& disk, const std::string& run_id,
                     const std::vector<std::string>& ignore_columns);

// One sentence for each way in which they are not the same.
std::vector<std::string> differences(const Outcome& expected, const Outcome& found);

// Runs that are neither finished nor paused, although nothing can run any more.
std::vector<std::string> stuck_in(const Outcome& outcome);

}  // namespace belay::testing
