// key.hpp — the name of an object: `organization/name`.
//
// Made only from text that was checked, so whoever holds a Key may use it as a path below a folder, in a
// URL and in a log line. `name` may have folders of its own.
#pragma once

#include <compare>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace belay::objects {

// What S3 allows for a whole key, and what fits a file name with a suffix for each part between slashes.
inline constexpr std::size_t kKeyBytesMax = 1024;
inline constexpr std::size_t kKeyPartBytesMax = 240;

class Key {
public:
    // Throws Error{InvalidArgument} that says what is wrong with the text (see problem()).
    explicit Key(std::string text);
    Key(std::string_view organization, std::string_view name);

    // Why `text` is no key, nothing if it is one: UTF-8 of at most 1024 bytes, at least two parts between
    // slashes, each of 1 to 240 bytes and neither `.` nor `..`, no control characters.
    static std::optional<std::string> problem(std::string_view text);

    const std::string& text() const { return text_; }
    std::string_view organization() const;
    std::string_view name() const;  // all after the first slash

    friend auto operator<=>(const Key&, const Key&) = default;

private:
    std::string text_;
};

}  // namespace belay::objects
