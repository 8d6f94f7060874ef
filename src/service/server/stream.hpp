// stream.hpp — a connected socket, plain or TLS, as coroutines read and write it.
//
// Private to this room: it brings Asio. One type for both, so that the code above it is compiled once.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>

namespace boost::asio::ssl {
class context;
template <class>
class stream;
}  // namespace boost::asio::ssl

namespace belay::server {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;
using TlsSocket = asio::ssl::stream<tcp::socket>;

struct TlsFiles;

// All coroutines run on the socket's executor. Failures are boost::system::system_error.
class Stream {
public:
    virtual ~Stream() = default;

    virtual asio::awaitable<void> handshake() = 0;
    // At least one byte; 0 when the peer has ended.
    virtual asio::awaitable<std::size_t> read_some(asio::mutable_buffer space) = 0;
    // All of both.
    virtual asio::awaitable<void> write(std::array<asio::const_buffer, 2> bytes) = 0;
    // Nothing more will be sent.
    virtual asio::awaitable<void> end() = 0;

    virtual tcp::socket& socket() = 0;
    virtual TlsSocket* tls() { return nullptr; }

    // What waits on it fails; it can be used again.
    void cancel();
    // What waits on it fails, and the peer is gone.
    void close();
};

std::unique_ptr<Stream> plain_stream(tcp::socket socket);
std::unique_ptr<Stream> tls_stream(tcp::socket socket, asio::ssl::context& context);

// Throws Error{InvalidArgument} naming the file that cannot be used, and why.
std::unique_ptr<asio::ssl::context> tls_context(const TlsFiles& files);

}  // namespace belay::server
