// tls_identity.hpp — a certificate that a test makes for itself: for localhost and 127.0.0.1, signed by nobody
// but itself.
#pragma once

#include <filesystem>
#include <string>

namespace belay::http::testkit {

class TlsIdentity {
public:
    // Makes a key and a certificate valid for an hour, in a folder of their own; gone with this.
    TlsIdentity();
    ~TlsIdentity();
    TlsIdentity(const TlsIdentity&) = delete;
    TlsIdentity& operator=(const TlsIdentity&) = delete;

    std::string certificate_file() const { return (folder_ / "certificate.pem").string(); }
    std::string key_file() const { return (folder_ / "key.pem").string(); }

private:
    std::filesystem::path folder_;
};

}  // namespace belay::http::testkit
