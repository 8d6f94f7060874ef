// main.cpp — the `belay` binary: the command line of service/cli/run.hpp with the application's commands.
#include "ingestion/cli/commands.hpp"
#include "service/cli/run.hpp"

int main(int argc, char** argv) { return belay::cli::run(argc, argv, belay::cli::add_ingestion); }
