// ingest_files.hpp — `belay ingest`: files through the one door, on a data directory or on a server.
#pragma once

#include <string>
#include <vector>

#include <boost/json/value.hpp>

#include "ingestion/cli/ingest_target.hpp"
#include "service/cli/command.hpp"

namespace belay::cli {

struct IngestFilesOptions {
    std::vector<std::string> files{};  // files, folders, patterns
    std::string type{};                // workflow_type; empty: by content
    bool wait = false;                 // for the runs to end, and print what they found
};

// The files that are meant: a folder stands for all files below it but hidden ones, in order; a pattern (`*.jpg`) that
// the shell did not resolve, for the files it fits. What is neither is given back as it is, to be refused by name.
std::vector<std::string> all_files(const std::vector<std::string>& given);

// What was found, in a few words: "coral reef (93%)", "ICA 129.50 SEK 2026-03-01".
std::string summary_of(const boost::json::value& result);

// One line for each file, in the order given: with `json` printed as soon as it and those before it are done, else a
// table at the end. Failed if any file was refused or any run awaited did not succeed.
ExitCode ingest_files(IngestTarget& target, const IngestFilesOptions& options, bool json,
                      World& world);

}  // namespace belay::cli
