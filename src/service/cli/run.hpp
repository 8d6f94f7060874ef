// run.hpp — the `belay` command line.
//
// It only reads stores, and asks the process that executes there; so it works beside a running program,
// and on the file of one that is gone.
#pragma once

#include <string>
#include <vector>

#include "service/cli/command.hpp"

namespace belay::cli {

// Puts an application's own commands beside those of this room.
using AddCommands = void (*)(CLI::App& app, Session& session);

// The process's own: arguments, standard output, environment and clock. Gives what main() returns.
int run(int argc, const char* const* argv, AddCommands more = nullptr);

// `words` without the program's name.
ExitCode run(const std::vector<std::string>& words, World& world, AddCommands more = nullptr);

}  // namespace belay::cli
