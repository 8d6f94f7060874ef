// query.hpp — what stands behind the `?` of a target, and how a handler reads it.
//
// A parameter that cannot be understood is refused with its name, its value and what would be right:
// a filter that is silently ignored shows the wrong list.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <belay/time.hpp>

namespace belay::api {

// "%2F" → "/" and, in a query, "+" → " ". Nothing for a broken escape, and for bytes that are not
// UTF-8 or hold a NUL.
std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_blank);
// What a path segment or a query value needs escaped, escaped.
std::string percent_encoded(std::string_view text);

class Query {
public:
    Query() = default;
    // Throws ApiError{invalid_parameter} for a broken escape, or for more than 100 parameters.
    explicit Query(std::string_view text);

    std::optional<std::string_view> find(std::string_view name) const;
    // Of one that may be given several times.
    std::vector<std::string_view> all(std::string_view name) const;
    // Its value, or "" also when it is not given.
    std::string text(std::string_view name, std::size_t chars_max = 500) const;
    // Throws ApiError{invalid_parameter} unless it is a whole number in the range.
    std::int64_t integer(std::string_view name, std::int64_t otherwise, std::int64_t least,
                         std::int64_t most) const;
    // "2026-10-01T12:00:00.000Z", or a day, which begins in UTC; nothing if it is not given or empty. Throws as above.
    std::optional<Time> time(std::string_view name) const;
    // "1", "true" or given without a value: true; "0" and "false": false.
    bool flag(std::string_view name) const;
    // Refuses what is not among the names: a misspelt filter must not look like one that worked.
    void allow_only(std::span<const std::string_view> names) const;

private:
    std::vector<std::pair<std::string, std::string>> parameters_;
};

// Where a list goes on. Opaque to clients: base64url, so that nobody computes with it.
std::string cursor_text(std::int64_t position);
// Throws ApiError{invalid_parameter} for anything that cursor_text did not make.
std::int64_t read_cursor(std::string_view text);

inline constexpr std::int64_t kListLimitDefault = 50;
inline constexpr std::int64_t kListLimitMax = 500;

}  // namespace belay::api
