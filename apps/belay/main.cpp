// main.cpp — the `belay` binary; cli/run.hpp is the command line.
#include "cli/run.hpp"

int main(int argc, char** argv) { return belay::cli::run(argc, argv); }
