// wire.hpp — one accepted connection of the test server, plain or with TLS.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "service/http/testkit/tls_identity.hpp"

namespace belay::http::testkit {

class Wire {
public:
    virtual ~Wire() = default;

    // Bytes received; 0 when the other side has ended or something is wrong.
    virtual std::size_t receive(std::span<char> into) = 0;

    // False when the other side is gone.
    virtual bool send(std::string_view bytes) = 0;
};

// Neither closes `fd`. Null if the TLS handshake fails. `identity` null: plain.
std::unique_ptr<Wire> make_wire(int fd, const TlsIdentity* identity);

}  // namespace belay::http::testkit
