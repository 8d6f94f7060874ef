// server.hpp — an Api on a socket: HTTP/1.1, TLS, WebSocket.
//
// One coroutine per connection on a few I/O threads; whatever may block (handlers, files, disks) runs
// on a pool beside them. Every resource has a bound in ServerLimits, and every wait has a time: what
// is too large, too many or too slow is refused or cut. Time is the Clock's, so tests move it by hand.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include <belay/time.hpp>

#include "core/env/clock.hpp"
#include "core/env/random.hpp"
#include "service/api/api.hpp"
#include "service/server/multipart.hpp"

namespace belay::server {

struct ServerLimits {
    std::size_t connections_max = 2000;  // one more is told 503 and closed
    std::size_t header_bytes_max = 16 * 1024;
    std::uint64_t upload_bytes_max = 2ULL * 1024 * 1024 * 1024;  // one request with files
    std::uint64_t file_bytes_max = 2ULL * 1024 * 1024 * 1024;    // one of them
    std::size_t files_max = 100;  // in one request: each is open until the handler has it
    std::size_t field_bytes_max = 64 * 1024;     // a form field that is no file
    std::size_t fields_bytes_max = 1024 * 1024;  // all of them together
    MultipartLimits multipart{};
    std::size_t requests_per_connection_max = 100'000;
    Duration header_time = std::chrono::seconds{10};  // for a TLS handshake, and for all headers
    Duration idle_time = std::chrono::seconds{60};    // between two requests
    Duration body_time = std::chrono::seconds{30};  // in each such span of waiting a body or an …
    std::uint64_t bytes_per_second_min = 1024;  // … answer moves so many bytes a second (pace.hpp)
    Duration linger_time = std::chrono::seconds{2};  // to let a refused client read why
    Duration later_time = std::chrono::minutes{10};  // for an answer that comes later
    std::size_t live_lag_max = 10'000;               // events; a watcher further behind is cut off
    std::size_t live_listeners_max = 1500;
    Duration live_ping_every = std::chrono::seconds{30};
};

struct TlsFiles {
    std::string certificate{};  // PEM, with its chain
    std::string key{};
};

struct ServerOptions {
    std::string host = "127.0.0.1";
    std::uint16_t port = 8080;  // 0: any that is free
    TlsFiles tls{};             // both empty: no TLS
    std::size_t io_threads = 1;
    std::size_t pool_threads = 16;
    std::size_t listen_backlog = 512;
    // One line of JSON per request; null: none. Called from any thread.
    std::function<void(std::string_view line)> access_log{};
};

// Whether only this machine can reach the address. Throws Error{InvalidArgument} for a name that is not
// an address or "localhost".
bool is_loopback(const std::string& host);

// The address is taken or cannot be had; the message says what to do.
class ListenFailed : public std::runtime_error {
public:
    explicit ListenFailed(const std::string& message) : std::runtime_error(message) {}
};

class Server {
public:
    // `api`, `clock` and `random` must outlive it.
    Server(api::Api& api, const env::Clock& clock, env::Random& random, ServerOptions options,
           ServerLimits limits = {});
    ~Server();  // stops

    // Listens and answers. Throws ListenFailed, and Error{InvalidArgument} for a certificate or key that
    // cannot be used.
    void start();

    // Takes no new connection, lets requests under way finish for at most `grace`, then cuts the rest.
    // Idempotent.
    void stop(Duration grace = std::chrono::seconds{10});

    std::uint16_t port() const;  // after start()
    std::string url() const;     // "http://127.0.0.1:8080"

    struct Counts {
        std::size_t connections = 0;
        std::size_t listeners = 0;  // of /api/live
        std::size_t timed_out = 0;  // connections, since it started
    };
    Counts counts() const;

private:
    class Inside;
    std::unique_ptr<Inside> inside_;
};

}  // namespace belay::server
