// content_map.hpp — `belay content map`: which pages a site has, by what it says itself.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ingestion/web/source/http_source.hpp"
#include "service/cli/command.hpp"

namespace belay::cli {

struct MapCommand {
    std::string url{};
    std::string include{};
    std::size_t limit = 1'000;
    bool dry_run = false;  // lists, and keeps nothing
    std::vector<std::string> allow{};
    bool ignore_robots = false;
};
// The pages that a site lists (robots.txt, sitemaps, feeds), kept as documents that are NOT_FETCHED: by the process that
// executes there, or here if none does.
ExitCode map_site(const Session& session, const MapCommand& command);

struct SiteMap {
    std::vector<std::string> urls{};   // normalised, each once, in the order of the site
    std::string method{};              // "sitemap", or "links" if the site has none
    std::vector<std::string> notes{};  // sitemaps that could not be read, and why
};

// Reads robots.txt, the sitemaps it names or the usual ones, and those that they name; without any, the links of the
// page itself. Pages of other sites are left out.
SiteMap read_site(web::source::HttpSource& source, const std::string& url,
                  const std::string& include, std::size_t limit);

}  // namespace belay::cli
