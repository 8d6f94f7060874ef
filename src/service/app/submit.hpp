// submit.hpp — `NAME submit KEY [JSON|@FILE|-]`: a run, started from a command line.
//
// Over HTTP with --server; by asking the process that executes on the store; and where nobody executes, by this
// process, which has the program's workflows: with --wait it executes until the run is over.
#pragma once

#include "service/app/program.hpp"
#include "service/cli/command.hpp"

namespace belay::app {

void add_submit(CLI::App& app, cli::Session& session, const Program& program);

}  // namespace belay::app
