// base64.cpp — three bytes to four digits, and back through a table.
#include "core/base/base64.hpp"

#include <array>
#include <cstdint>

namespace belay::base {
namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t kNoDigit = 0xFF;

constexpr auto kValues = [] {
    std::array<std::uint8_t, 256> values{};
    values.fill(kNoDigit);
    for (std::size_t i = 0; i < kDigits.size(); ++i)
        values[static_cast<unsigned char>(kDigits[i])] = static_cast<std::uint8_t>(i);
    return values;
}();

std::uint32_t value_of(char digit) { return kValues[static_cast<unsigned char>(digit)]; }

}  // namespace

void append_base64(std::string& out, std::span<const std::byte> bytes) {
    const std::size_t start = out.size();
    out.resize(start + (bytes.size() + 2) / 3 * 4, '=');
    char* to = out.data() + start;
    const auto byte = [&](std::size_t i) -> std::uint32_t {
        return i < bytes.size() ? std::to_integer<std::uint32_t>(bytes[i]) : 0;
    };
    for (std::size_t i = 0; i < bytes.size(); i += 3, to += 4) {
        const std::uint32_t three = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
        to[0] = kDigits[three >> 18];
        to[1] = kDigits[three >> 12 & 63];
        if (i + 1 < bytes.size()) to[2] = kDigits[three >> 6 & 63];
        if (i + 2 < bytes.size()) to[3] = kDigits[three & 63];
    }
}

std::optional<std::vector<std::byte>> decode_base64(std::string_view text) {
    if (text.size() % 4 != 0) return std::nullopt;
    if (text.empty()) return std::vector<std::byte>{};
    const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
    const std::size_t digits = text.size() - padding;

    std::vector<std::byte> bytes(text.size() / 4 * 3 - padding);
    for (std::size_t from = 0, to = 0; from < digits; from += 4) {
        std::uint32_t three = 0;
        for (std::size_t i = from; i < from + 4; ++i) {
            const std::uint32_t value = i < digits ? value_of(text[i]) : 0;
            if (value == kNoDigit) return std::nullopt;
            three = three << 6 | value;
        }
        for (int shift = 16; shift >= 0 && to < bytes.size(); shift -= 8)
            bytes[to++] = static_cast<std::byte>(three >> shift & 0xFF);
    }
    return bytes;
}

}  // namespace belay::base
