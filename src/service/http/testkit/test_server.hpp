// test_server.hpp — a small HTTP/1.1 server for tests, on a real socket of 127.0.0.1.
//
// A test gives one function from request to reply. Replies can also misbehave: hang, drop the connection,
// stop in the middle. Plain sockets and a thread a connection: easy to follow, for tests only.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "service/http/testkit/tls_identity.hpp"

namespace belay::http::testkit {

using Fields = std::vector<std::pair<std::string, std::string>>;

struct Received {
    std::string method;
    std::string target;  // as it was sent, path and query
    std::string path;    // not decoded
    std::string query;
    Fields headers;
    std::string body;

    // The first field of that name, without case; empty if there is none.
    std::string header(const std::string& name) const;
};

struct Reply {
    int status = 200;
    Fields headers{};
    std::string body{};

    enum class Manner {
        Plain,     // with its Content-Length
        Chunked,   // in chunks of 1000 bytes
        Hang,      // nothing comes until the server ends
        Drop,      // the connection ends without an answer
        CutShort,  // headers and half of the body, then the connection ends
        Raw,       // `body` is all that is sent, as it is
        Trickle,   // headers and one byte, then nothing until the server ends
    };
    Manner manner = Manner::Plain;
};

class TestServer {
public:
    // `answer` is called on the connection's thread, several at a time. With an identity, which outlives this,
    // the server speaks TLS.
    explicit TestServer(std::function<Reply(const Received&)> answer,
                        const TlsIdentity* identity = nullptr);
    ~TestServer();  // ends all connections
    TestServer(const TestServer&) = delete;
    TestServer& operator=(const TestServer&) = delete;

    int port() const { return port_; }
    std::string url(const std::string& path = "") const;

    int connections() const { return connections_; }  // accepted so far
    int requests() const { return requests_; }        // received so far

private:
    struct State;

    int port_ = 0;
    std::atomic<int> connections_ = 0;
    std::atomic<int> requests_ = 0;
    std::unique_ptr<State> state_;
};

}  // namespace belay::http::testkit
