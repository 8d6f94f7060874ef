// hash.cpp — SHA-256: how pieces become blocks, and how the last block is padded.
#include "core/base/hash.hpp"

#include <algorithm>
#include <cstring>

#include "core/base/sha256_block.hpp"
#include "core/base/text.hpp"

namespace belay::base {

Sha256::Sha256() noexcept
    : state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
             0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19} {}

void Sha256::update(std::span<const std::byte> bytes) noexcept {
    if (bytes.empty()) return;  // memcpy from a null pointer is undefined even for no bytes
    const auto mix = detail::sha256_blocks_fastest();
    const auto* at = reinterpret_cast<const std::uint8_t*>(bytes.data());
    std::size_t left = bytes.size();
    bytes_total_ += left;

    if (block_used_ > 0) {
        const std::size_t taken = std::min(left, block_.size() - block_used_);
        std::memcpy(block_.data() + block_used_, at, taken);
        block_used_ += taken, at += taken, left -= taken;
        if (block_used_ < block_.size()) return;
        mix(state_.data(), block_.data(), 1);
        block_used_ = 0;
    }
    mix(state_.data(), at, left / 64);
    at += left / 64 * 64;
    left %= 64;
    std::memcpy(block_.data(), at, left);
    block_used_ = left;
}

void Sha256::update(std::string_view bytes) noexcept { update(std::as_bytes(std::span(bytes))); }

Sha256Digest Sha256::finish() noexcept {
    const std::uint64_t bits = bytes_total_ * 8;
    std::array<std::byte, 72> padding{std::byte{0x80}};
    const std::size_t zeros_to = (block_used_ < 56 ? 56 : 120) - block_used_;
    for (std::size_t i = 0; i < 8; ++i)
        padding[zeros_to + i] = static_cast<std::byte>(bits >> (56 - 8 * i));
    update(std::span(padding).first(zeros_to + 8));

    Sha256Digest digest;
    for (std::size_t i = 0; i < digest.size(); ++i)
        digest[i] = static_cast<std::uint8_t>(state_[i / 4] >> (24 - 8 * (i % 4)));
    return digest;
}

std::string Sha256::finish_hex() {
    const auto digest = finish();
    return to_hex(std::as_bytes(std::span(digest)));
}

std::string sha256_hex(std::string_view bytes) {
    return sha256_hex(std::as_bytes(std::span(bytes)));
}

std::string sha256_hex(std::span<const std::byte> bytes) {
    Sha256 hash;
    hash.update(bytes);
    return hash.finish_hex();
}

}  // namespace belay::base
