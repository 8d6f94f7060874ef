// words.hpp — times and errors as they are put into a table.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/model/run.hpp"
#include "core/model/stage.hpp"

namespace belay::cli {

// "3 min 20 s"; "-" if it has not begun. Up to `now` while it has not ended.
std::string duration_text(const std::optional<Time>& from, const std::optional<Time>& to, Time now);

// "20:00:00.000" on the day of `day`, "11-16 20:00:00" on another; UTC. "-" for nothing.
std::string clock_text(const std::optional<Time>& time, Time day);

// "no text on the page": the first line of what went wrong, cut to fit a table.
std::string short_error(const model::Run& run);

// "3.2 GiB"
std::string bytes_text(std::uint64_t bytes);

// The one of `known` nearest to what was typed, if it is near enough to have been meant.
std::optional<std::string> nearest(const std::string& typed, const std::vector<std::string>& known);

}  // namespace belay::cli
