// base64.hpp — bytes as text, RFC 4648 section 4, with padding.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace belay::base {

// Appends the base64 of `bytes` to `out`.
void append_base64(std::string& out, std::span<const std::byte> bytes);

// The bytes, or nothing if `text` is not base64 with its padding.
std::optional<std::vector<std::byte>> decode_base64(std::string_view text);

}  // namespace belay::base
