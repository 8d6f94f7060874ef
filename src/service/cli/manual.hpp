// manual.hpp — what the command line says of itself to a shell and to `man`.
//
// Made from the commands as they are, so it holds for every App and is never older than the program.
#pragma once

#include <string>

#include "service/cli/command.hpp"

namespace belay::cli {

// `NAME completion bash|zsh|fish`.
void add_completion(CLI::App& app, Session& session);

// A page for man(1), in roff: `NAME help --man`. `version` stands at its foot.
std::string man_page(const CLI::App& app, const std::string& version);

}  // namespace belay::cli
