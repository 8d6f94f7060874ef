#include "ingestion/web/fetch/fetch.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "ingestion/web/fetch/content_type.hpp"
#include "service/http/date.hpp"
#include "service/http/url.hpp"

namespace belay::web::fetch {
namespace {

constexpr std::size_t kRobotsBytesMax = 500 * 1024;

struct RobotsAreLongEnough {};

// Retried by the step's policy.
[[noreturn]] void rethrow(const http::Failure& failure) {
    using Kind = http::FailureKind;
    switch (failure.kind()) {
        case Kind::BadUrl:
            throw PageRefused(Refusal::BadUrl, failure.what());
        case Kind::RefusedAddress:
            throw PageRefused(
                Refusal::RefusedAddress,
                fmt::format(
                    "{}. If it shall be read, allow its network: `belay serve --fetch-allow "
                    "NETWORK`, or `--allow` of `belay content`",
                    failure.what()));
        case Kind::TooLarge:
            throw PageRefused(Refusal::TooLarge, failure.what());
        case Kind::TooManyRedirects:
            throw PageRefused(Refusal::Redirects, failure.what());
        case Kind::Tls:
            throw PageRefused(Refusal::Tls, failure.what());
        default:
            throw failure;
    }
}

void check_url(const std::string& url) {
    const auto parsed = http::parse_url(url);
    if (!parsed)
        throw PageRefused(Refusal::BadUrl, fmt::format("`{}` is no http or https address", url));
    if (parsed->has_credentials)
        throw PageRefused(
            Refusal::BadUrl,
            fmt::format("the address on {} has a user or password in it", parsed->origin()));
}

void check_status(const http::Response& response, Time now) {
    const int status = response.status;
    if (status >= 200 && status < 300) return;
    const auto message = fmt::format("{}: the server answered {}", response.url, status);
    const bool may_pass = status == 408 || status == 425 || status == 429 || status >= 500;
    if (!may_pass) throw PageRefused(Refusal::Status, message, status);
    if (const auto wait = http::parse_retry_after(response.headers.get("retry-after"), now))
        throw RetryAfter(message, *wait);
    throw std::runtime_error(message);
}

[[noreturn]] void refuse_type(const std::string& url, const std::string& type) {
    throw PageRefused(Refusal::UnsupportedType,
                      fmt::format("{}: {} is neither HTML, Markdown, text nor PDF", url,
                                  type.empty() ? "what it sends" : "`" + type + "`"));
}

http::Request request_for(const std::string& url, const Validators& validators,
                          const FetchOptions& options, std::string& url_now) {
    http::Request request{.url = url,
                          .headers = {{"Accept",
                                       "text/html,application/xhtml+xml,text/markdown,text/"
                                       "plain,application/pdf;q=0.9,*/*;q=0.1"}},
                          .limits = {.connect = options.connect_time_max,
                                     .total = options.time_max,
                                     .body_bytes_max = options.body_bytes_max},
                          .redirects_max = options.redirects_max,
                          .accept_compressed = true};
    if (!validators.etag.empty()) request.headers.add("If-None-Match", validators.etag);
    if (!validators.last_modified.empty())
        request.headers.add("If-Modified-Since", validators.last_modified);
    request.on_headers = [&url_now](int status, const http::Headers& headers) {
        const auto type = parse_content_type(headers.get("content-type"));
        if (status >= 200 && status < 300 && !may_be_page(type)) refuse_type(url_now, type.type);
    };
    return request;
}

}  // namespace

Page fetch_page(http::Client& client, const env::Clock& clock, const std::string& url,
                const Validators& validators, const FetchOptions& options, std::stop_token stop) {
    std::string url_now = url;
    const auto check_allowed = [&](const std::string& next) {
        url_now = next;
        check_url(next);
        if (options.allows && !options.allows(next, stop))
            throw PageRefused(Refusal::Robots,
                              fmt::format("{}: the site's robots.txt asks not to fetch it", next));
    };
    check_allowed(url);
    auto request = request_for(url, validators, options, url_now);
    request.on_redirect = check_allowed;
    http::Response response;
    try {
        response = client.send(request, stop);
    } catch (const http::Failure& failure) {
        rethrow(failure);
    }

    Page page{.final_url = response.url,
              .status = response.status,
              .etag = response.headers.get("etag"),
              .last_modified = response.headers.get("last-modified")};
    if (response.status == 304 && (!validators.etag.empty() || !validators.last_modified.empty())) {
        page.not_modified = true;
        if (page.etag.empty()) page.etag = validators.etag;
        if (page.last_modified.empty()) page.last_modified = validators.last_modified;
        return page;
    }
    check_status(response, clock.now());
    const auto type = parse_content_type(response.headers.get("content-type"));
    const auto kind = kind_of_page(type, response.url, response.body);
    if (!kind) refuse_type(response.url, type.type);
    page.kind = *kind;
    page.content_type = type.type;
    page.charset = type.charset;
    page.body = std::move(response.body);
    return page;
}

RobotsAnswer fetch_robots(http::Client& client, const std::string& url, std::stop_token stop) {
    check_url(url);
    const auto address = http::parse_url(url)->origin() + "/robots.txt";
    RobotsRules rules;
    http::Request request{
        .url = address,
        .limits = {.total = std::chrono::seconds{20}, .body_bytes_max = 64 * 1024 * 1024},
        .redirects_max = 5,
        .accept_compressed = true};
    request.sink = [&](std::span<const std::byte> bytes) {
        const auto room = std::min(bytes.size(), kRobotsBytesMax - rules.text.size());
        rules.text.append(reinterpret_cast<const char*>(bytes.data()), room);
        if (room < bytes.size()) throw RobotsAreLongEnough{};
    };
    try {
        const auto response = client.send(request, stop);
        if (response.status >= 200 && response.status < 300) return rules;
        if (response.status >= 400 && response.status < 500 && response.status != 429)
            return NoRobotsRules{};
        return RobotsUnavailable{};
    } catch (const RobotsAreLongEnough&) {
        return rules;
    } catch (const http::Failure& failure) {
        if (failure.kind() == http::FailureKind::Stopped) throw;
        // What may not be asked for this may not be asked for its pages either, now or later.
        if (failure.kind() == http::FailureKind::RefusedAddress) rethrow(failure);
        return RobotsUnavailable{};
    }
}

}  // namespace belay::web::fetch
