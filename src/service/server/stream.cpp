#include "service/server/stream.hpp"

#include <fmt/format.h>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <belay/error.hpp>

#include "service/server/server.hpp"

namespace belay::server {

namespace {

using boost::system::error_code;
using boost::system::system_error;

bool is_end(const error_code& error) {
    return error == asio::error::eof || error == asio::ssl::error::stream_truncated;
}

class PlainStream final : public Stream {
public:
    explicit PlainStream(tcp::socket socket) : socket_(std::move(socket)) {}

    asio::awaitable<void> handshake() override { co_return; }

    asio::awaitable<std::size_t> read_some(asio::mutable_buffer space) override {
        error_code error;
        const std::size_t count = co_await socket_.async_read_some(
            space, asio::redirect_error(asio::use_awaitable, error));
        if (is_end(error)) co_return 0;
        if (error) throw system_error(error);
        co_return count;
    }

    asio::awaitable<void> write(std::array<asio::const_buffer, 2> bytes) override {
        co_await asio::async_write(socket_, bytes, asio::use_awaitable);
    }

    asio::awaitable<void> end() override {
        error_code ignored;
        socket_.shutdown(tcp::socket::shutdown_send, ignored);
        co_return;
    }

    tcp::socket& socket() override { return socket_; }

private:
    tcp::socket socket_;
};

class TlsStream final : public Stream {
public:
    TlsStream(tcp::socket socket, asio::ssl::context& context)
        : stream_(std::move(socket), context) {}

    asio::awaitable<void> handshake() override {
        co_await stream_.async_handshake(asio::ssl::stream_base::server, asio::use_awaitable);
    }

    asio::awaitable<std::size_t> read_some(asio::mutable_buffer space) override {
        error_code error;
        const std::size_t count = co_await stream_.async_read_some(
            space, asio::redirect_error(asio::use_awaitable, error));
        if (is_end(error)) co_return 0;
        if (error) throw system_error(error);
        co_return count;
    }

    asio::awaitable<void> write(std::array<asio::const_buffer, 2> bytes) override {
        co_await asio::async_write(stream_, bytes, asio::use_awaitable);
    }

    // Sends close_notify; the peer's own is not waited for.
    asio::awaitable<void> end() override {
        error_code ignored;
        co_await stream_.async_shutdown(asio::redirect_error(asio::use_awaitable, ignored));
    }

    tcp::socket& socket() override { return stream_.next_layer(); }
    TlsSocket* tls() override { return &stream_; }

private:
    TlsSocket stream_;
};

template <class F>
void using_file(const std::string& file, std::string_view what, F use) {
    error_code error;
    use(error);
    if (!error) return;
    throw Error(ErrorCode::InvalidArgument,
                fmt::format("{} cannot be used as the TLS {}: {}", file, what, error.message()));
}

}  // namespace

void Stream::cancel() {
    error_code ignored;
    socket().cancel(ignored);
}

void Stream::close() {
    error_code ignored;
    socket().close(ignored);
}

std::unique_ptr<Stream> plain_stream(tcp::socket socket) {
    return std::make_unique<PlainStream>(std::move(socket));
}

std::unique_ptr<Stream> tls_stream(tcp::socket socket, asio::ssl::context& context) {
    return std::make_unique<TlsStream>(std::move(socket), context);
}

std::unique_ptr<asio::ssl::context> tls_context(const TlsFiles& files) {
    auto context = std::make_unique<asio::ssl::context>(asio::ssl::context::tls_server);
    context->set_options(asio::ssl::context::default_workarounds | asio::ssl::context::no_sslv2 |
                         asio::ssl::context::no_sslv3 | asio::ssl::context::no_tlsv1 |
                         asio::ssl::context::no_tlsv1_1 | SSL_OP_NO_RENEGOTIATION);
    using_file(files.certificate, "certificate", [&](error_code& error) {
        context->use_certificate_chain_file(files.certificate, error);
    });
    using_file(files.key, "key", [&](error_code& error) {
        context->use_private_key_file(files.key, asio::ssl::context::pem, error);
    });
    if (SSL_CTX_check_private_key(context->native_handle()) != 1) {
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("the key {} does not belong to the certificate {}", files.key,
                                files.certificate));
    }
    return context;
}

}  // namespace belay::server
