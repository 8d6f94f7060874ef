#include "core/base/hmac.hpp"

#include <algorithm>
#include <array>

namespace belay::base {

Sha256Digest hmac_sha256(std::span<const std::byte> secret, std::string_view message) noexcept {
    std::array<std::byte, 64> key{};
    if (secret.size() > key.size()) {
        Sha256 hash;
        hash.update(secret);
        const auto digest = hash.finish();
        std::ranges::copy(std::as_bytes(std::span(digest)), key.begin());
    } else {
        std::ranges::copy(secret, key.begin());
    }
    auto inner_key = key;
    auto outer_key = key;
    for (auto& byte : inner_key) byte ^= std::byte{0x36};
    for (auto& byte : outer_key) byte ^= std::byte{0x5c};

    Sha256 inner;
    inner.update(std::span<const std::byte>(inner_key));
    inner.update(message);
    const auto inner_digest = inner.finish();
    Sha256 outer;
    outer.update(std::span<const std::byte>(outer_key));
    outer.update(std::as_bytes(std::span(inner_digest)));
    return outer.finish();
}

Sha256Digest hmac_sha256(std::string_view secret, std::string_view message) noexcept {
    return hmac_sha256(std::as_bytes(std::span(secret)), message);
}

bool equal_in_constant_time(std::string_view a, std::string_view b) noexcept {
    if (a.size() != b.size()) return false;
    unsigned difference = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
    return difference == 0;
}

}  // namespace belay::base
