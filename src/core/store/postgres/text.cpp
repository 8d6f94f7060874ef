#include "core/store/postgres/text.hpp"

#include <cstring>

namespace belay::store::postgres {

namespace {

unsigned char byte_at(std::string_view text, std::size_t i) {
    return static_cast<unsigned char>(text[i]);
}

bool is_tail(std::string_view text, std::size_t i) {
    return i < text.size() && (byte_at(text, i) & 0xc0) == 0x80;
}

// How many bytes of valid UTF-8 begin here; 0 if none do.
std::size_t character_at(std::string_view text, std::size_t i) {
    const unsigned char first = byte_at(text, i);
    if (first == 0) return 0;
    if (first < 0x80) return 1;
    if (first < 0xc2) return 0;
    if (first < 0xe0) return is_tail(text, i + 1) ? 2 : 0;
    if (first < 0xf0) {
        if (!is_tail(text, i + 1) || !is_tail(text, i + 2)) return 0;
        const unsigned char second = byte_at(text, i + 1);
        if (first == 0xe0 && second < 0xa0) return 0;   // overlong
        if (first == 0xed && second >= 0xa0) return 0;  // a surrogate
        return 3;
    }
    if (first > 0xf4) return 0;
    if (!is_tail(text, i + 1) || !is_tail(text, i + 2) || !is_tail(text, i + 3)) return 0;
    const unsigned char second = byte_at(text, i + 1);
    if (first == 0xf0 && second < 0x90) return 0;
    if (first == 0xf4 && second >= 0x90) return 0;
    return 4;
}

// U+10FF00 … U+10FFFF are F4 8F BC 80 … F4 8F BF BF.
bool is_ours(std::string_view text, std::size_t i) {
    return i + 3 < text.size() && byte_at(text, i) == 0xf4 && byte_at(text, i + 1) == 0x8f &&
           byte_at(text, i + 2) >= 0xbc;
}

void put_byte(std::string& out, unsigned char byte) {
    out += static_cast<char>(0xf4);
    out += static_cast<char>(0x8f);
    out += static_cast<char>(0xbc + (byte >> 6));
    out += static_cast<char>(0x80 + (byte & 0x3f));
}

}  // namespace

bool is_plain(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
        if (byte_at(text, i) - 1u < 0x7fu) {
            ++i;
            continue;
        }
        const std::size_t size = character_at(text, i);
        if (size == 0 || is_ours(text, i)) return false;
        i += size;
    }
    return true;
}

std::string encoded(std::string_view text) {
    std::string out;
    out.reserve(text.size() + 16);
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t size = character_at(text, i);
        if (size == 0) {
            put_byte(out, byte_at(text, i));
            ++i;
        } else if (is_ours(text, i)) {
            for (std::size_t k = 0; k < size; ++k) put_byte(out, byte_at(text, i + k));
            i += size;
        } else {
            out.append(text.substr(i, size));
            i += size;
        }
    }
    return out;
}

bool may_be_encoded(std::string_view text) {
    return !text.empty() && std::memchr(text.data(), 0xf4, text.size()) != nullptr;
}

std::string decoded(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size();) {
        if (is_ours(text, i)) {
            out += static_cast<char>(((byte_at(text, i + 2) - 0xbc) << 6) |
                                     (byte_at(text, i + 3) & 0x3f));
            i += 4;
        } else {
            out += text[i++];
        }
    }
    return out;
}

}  // namespace belay::store::postgres
