#include "ingestion/web/source/robots_cache.hpp"

#include <fmt/format.h>

#include <belay/error.hpp>

#include "ingestion/web/fetch/fetch.hpp"
#include "ingestion/web/url.hpp"

namespace belay::web::source {

namespace {

using namespace std::chrono_literals;

constexpr Duration kKeep = 1h;           // RFC 9309: not longer than a day
constexpr Duration kKeepFailure = 1min;  // and what could not be had may be there soon
constexpr std::size_t kSitesMax = 10'000;

std::string origin_of(const Url& url) {
    return fmt::format("{}://{}:{}", url.scheme, url.host, url.port_or_default());
}

std::string target_of(const Url& url) {
    return url.has_query ? url.path + "?" + url.query : url.path;
}

Url parsed(const std::string& url) {
    auto parts = parse_url(url);
    if (!parts || !parts->is_web())
        throw NonRetryable(fmt::format("`{}` is no http or https address", url));
    return *std::move(parts);
}

}  // namespace

bool RobotsCache::allows(const std::string& url, const std::stop_token& stop) {
    const Url parts = parsed(url);
    const auto site = site_of(origin_of(parts));
    const std::lock_guard lock{site->mutex};
    if (clock_.now() >= site->until) refresh(*site, url, stop);
    if (!site->rules) {
        throw RetryAfter(
            fmt::format("{}: the site's robots.txt cannot be had now, so nothing may be fetched",
                        origin_of(parts)),
            std::chrono::ceil<Duration>(site->until - clock_.now()));
    }
    return site->rules->allows(target_of(parts));
}

std::optional<Duration> RobotsCache::crawl_delay(const std::string& url) {
    const auto site = site_of(origin_of(parsed(url)));
    const std::lock_guard lock{site->mutex};
    if (!site->rules || !site->rules->crawl_delay()) return std::nullopt;
    return Duration{static_cast<Duration::rep>(*site->rules->crawl_delay() * 1000)};
}

std::vector<std::string> RobotsCache::sitemaps(const std::string& url,
                                               const std::stop_token& stop) {
    const auto site = site_of(origin_of(parsed(url)));
    const std::lock_guard lock{site->mutex};
    if (clock_.now() >= site->until) refresh(*site, url, stop);
    return site->rules ? site->rules->sitemaps() : std::vector<std::string>{};
}

std::shared_ptr<RobotsCache::Site> RobotsCache::site_of(const std::string& origin) {
    const std::lock_guard lock{mutex_};
    auto& site = sites_[origin];
    if (!site) {
        site = std::make_shared<Site>();
        // Any other will do: what is dropped is asked for again.
        if (sites_.size() > kSitesMax) {
            const auto first = sites_.begin();
            sites_.erase(first->first == origin ? std::next(first) : first);
        }
        return sites_[origin];
    }
    return site;
}

void RobotsCache::refresh(Site& site, const std::string& url, const std::stop_token& stop) {
    const auto answer = fetch::fetch_robots(client_, url, stop);
    if (const auto* rules = std::get_if<fetch::RobotsRules>(&answer)) {
        site.rules = Robots{rules->text, kAgent};
    } else if (std::holds_alternative<fetch::NoRobotsRules>(answer)) {
        site.rules = Robots{};
    } else {
        site.rules.reset();
    }
    site.until = clock_.now() + (site.rules ? kKeep : kKeepFailure);
}

}  // namespace belay::web::source
