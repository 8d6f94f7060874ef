// robots_cache.hpp — what sites allow, asked once an hour instead of once a page.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/env/clock.hpp"
#include "ingestion/web/robots.hpp"
#include "service/http/client.hpp"

namespace belay::web::source {

// The name that robots.txt files know us by.
inline constexpr std::string_view kAgent = "belay";

// All functions may be called from any thread; of one site one file is asked for at a time.
class RobotsCache {
public:
    // `client` and `clock` outlive this.
    RobotsCache(http::Client& client, const env::Clock& clock) : client_(client), clock_(clock) {}

    // Whether the site lets us have `url`, an http(s) address. Throws RetryAfter while its robots.txt cannot be
    // had: RFC 9309 says that nothing is allowed then.
    bool allows(const std::string& url, const std::stop_token& stop);

    // What the site asks to have between two requests; nothing if it does not say. Asks nobody: as of the last
    // answer of allows().
    std::optional<Duration> crawl_delay(const std::string& url);

    // The sitemaps that the site's robots.txt names; none if it cannot be had.
    std::vector<std::string> sitemaps(const std::string& url, const std::stop_token& stop);

private:
    struct Site {
        std::mutex mutex;
        std::optional<Robots> rules{};  // nothing: they could not be had
        Time until{};                   // when to ask again
    };

    std::shared_ptr<Site> site_of(const std::string& origin);
    void refresh(Site& site, const std::string& url, const std::stop_token& stop);

    http::Client& client_;
    const env::Clock& clock_;
    std::mutex mutex_;
    std::map<std::string, std::shared_ptr<Site>>
        sites_;  // shared: whoever asks holds it while it may be dropped
};

}  // namespace belay::web::source
