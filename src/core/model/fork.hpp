// fork.hpp — what a fork keeps of a run: the records before the step where it begins.
//
// Kept is what the code had passed in sequence before that step, and what had succeeded in other branches of
// a fan around it. The stages around it are opened again, and it runs again with all that came after it.
#pragma once

#include <string>
#include <vector>

#include <belay/control.hpp>

#include "core/model/run.hpp"
#include "core/model/stage.hpp"

namespace belay::model {

struct Fork {
    std::string input{};  // JSON
    std::vector<Stage> stages{};
    std::vector<Attempt> attempts{};  // of those
};

// Throws Error{NotFound} for a step that is not recorded, with those that are; {InvalidArgument} for a name
// that stands for several, for JSON that is none, for an output that would be forgotten, and when it is not
// said where to begin; {PayloadTooLarge}.
Fork fork_of(const Run& run, const std::vector<Stage>& stages, const std::vector<Attempt>& attempts,
             const ForkOptions& options);

// The new run. `code_version` is that of the program that makes it.
NewRun forked_run(const Run& run, const Fork& fork, std::string id, std::string code_version);

}  // namespace belay::model
