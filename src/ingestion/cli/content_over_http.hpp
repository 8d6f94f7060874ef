// content_over_http.hpp — `belay content … --server`: the same commands, asked of a server.
#pragma once

#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "ingestion/documents/document.hpp"
#include "ingestion/documents/search.hpp"
#include "service/cli/command.hpp"

namespace belay::cli {

// Asks for each address, waits for the runs, and prints as fetch_documents does.
ExitCode remote_fetch(ServerClient& remote, const std::vector<std::string>& urls, bool index,
                      bool refetch, bool json, World& world);

// The rows of GET /api/documents whose addresses are like the glob, newest first.
std::vector<boost::json::object> remote_documents(const ServerClient& remote,
                                                  const std::string& include);

ExitCode remote_list(const ServerClient& remote, const documents::DocumentFilter& filter, bool json,
                     const Screen& screen);
ExitCode remote_get(const ServerClient& remote, const std::string& identifier, bool markdown,
                    bool json, const Screen& screen);
ExitCode remote_links(const ServerClient& remote, const std::string& identifier,
                      const std::string& direction, int limit, bool json, const Screen& screen);
ExitCode remote_search(const ServerClient& remote, const std::string& query,
                       const documents::SearchOptions& options, bool json, const Screen& screen);

}  // namespace belay::cli
