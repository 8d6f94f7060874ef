// content_look.hpp — `belay content list|get|search|links|stats`: reads documents, whoever executes there.
#pragma once

#include <string>
#include <vector>

#include "ingestion/documents/document.hpp"
#include "ingestion/documents/links.hpp"
#include "ingestion/documents/search.hpp"
#include "ingestion/objects/store.hpp"
#include "service/cli/command.hpp"

namespace belay::cli {

// What the commands read from; both outlive them. `organization` is whose documents are shown.
struct Library {
    documents::Read read;
    objects::Store& objects;
    std::string organization{};
};

ExitCode list_content(const Library& library, const documents::DocumentFilter& filter, bool json,
                      const Screen& screen);

// --json gives the names of `content extract --json`, and what the row says beside.
ExitCode get_content(const Library& library, const std::string& identifier, bool markdown,
                     bool json, const Screen& screen);

ExitCode show_links(const Library& library, const std::string& identifier,
                    documents::Direction direction, int limit, bool json, const Screen& screen);

ExitCode show_stats(const Library& library, const std::string& model, bool json,
                    const Screen& screen);

ExitCode search_content(documents::SearchIndex& index, const Library& library,
                        const std::string& query, const documents::SearchOptions& options,
                        bool json, const Screen& screen, std::ostream& errors);

}  // namespace belay::cli
