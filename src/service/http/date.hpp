// date.hpp — times as HTTP writes them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <belay/time.hpp>

namespace belay::http {

// "Sun, 06 Nov 1994 08:49:37 GMT"; nothing if it is anything else. Older forms of the date are not read.
std::optional<Time> parse_date(std::string_view text);
std::string format_date(Time time);

// A Retry-After header: seconds, or a date after `now`. At least 0; nothing if it is neither.
std::optional<Duration> parse_retry_after(std::string_view text, Time now);

}  // namespace belay::http
