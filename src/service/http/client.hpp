// client.hpp — asking other servers, with limits on everything.
//
// A status is a value: 404 and 500 are answers. Only what kept an answer from coming is a Failure, and its
// kind says what to do: a refused address never works, a time-out may work later.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <stop_token>
#include <string>

#include <belay/time.hpp>

#include "service/http/headers.hpp"

namespace belay::http {

enum class FailureKind {
    BadUrl,            // no http or https address, or a header that cannot be sent
    Dns,               // the name has no address
    RefusedAddress,    // the name leads where this client may not go
    Connect,           // nobody answers there, or the connection broke
    Tls,               // the certificate is not right, or no common ground
    Timeout,           // a limit on time was reached
    TooLarge,          // a limit on size was reached
    TooManyRedirects,  // or one that leads nowhere
    Protocol,          // what came back is not HTTP, or not decodable
    Stopped,           // the stop token asked
};

std::string_view to_string(FailureKind kind);

class Failure : public std::runtime_error {
public:
    Failure(FailureKind kind, const std::string& message)
        : std::runtime_error(message), kind_(kind) {}

    FailureKind kind() const { return kind_; }

    // Whether the same request may well work later.
    bool is_transient() const;

private:
    FailureKind kind_;
};

struct Limits {
    Duration connect = std::chrono::seconds{10};
    Duration total = std::chrono::seconds{60};  // all redirects together
    // Slower than this many bytes a second for this long is a time-out; 0 turns it off.
    std::int64_t slow_bytes_per_second = 0;
    std::chrono::seconds slow_for{30};
    std::uint64_t body_bytes_max = 16 * 1024 * 1024;  // after decompression
};

struct Request {
    std::string method = "GET";
    std::string url{};
    Headers headers{};
    std::string body{};
    Limits limits{};

    // A body that is read while it is sent, instead of `body`: fills the beginning of the space and gives how many
    // bytes that were; exactly `source_bytes` in all. What it throws ends the request and leaves send(). Redirects
    // are not followed with it.
    std::function<std::size_t(std::span<std::byte>)> source{};
    std::uint64_t source_bytes = 0;

    // How many redirects are followed, each to an address checked anew. Credentials stay at their origin.
    int redirects_max = 0;

    // Asks for a compressed answer and unpacks it.
    bool accept_compressed = false;

    // Asked before each redirect is followed, with where it leads. What it throws leaves send().
    std::function<void(const std::string& url)> on_redirect{};

    // Told status and headers of the final answer before its body is read; throwing saves the rest of the way.
    std::function<void(int status, const Headers& headers)> on_headers{};

    // Given the body of a 2xx answer as it comes, instead of Response::body. What it throws ends the request
    // and leaves send().
    std::function<void(std::span<const std::byte>)> sink{};
};

struct Response {
    int status = 0;
    Headers headers{};
    std::string body{};
    std::string url{};  // where the answer came from, after redirects
};

class Client {
public:
    Client() = default;
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;
    virtual ~Client() = default;

    // Blocks until the answer is there. Throws Failure. A stop is noticed at once. May be called from any
    // thread.
    virtual Response send(const Request& request, std::stop_token stop = {}) = 0;
};

}  // namespace belay::http
