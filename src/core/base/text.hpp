// text.hpp — times, durations and bytes as people and JSON read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <belay/time.hpp>

namespace belay::base {

// RFC 3339 in UTC with milliseconds: 2026-11-15T20:00:00.000Z. RFC 3339 has four digits for the
// year: times outside the years 0 to 9999 are shown as the nearest time inside.
std::string format_time(Time time);

// Reads RFC 3339 with `Z` or a numeric offset and any fraction (cut to milliseconds); nothing if
// `text` is anything else, such as a day that the month does not have.
std::optional<Time> parse_time(std::string_view text);

// A duration as a person says it, in its two largest units: "850 ms", "3.2 s", "3 min 20 s",
// "2 h 5 min", "3 d 4 h". Rounded down.
std::string format_duration(Duration duration);

// Lower-case hex, two digits a byte; sixteen digits for a number.
std::string to_hex(std::span<const std::byte> bytes);
std::string to_hex(std::uint64_t number);

}  // namespace belay::base
