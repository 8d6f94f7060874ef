// ingest_files.hpp — `belay ingest`: files through the one door, on a data directory that nobody else executes on.
#pragma once

#include <string>
#include <vector>

#include "cli/command.hpp"

namespace belay::cli {

struct IngestFilesOptions {
    std::vector<std::string> files{};  // a folder stands for the files in it
    std::string type{};                // workflow_type; empty: by content
    bool wait = false;                 // for the runs to end, and print what they found
};

// One line for each file, in the order given, printed when it and those before it are done. Failed if any file was
// refused or any run awaited did not succeed. Throws Error{StoreLocked} if a server runs there.
ExitCode ingest_files(const Place& place, const IngestFilesOptions& options, bool json,
                      World& world);

}  // namespace belay::cli
