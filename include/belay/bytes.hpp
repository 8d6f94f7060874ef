// bytes.hpp — two small types that checkpoints need: raw bytes, and nothing.
#pragma once

#include <compare>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace belay {

// Bytes that are not text. Stored as base64, a third larger than they are: what is larger than a few
// KiB belongs in an object.
struct Bytes {
    std::vector<std::byte> data;

    Bytes() = default;
    explicit Bytes(std::vector<std::byte> bytes) : data(std::move(bytes)) {}
    explicit Bytes(std::span<const std::byte> bytes) : data(bytes.begin(), bytes.end()) {}
    explicit Bytes(std::string_view bytes) : Bytes(std::as_bytes(std::span(bytes))) {}

    // The same bytes as characters; valid as long as `data` is not changed.
    std::string_view view() const {
        return {reinterpret_cast<const char*>(data.data()), data.size()};
    }

    friend bool operator==(const Bytes&, const Bytes&) = default;
};

// The result of a step that has none. Stored as null.
struct Nothing {
    friend auto operator<=>(const Nothing&, const Nothing&) = default;
};

}  // namespace belay
