// robots.hpp — what a site's robots.txt allows (RFC 9309).
//
// Whether there is a file at all, and what its absence or an error means, is the fetcher's business:
// a 4xx means no rules (`Robots{}`), a 5xx means that nothing may be fetched now.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace belay::web {

// RFC 9309 asks for at least this much to be read; what follows is ignored.
inline constexpr std::size_t kRobotsBytesMax = 500 * 1024;

class Robots {
public:
    // Everything is allowed.
    Robots() = default;
    // The rules of `text` for a crawler that calls itself `agent` ("belay"): those of the groups that
    // name it, or else those for "*". Lines that make no sense are skipped.
    Robots(std::string_view text, std::string_view agent);

    // Whether the path (with its query, as in the request line) may be fetched: the longest rule that
    // matches decides, and allow wins over disallow of the same length.
    bool allows(std::string_view path_and_query) const;
    // Seconds between requests that the site asks for; at most a day.
    std::optional<double> crawl_delay() const { return crawl_delay_; }
    // Sitemaps that the file names, for any agent.
    const std::vector<std::string>& sitemaps() const { return sitemaps_; }

private:
    struct Rule {
        std::string pattern{};
        bool allow = false;
    };
    std::vector<Rule> rules_{};
    std::optional<double> crawl_delay_{};
    std::vector<std::string> sitemaps_{};
};

}  // namespace belay::web
