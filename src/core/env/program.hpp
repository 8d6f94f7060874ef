// program.hpp — runs another program and waits for its end.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace belay::env {

// `words` are the program, looked for in PATH, and its arguments; the variables come on top of this process's
// own. It writes where this process writes. Gives its exit code, or 128 and the signal that ended it. Throws
// Error{NotFound} if it cannot be started.
int run_program(const std::vector<std::string>& words,
                const std::vector<std::pair<std::string, std::string>>& variables);

// The file of the program that runs now.
std::string this_program();

}  // namespace belay::env
