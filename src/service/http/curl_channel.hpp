// curl_channel.hpp — one libcurl handle with its connections: one request at a time, no redirects.
//
// It runs in a loop of its own (a libcurl "multi" of one), so that a stop can wake it.
#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "service/http/client.hpp"
#include "service/http/curl_client.hpp"

namespace belay::http {

class CurlChannel {
public:
    // `origin` is the one its first connection will be to.
    explicit CurlChannel(std::string origin);
    ~CurlChannel();
    CurlChannel(const CurlChannel&) = delete;
    CurlChannel& operator=(const CurlChannel&) = delete;

    const std::string& origin() const { return origin_; }

    // One answer from `url` within `time_left`. With `follows`, the body of a redirect is read over: somebody
    // will go on. Throws Failure, and what the request's functions throw.
    Response send(const CurlOptions& options, const Request& request, const std::string& url,
                  Duration time_left, bool follows, const std::stop_token& stop);

private:
    struct Handles;

    std::string origin_;
    std::unique_ptr<Handles> handles_;
};

}  // namespace belay::http
