// saturate.hpp — times that stay times: a sum that would overflow is the last time there is.
//
// People write Duration::max() for "never". In milliseconds from now that wraps around into the past, and
// in the nanoseconds of a system clock a few centuries do.
#pragma once

#include <belay/time.hpp>

namespace belay::base {

// The first moment of 2200: fits every clock, and nothing here lives to see it.
inline constexpr Time kTimeMax{std::chrono::milliseconds{7'258'118'400'000}};

inline constexpr Time later(Time from, Duration by) {
    if (by >= kTimeMax - from) return kTimeMax;
    if (by <= Time{} - from) return Time{};
    return from + by;
}

}  // namespace belay::base
