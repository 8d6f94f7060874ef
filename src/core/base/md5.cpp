// md5.cpp — RFC 1321: 64 rounds over blocks of 64 bytes.
#include "core/base/md5.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "core/base/text.hpp"

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

// The four kinds of rounds, 16 of each.
struct F {
    static std::uint32_t of(std::uint32_t b, std::uint32_t c, std::uint32_t d) {
        return d ^ (b & (c ^ d));
    }
    static constexpr std::array<int, 4> kTurns{7, 12, 17, 22};
    static constexpr std::size_t word(std::size_t i) { return i; }
};
struct G {
    static std::uint32_t of(std::uint32_t b, std::uint32_t c, std::uint32_t d) {
        return c ^ (d & (b ^ c));
    }
    static constexpr std::array<int, 4> kTurns{5, 9, 14, 20};
    static constexpr std::size_t word(std::size_t i) { return (5 * i + 1) % 16; }
};
struct H {
    static std::uint32_t of(std::uint32_t b, std::uint32_t c, std::uint32_t d) { return b ^ c ^ d; }
    static constexpr std::array<int, 4> kTurns{4, 11, 16, 23};
    static constexpr std::size_t word(std::size_t i) { return (3 * i + 5) % 16; }
};
struct I {
    static std::uint32_t of(std::uint32_t b, std::uint32_t c, std::uint32_t d) {
        return c ^ (b | ~d);
    }
    static constexpr std::array<int, 4> kTurns{6, 10, 15, 21};
    static constexpr std::size_t word(std::size_t i) { return 7 * i % 16; }
};

using Words = std::array<std::uint32_t, 16>;

template <class Kind, std::size_t i>
inline void turn(std::uint32_t& a, std::uint32_t b, std::uint32_t c, std::uint32_t d,
                 const Words& words, std::size_t first) {
    a = b + std::rotl(a + Kind::of(b, c, d) + kSines[first + i] + words[Kind::word(first + i)],
                      Kind::kTurns[i % 4]);
}

// Four rounds at a time: after them the registers are back in their places, and nothing was moved.
template <class Kind, std::size_t first>
inline void sixteen(std::array<std::uint32_t, 4>& s, const Words& words) {
    [&]<std::size_t... n>(std::index_sequence<n...>) {
        ((turn<Kind, 4 * n>(s[0], s[1], s[2], s[3], words, first),
          turn<Kind, 4 * n + 1>(s[3], s[0], s[1], s[2], words, first),
          turn<Kind, 4 * n + 2>(s[2], s[3], s[0], s[1], words, first),
          turn<Kind, 4 * n + 3>(s[1], s[2], s[3], s[0], words, first)),
         ...);
    }
    (std::make_index_sequence<4>{});
}

void mix(std::array<std::uint32_t, 4>& state, const std::uint8_t* block) {
    Words words;
    for (std::size_t i = 0; i < 16; ++i) {
        words[i] = std::uint32_t{block[4 * i]} | std::uint32_t{block[4 * i + 1]} << 8 |
                   std::uint32_t{block[4 * i + 2]} << 16 | std::uint32_t{block[4 * i + 3]} << 24;
    }
    auto s = state;
    sixteen<F, 0>(s, words);
    sixteen<G, 16>(s, words);
    sixteen<H, 32>(s, words);
    sixteen<I, 48>(s, words);
    for (std::size_t i = 0; i < 4; ++i) state[i] += s[i];
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
    for (std::size_t i = 0; i < 8; ++i)
        padding[zeros_to + i] = static_cast<std::byte>(bits >> 8 * i);
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
