// fetch.hpp — one page from the web: the work of the step `fetch_content`.
//
// Everything that the web can do to us has a limit: time, size, redirects, where they lead. What cannot get
// better is PageRefused; a server that says when to come back is RetryAfter; the rest is an error that the
// step's policy retries.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>

#include "core/env/clock.hpp"
#include "ingestion/web/fetch/page.hpp"
#include "service/http/client.hpp"

namespace belay::web::fetch {

struct FetchOptions {
    Duration connect_time_max = std::chrono::seconds{10};
    Duration time_max = std::chrono::minutes{1};
    std::uint64_t body_bytes_max = 32 * 1024 * 1024;
    int redirects_max = 10;

    // Whether the site lets us have this address: asked for the page and for every redirect's target. Without
    // one everything is allowed.
    std::function<bool(const std::string& url, std::stop_token stop)> allows{};
};

// `client` should be one whose address policy is public_only(). Blocks; any thread.
Page fetch_page(http::Client& client, const env::Clock& clock, const std::string& url,
                const Validators& validators = {}, const FetchOptions& options = {},
                std::stop_token stop = {});

// A site's robots.txt, as RFC 9309 wants it taken.
struct RobotsRules {
    std::string text;  // the first 500 KiB
};
struct NoRobotsRules {};      // 4xx: everything is allowed
struct RobotsUnavailable {};  // 5xx or no answer: nothing is allowed now
using RobotsAnswer = std::variant<RobotsRules, NoRobotsRules, RobotsUnavailable>;

// Of the site that `url` is on. Only a stop, an address that is none, and one that may not be asked (PageRefused) throw.
RobotsAnswer fetch_robots(http::Client& client, const std::string& url, std::stop_token stop = {});

}  // namespace belay::web::fetch
