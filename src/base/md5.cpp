// md5.cpp — RFC 1321: 64 rounds over blocks of 64 bytes.
#include "base/md5.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/text.hpp"

namespace belay::base {
namespace {

// floor(2^32 · |sin(i + 1)|), as the RFC defines them.
constexpr std::array<std::uint32_t, 64> kSines{
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391};

constexpr std::array<std::array<int, 4>, 4> kTurns{
    {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}}};

void mix(std::array<std::uint32_t, 4>& state, const std::uint8_t* block) {
    std::array<std::uint32_t, 16> words;
    for (std::size_t i = 0; i < 16; ++i) {
        words[i] = std::uint32_t{block[4 * i]} | std::uint32_t{block[4 * i + 1]} << 8 |
                   std::uint32_t{block[4 * i + 2]} << 16 | std::uint32_t{block[4 * i + 3]} << 24;
    }
    auto [a, b, c, d] = state;
    const auto turn = [&](std::size_t i, std::uint32_t f, std::size_t word) {
        const std::uint32_t sum = a + f + kSines[i] + words[word];
        a = d, d = c, c = b;
        b += std::rotl(sum, kTurns[i / 16][i % 4]);
    };
    for (std::size_t i = 0; i < 16; ++i) turn(i, (b & c) | (~b & d), i);
    for (std::size_t i = 16; i < 32; ++i) turn(i, (d & b) | (~d & c), (5 * i + 1) % 16);
    for (std::size_t i = 32; i < 48; ++i) turn(i, b ^ c ^ d, (3 * i + 5) % 16);
    for (std::size_t i = 48; i < 64; ++i) turn(i, c ^ (b | ~d), 7 * i % 16);
    state[0] += a, state[1] += b, state[2] += c, state[3] += d;
}

}  // namespace

void Md5::update(std::span<const std::byte> bytes) noexcept {
    if (bytes.empty()) return;  // memcpy from a null pointer is undefined even for no bytes
    const auto* at = reinterpret_cast<const std::uint8_t*>(bytes.data());
    std::size_t left = bytes.size();
    bytes_total_ += left;
    while (left > 0) {
        if (block_used_ == 0 && left >= block_.size()) {
            mix(state_, at);
            at += block_.size(), left -= block_.size();
            continue;
        }
        const std::size_t taken = std::min(left, block_.size() - block_used_);
        std::memcpy(block_.data() + block_used_, at, taken);
        block_used_ += taken, at += taken, left -= taken;
        if (block_used_ == block_.size()) {
            mix(state_, block_.data());
            block_used_ = 0;
        }
    }
}

void Md5::update(std::string_view bytes) noexcept { update(std::as_bytes(std::span(bytes))); }

Md5Digest Md5::finish() noexcept {
    const std::uint64_t bits = bytes_total_ * 8;
    std::array<std::byte, 72> padding{std::byte{0x80}};
    const std::size_t zeros_to = (block_used_ < 56 ? 56 : 120) - block_used_;
    for (std::size_t i = 0; i < 8; ++i) padding[zeros_to + i] = static_cast<std::byte>(bits >> 8 * i);
    update(std::span(padding).first(zeros_to + 8));

    Md5Digest digest;
    for (std::size_t i = 0; i < digest.size(); ++i)
        digest[i] = static_cast<std::uint8_t>(state_[i / 4] >> 8 * (i % 4));
    return digest;
}

std::string Md5::finish_hex() {
    const auto digest = finish();
    return to_hex(std::as_bytes(std::span(digest)));
}

std::string md5_hex(std::string_view bytes) {
    Md5 hash;
    hash.update(bytes);
    return hash.finish_hex();
}

}  // namespace belay::base
