// utf8.cpp — the table of well-formed sequences (Unicode 15, table 3-7), as code.
#include "core/base/utf8.hpp"

namespace belay::base {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD
constexpr std::string_view kEllipsis = "\xE2\x80\xA6";     // U+2026

}  // namespace

std::size_t utf8_sequence(std::string_view text) noexcept {
    if (text.empty()) return 0;
    const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const auto continues = [&](std::size_t i) { return (byte(i) & 0xC0) == 0x80; };
    const unsigned char first = byte(0);

    if (first < 0x80) return 1;
    if (first < 0xC2 || first > 0xF4) return 0;
    if (first < 0xE0) return text.size() >= 2 && continues(1) ? 2 : 0;
    if (first < 0xF0) {
        if (text.size() < 3 || !continues(1) || !continues(2)) return 0;
        const bool overlong = first == 0xE0 && byte(1) < 0xA0;
        const bool surrogate = first == 0xED && byte(1) >= 0xA0;
        return overlong || surrogate ? 0 : 3;
    }
    if (text.size() < 4 || !continues(1) || !continues(2) || !continues(3)) return 0;
    const bool overlong = first == 0xF0 && byte(1) < 0x90;
    const bool too_large = first == 0xF4 && byte(1) >= 0x90;
    return overlong || too_large ? 0 : 4;
}

bool is_utf8(std::string_view text) noexcept {
    while (!text.empty()) {
        const std::size_t length = utf8_sequence(text);
        if (length == 0) return false;
        text.remove_prefix(length);
    }
    return true;
}

std::string to_valid_utf8(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const std::size_t length = utf8_sequence(text);
        if (length == 0 || text[0] == '\0')
            out += kReplacement;
        else
            out += text.substr(0, length);
        text.remove_prefix(length == 0 ? 1 : length);
    }
    return out;
}

std::string truncate(std::string_view text, std::size_t chars_max) {
    // Each character has at most four bytes and each bad byte becomes one character: bytes beyond
    // this cannot be part of the answer, and a huge text is not copied whole to be cut.
    const bool surely_longer = text.size() > 4 * (chars_max + 1);
    std::string out = to_valid_utf8(surely_longer ? text.substr(0, 4 * (chars_max + 1)) : text);
    if (chars_max == 0) return {};

    std::size_t chars = 0;
    std::size_t cut_at = 0;  // the end of the last character that fits beside the ellipsis
    for (std::size_t at = 0; at < out.size(); ++chars) {
        if (chars + 1 == chars_max) cut_at = at;
        if (chars == chars_max) return out.substr(0, cut_at).append(kEllipsis);
        at += utf8_sequence(std::string_view(out).substr(at));
    }
    return out;
}

}  // namespace belay::base
