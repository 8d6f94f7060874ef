#include "service/http/testkit/wire.hpp"

#include <openssl/ssl.h>
#include <sys/socket.h>

namespace belay::http::testkit {
namespace {

class PlainWire final : public Wire {
public:
    explicit PlainWire(int fd) : fd_(fd) {}

    std::size_t receive(std::span<char> into) override {
        const auto got = ::recv(fd_, into.data(), into.size(), 0);
        return got <= 0 ? 0 : static_cast<std::size_t>(got);
    }

    bool send(std::string_view bytes) override {
        while (!bytes.empty()) {
            const auto sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (sent <= 0) return false;
            bytes.remove_prefix(static_cast<std::size_t>(sent));
        }
        return true;
    }

private:
    int fd_;
};

class TlsWire final : public Wire {
public:
    TlsWire(int fd, const TlsIdentity& identity)
        : context_(SSL_CTX_new(TLS_server_method()), SSL_CTX_free), ssl_(nullptr, SSL_free) {
        SSL_CTX_use_certificate_file(context_.get(), identity.certificate_file().c_str(),
                                     SSL_FILETYPE_PEM);
        SSL_CTX_use_PrivateKey_file(context_.get(), identity.key_file().c_str(), SSL_FILETYPE_PEM);
        ssl_.reset(SSL_new(context_.get()));
        SSL_set_fd(ssl_.get(), fd);
        is_open_ = SSL_accept(ssl_.get()) == 1;
    }

    bool is_open() const { return is_open_; }

    std::size_t receive(std::span<char> into) override {
        const int got = SSL_read(ssl_.get(), into.data(), static_cast<int>(into.size()));
        return got <= 0 ? 0 : static_cast<std::size_t>(got);
    }

    bool send(std::string_view bytes) override {
        return bytes.empty() ||
               SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size())) > 0;
    }

private:
    std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)> context_;
    std::unique_ptr<SSL, void (*)(SSL*)> ssl_;
    bool is_open_ = false;
};

}  // namespace

std::unique_ptr<Wire> make_wire(int fd, const TlsIdentity* identity) {
    if (identity == nullptr) return std::make_unique<PlainWire>(fd);
    auto wire = std::make_unique<TlsWire>(fd, *identity);
    if (!wire->is_open()) return nullptr;
    return wire;
}

}  // namespace belay::http::testkit
