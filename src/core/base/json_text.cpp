// json_text.cpp — eight characters at a time, because most text needs no escape at all.
#include "core/base/json_text.hpp"

#include <bit>
#include <cstdint>
#include <cstring>

namespace belay::base {
namespace {

constexpr std::uint64_t kOnes = 0x0101010101010101u;
constexpr std::uint64_t kHighs = 0x8080808080808080u;

// Has the high bit set in the lowest of the eight bytes of `word` that JSON cannot take as it is: a
// control character, a quote, a backslash, or a byte of a longer character. Higher ones may be wrong.
std::uint64_t special_bytes(std::uint64_t word) {
    const auto zero_in = [](std::uint64_t w) { return (w - kOnes) & ~w & kHighs; };
    const std::uint64_t below_space = (word - kOnes * 0x20) & ~word & kHighs;
    return below_space | zero_in(word ^ (kOnes * '"')) | zero_in(word ^ (kOnes * '\\')) |
           (word & kHighs);
}

bool is_special(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte >= 0x80 || c == '"' || c == '\\';
}

}  // namespace

std::size_t plain_prefix(std::string_view text) noexcept {
    std::size_t at = 0;
    if constexpr (std::endian::native == std::endian::little) {
        for (; at + 8 <= text.size(); at += 8) {
            std::uint64_t word;
            std::memcpy(&word, text.data() + at, 8);
            if (const auto special = special_bytes(word))
                return at + static_cast<std::size_t>(std::countr_zero(special)) / 8;
        }
    }
    while (at < text.size() && !is_special(text[at])) ++at;
    return at;
}

}  // namespace belay::base
