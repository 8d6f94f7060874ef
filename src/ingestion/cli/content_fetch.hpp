// content_fetch.hpp — `belay content fetch` and `index`: pages become documents, on a data directory that nobody else
// executes on, or by a server.
//
// What a killed command left unfinished goes on with the next one: nothing that was fetched is fetched again.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ingestion/cli/web_documents.hpp"
#include "service/cli/command.hpp"

namespace belay::cli {

struct FetchCommand {
    std::vector<std::string> urls{};
    std::string file{};  // one address on each line, # comments; "-": standard input
    std::string
        include{};  // only addresses like this; without addresses: of the documents that are known
    std::size_t limit = 0;  // 0: all
    std::size_t concurrency = 5;
    bool refetch = false;
    bool index = false;
    bool dry_run = false;
    bool yes = false;
    std::vector<std::string> allow{};
    bool ignore_robots = false;
    std::string interval{};
};

// One line for each document, in the order given, as soon as it and those before it are done. Failed if any run did.
ExitCode fetch_documents(const Place& place, const FetchCommand& command, bool json, World& world);

struct IndexCommand {
    std::vector<std::string> documents{};  // ids, beginnings of ids, addresses
    std::string include{};
    bool all = false;
    bool force = false;
    std::size_t limit = 0;
    std::size_t concurrency = 5;
};
ExitCode index_documents(const Place& place, const IndexCommand& command, bool json, World& world);

// The same by a server, which decides how many at a time, and where from.
ExitCode fetch_by_server(ServerClient& remote, const FetchCommand& command, bool json,
                         World& world);
ExitCode index_by_server(ServerClient& remote, const IndexCommand& command, bool json,
                         World& world);

}  // namespace belay::cli
