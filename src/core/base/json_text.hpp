// json_text.hpp — how much of a text JSON takes as it is.
#pragma once

#include <cstddef>
#include <string_view>

namespace belay::base {

// The number of characters at the start of `text` that are ASCII and stand for themselves in a JSON
// string: no control character, quote or backslash.
std::size_t plain_prefix(std::string_view text) noexcept;

}  // namespace belay::base
