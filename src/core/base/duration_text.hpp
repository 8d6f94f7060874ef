// duration_text.hpp — durations and moments as people type them: "90m", "7d", "2026-11-15".
#pragma once

#include <optional>
#include <string_view>

#include <belay/time.hpp>

namespace belay::base {

// Numbers with units, added up: "250ms", "90s", "1.5h", "1h30m", "7d", "2w", and what format_duration
// writes ("2 h 5 min"). Units are ms, s (sec), m (min), h, d, w. Nothing for anything else: a number
// without a unit, a sign, what is not a whole number of milliseconds, more than 10,000 years.
std::optional<Duration> parse_duration(std::string_view text);

// What parse_duration takes, for messages.
inline constexpr std::string_view kDurationExamples = "30s, 15m, 1h30m, 7d, 2w";

// A moment: RFC 3339 ("2026-11-15T20:00:00Z", with any offset), a day in UTC ("2026-11-15", its start),
// or a duration, which means that long before `now`. Nothing for anything else.
std::optional<Time> parse_moment(std::string_view text, Time now);

inline constexpr std::string_view kMomentExamples =
    "1h (ago), 7d, 2026-11-15, 2026-11-15T20:00:00Z";

}  // namespace belay::base
