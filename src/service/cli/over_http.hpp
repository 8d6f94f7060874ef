// over_http.hpp — a Belay server at the other end of HTTP: what `--server URL` leads to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include "service/cli/place.hpp"

namespace belay::http {
class CurlClient;
struct Request;
struct Response;
}  // namespace belay::http

namespace belay::cli {

// As given on the command line; empty: not given.
struct ServerOptions {
    std::string server{};
    std::string token{};
};

// A file to upload, read while it is sent.
struct ServerFile {
    std::string name{};
    std::string workflow_type{};  // empty: by content
    std::uint64_t size = 0;
    std::function<std::size_t(std::span<std::byte>)> read{};
};

// All functions throw Error: {StoreUnavailable} if the server cannot be reached or has no time, {NotFound},
// {InvalidArgument} for what it cannot understand, {InputMismatch} for what it refuses to do, a token that it does not
// know among it; with the server's own words.
class ServerClient {
public:
    // Throws Error{InvalidArgument} if `url` is not http(s)://…. `organization`: for a server that needs no token; empty:
    // its own.
    ServerClient(std::string url, std::string token, std::string organization = {});
    ~ServerClient();
    ServerClient(ServerClient&&) noexcept;

    const std::string& url() const { return url_; }

    boost::json::value get(const std::string& path) const;
    // What is no JSON, as it comes.
    std::string text(const std::string& path) const;
    boost::json::value post(const std::string& path,
                            const boost::json::value& body = boost::json::object{}) const;
    // The same with any JSON, under an Idempotency-Key unless that is empty.
    boost::json::value send(const std::string& path, const std::string& body,
                            const std::string& key = {}) const;
    // POST /ingest/upload with one file.
    boost::json::value upload(const ServerFile& file) const;

private:
    http::Response read(const std::string& path) const;
    void say_who(http::Request& request) const;

    std::string url_;
    std::string token_;
    std::string organization_;
    std::unique_ptr<http::CurlClient> client_;
};

// --server, or BELAY_SERVER if no store was named otherwise; the token by --token or BELAY_TOKEN, the organization by
// --organization or BELAY_ORGANIZATION. Null: none is named.
std::unique_ptr<ServerClient> find_remote(const ServerOptions& options, const PlaceOptions& place,
                                          const Environment& environment);

// A path's segment or a query's value, escaped.
std::string in_url(std::string_view text);

}  // namespace belay::cli
