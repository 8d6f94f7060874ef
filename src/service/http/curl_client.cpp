#include "service/http/curl_client.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <chrono>
#include <csignal>

#include <fmt/format.h>

#include "core/base/assert.hpp"
#include "service/http/curl_channel.hpp"
#include "service/http/curl_hop.hpp"
#include "service/http/url.hpp"

namespace belay::http {
namespace {

struct Global {
    Global() {
        BELAY_ASSERT(curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK);
        // OpenSSL writes to sockets that may be gone, and libcurl in a program with threads does not guard it:
        // the default action would end the process. A program that handles the signal keeps its handler.
        struct sigaction now {};
        if (::sigaction(SIGPIPE, nullptr, &now) == 0 && now.sa_handler == SIG_DFL)
            std::signal(SIGPIPE, SIG_IGN);
    }
};

}  // namespace

class CurlClient::Lease {
public:
    Lease(CurlClient& client, const std::string& origin)
        : client_(client), channel_(client.take(origin)) {}
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() { client_.give_back(std::move(channel_)); }

    CurlChannel& operator*() const { return *channel_; }

private:
    CurlClient& client_;
    std::unique_ptr<CurlChannel> channel_;
};

CurlClient::CurlClient(CurlOptions options) : options_(std::move(options)) {
    static const Global once;
}

CurlClient::~CurlClient() = default;

std::unique_ptr<CurlChannel> CurlClient::take(const std::string& origin) {
    const std::lock_guard lock{mutex_};
    const auto found = std::find_if(idle_.rbegin(), idle_.rend(), [&](const auto& channel) {
        return channel->origin() == origin;
    });
    if (found == idle_.rend()) return std::make_unique<CurlChannel>(origin);
    auto channel = std::move(*found);
    idle_.erase(std::next(found).base());
    return channel;
}

void CurlClient::give_back(std::unique_ptr<CurlChannel> channel) {
    std::unique_ptr<CurlChannel> oldest;  // closed after the lock
    const std::lock_guard lock{mutex_};
    idle_.push_back(std::move(channel));
    if (idle_.size() > options_.idle_channels_max) {
        oldest = std::move(idle_.front());
        idle_.erase(idle_.begin());
    }
}

Response CurlClient::send_once(const Request& request, const std::string& url, Duration time_left,
                               bool follows, const std::stop_token& stop) {
    const auto parsed = parse_url(url);
    if (!parsed)
        throw Failure(FailureKind::BadUrl, fmt::format("`{}` is no http or https address", url));
    const Lease lease{*this, parsed->origin()};
    return (*lease).send(options_, request, url, time_left, follows, stop);
}

Response CurlClient::send(const Request& request, std::stop_token stop) {
    const auto start = std::chrono::steady_clock::now();
    Request hop = request;
    for (int redirects = 0;; ++redirects) {
        const auto took =
            std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - start);
        const auto time_left = request.limits.total - took;
        if (time_left <= Duration{0})
            throw Failure(FailureKind::Timeout,
                          fmt::format("{}: the redirects took longer than {} ms", request.url,
                                      request.limits.total.count()));
        auto response = send_once(hop, hop.url, time_left, request.redirects_max > 0, stop);
        const auto location = response.headers.find("location");
        if (request.redirects_max == 0 || !is_redirect(response.status) || !location)
            return response;
        if (redirects == request.redirects_max)
            throw Failure(
                FailureKind::TooManyRedirects,
                fmt::format("{}: more than {} redirects", request.url, request.redirects_max));
        const auto next = resolve_url(hop.url, *location);
        if (!next)
            throw Failure(FailureKind::TooManyRedirects,
                          fmt::format("{}: it redirects to `{}`, which is no http or https address",
                                      hop.url, location->substr(0, 200)));
        if (request.on_redirect) request.on_redirect(*next);
        const bool becomes_get = response.status == 303
                                     ? hop.method != "HEAD"
                                     : response.status <= 302 && hop.method == "POST";
        if (becomes_get) {
            hop.method = "GET";
            hop.body.clear();
            hop.headers.remove("content-type");
        }
        if (parse_url(hop.url)->origin() != parse_url(*next)->origin()) {
            hop.headers.remove("authorization");
            hop.headers.remove("cookie");
        }
        hop.url = *next;
    }
}

}  // namespace belay::http
