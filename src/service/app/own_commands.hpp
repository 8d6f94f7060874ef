// own_commands.hpp — the commands of an App: those of every server, of its bundles, and the program's own.
#pragma once

#include "service/app/program.hpp"
#include "service/cli/run.hpp"

namespace belay::app {

// `program` outlives them.
cli::AddCommands commands_of(const Program& program);
cli::Names names_of(const Program& program);

}  // namespace belay::app
