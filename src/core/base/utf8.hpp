// utf8.hpp — where a text stops being UTF-8.
//
// Databases, JSON and browsers each refuse bad UTF-8 at another moment; Belay refuses or repairs it
// once, where text enters.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace belay::base {

// The length (1–4) of the well-formed UTF-8 sequence at the start of `text`, or 0 if there is none.
// Overlong forms, surrogates and values above U+10FFFF are not well-formed.
std::size_t utf8_sequence(std::string_view text) noexcept;

bool is_utf8(std::string_view text) noexcept;

// `text` with every byte that is not part of well-formed UTF-8, and every NUL (which PostgreSQL
// cannot store), replaced by U+FFFD.
std::string to_valid_utf8(std::string_view text);

// At most `chars_max` characters (code points) of `text`, always valid UTF-8; a text that was cut
// ends in "…", which counts as one of them.
std::string truncate(std::string_view text, std::size_t chars_max);

}  // namespace belay::base
