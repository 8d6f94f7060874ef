#include "service/http/digest.hpp"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "core/base/assert.hpp"
#include "core/base/text.hpp"

namespace belay::http {

HmacDigest hmac_sha256(std::span<const std::byte> secret, std::string_view message) {
    HmacDigest digest;
    unsigned size = 0;
    // OpenSSL takes a null key for "the key of the call before".
    const auto* key = secret.empty() ? static_cast<const void*>("") : secret.data();
    const auto* made = HMAC(EVP_sha256(), key, static_cast<int>(secret.size()),
                            reinterpret_cast<const unsigned char*>(message.data()), message.size(),
                            digest.data(), &size);
    BELAY_ASSERT(made != nullptr && size == digest.size(), "OpenSSL made no HMAC-SHA256");
    return digest;
}

HmacDigest hmac_sha256(std::string_view secret, std::string_view message) {
    return hmac_sha256(std::as_bytes(std::span(secret)), message);
}

void Md5::Free::operator()(evp_md_ctx_st* state) const noexcept { EVP_MD_CTX_free(state); }

Md5::Md5() : state_(EVP_MD_CTX_new()) {
    if (state_ == nullptr) throw std::bad_alloc();
    // A machine in FIPS mode has no MD5 by its usual name; as the name of a version it is no cryptography.
    EVP_MD_CTX_set_flags(state_.get(), EVP_MD_CTX_FLAG_NON_FIPS_ALLOW);
    BELAY_ASSERT(EVP_DigestInit_ex(state_.get(), EVP_md5(), nullptr) == 1, "OpenSSL has no MD5");
}

void Md5::update(std::span<const std::byte> bytes) {
    EVP_DigestUpdate(state_.get(), bytes.data(), bytes.size());
}

void Md5::update(std::string_view bytes) { update(std::as_bytes(std::span(bytes))); }

std::string Md5::finish_hex() {
    std::array<std::byte, 16> digest;
    EVP_DigestFinal_ex(state_.get(), reinterpret_cast<unsigned char*>(digest.data()), nullptr);
    return base::to_hex(digest);
}

std::string md5_hex(std::string_view bytes) {
    Md5 hash;
    hash.update(bytes);
    return hash.finish_hex();
}

}  // namespace belay::http
