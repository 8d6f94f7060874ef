#include "ingestion/web/source/http_source.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "ingestion/web/url.hpp"

namespace belay::web::source {

namespace {
// Whoever wants a file is no step that could come back later.
constexpr Duration kFileWaitMax = std::chrono::minutes{5};
}  // namespace

HttpSource::HttpSource(http::Client& client, Helpers helpers, const env::Clock& clock,
                       env::Pause& pause, HttpSourceOptions options)
    : client_(client), clock_(clock), options_(std::move(options)), robots_(client, clock),
      gate_(clock, pause), reader_(helpers) {
    options_.limits.allows = [this](const std::string& url, const std::stop_token& stop) {
        return allows(url, stop, HostGate::kWaitMax);
    };
}

Got HttpSource::fetch(Attempt& attempt, const Wanted& wanted) {
    const fetch::Page page = get(wanted.url, wanted.known, attempt.stop_token());
    Got got;
    got.unchanged = page.not_modified;
    got.final_url = page.final_url;
    got.version = {page.etag, page.last_modified};
    if (got.unchanged) return got;
    got.kind = to_string(page.kind);
    got.bytes = static_cast<std::int64_t>(page.body.size());
    attempt.progress(1, 2, "the page is here");
    got.article = reader_.read(page, wanted.organization, attempt.stop_token());
    attempt.progress(2, 2, "its text is read");
    return got;
}

fetch::Page HttpSource::get(const std::string& url, const fetch::Validators& known,
                            std::stop_token stop) {
    return fetch::fetch_page(client_, clock_, url, known, options_.limits, std::move(stop));
}

std::optional<std::string> HttpSource::get_file(const std::string& url, std::uint64_t bytes_max,
                                                std::stop_token stop) {
    const auto check = [&](const std::string& next) {
        if (!allows(next, stop, kFileWaitMax))
            throw fetch::PageRefused(
                fetch::Refusal::Robots,
                fmt::format("{}: the site's robots.txt asks not to fetch it", next));
    };
    check(url);
    http::Request request{.url = url,
                          .limits = {.connect = options_.limits.connect_time_max,
                                     .total = options_.limits.time_max,
                                     .body_bytes_max = bytes_max},
                          .redirects_max = options_.limits.redirects_max,
                          .accept_compressed = true};
    request.on_redirect = check;
    http::Response response = client_.send(request, stop);
    if (response.status >= 400 && response.status < 500) return std::nullopt;
    if (response.status != 200)
        throw std::runtime_error(fmt::format("{}: the server answered {}", url, response.status));
    return std::move(response.body);
}

// Asked for the page and for every redirect's target: also where a redirect leads waits for its turn.
bool HttpSource::allows(const std::string& url, const std::stop_token& stop, Duration wait_max) {
    if (options_.obey_robots && !robots_.allows(url, stop)) return false;
    const auto parts = parse_url(url);
    const std::string host = parts ? parts->host : "";
    if (options_.is_own && options_.is_own(host)) return true;
    Duration interval = options_.interval;
    if (options_.obey_robots)
        interval = std::max(interval, robots_.crawl_delay(url).value_or(Duration::zero()));
    gate_.enter(host, url, interval, stop, wait_max);
    return true;
}

}  // namespace belay::web::source
