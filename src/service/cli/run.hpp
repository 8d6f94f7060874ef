// run.hpp — the `belay` command line.
//
// It only reads stores, and asks the process that executes there; so it works beside a running program,
// and on the file of one that is gone.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "service/cli/command.hpp"

namespace belay::cli {

// Puts an application's own commands beside those of this room.
using AddCommands = std::function<void(CLI::App& app, Session& session)>;

// Whose command line it is. A program's name is in its help, its messages, its variables (SHOP_DATA) and its folder
// (./shop-data).
struct Names {
    std::string program = "belay";
    std::string summary = "Belay: durable workflows. Serves, looks at runs and acts on them.";
    std::string version{};  // of the program; may be empty
};

// The process's own: arguments, standard output, environment and clock. Gives what main() returns.
int run(int argc, const char* const* argv, const AddCommands& more = {}, const Names& names = {});

// `words` without the program's name.
ExitCode run(const std::vector<std::string>& words, World& world, const AddCommands& more = {},
             const Names& names = {});

}  // namespace belay::cli
