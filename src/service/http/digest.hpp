// digest.hpp — the digests that other servers ask for: HMAC-SHA256 under signed requests, MD5 as an ETag. By OpenSSL.
//
// What Belay names by SHA-256 itself (ids, contents, keys of caches) is core/base/hash.hpp, which the library has without
// OpenSSL.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

struct evp_md_ctx_st;

namespace belay::http {

using HmacDigest = std::array<std::uint8_t, 32>;

// HMAC-SHA256 (RFC 2104): proof that whoever made a message knew the secret.
HmacDigest hmac_sha256(std::span<const std::byte> secret, std::string_view message);
HmacDigest hmac_sha256(std::string_view secret, std::string_view message);

// MD5 of bytes that come in pieces, only because S3 calls it an ETag: object stores name the version of an object by
// it, and ours must give the same name for the same bytes. It protects against nothing.
class Md5 {
public:
    Md5();

    void update(std::span<const std::byte> bytes);
    void update(std::string_view bytes);

    // The 32 lower-case hex digits of all that was given. Call once; the object is then spent.
    std::string finish_hex();

private:
    struct Free {
        void operator()(evp_md_ctx_st* state) const noexcept;
    };
    std::unique_ptr<evp_md_ctx_st, Free> state_;
};

std::string md5_hex(std::string_view bytes);

}  // namespace belay::http
