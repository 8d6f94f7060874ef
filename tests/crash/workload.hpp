// workload.hpp — what the killed program runs, as its tests must know it.
#pragma once

#include <cstddef>
#include <string>

#include <fmt/format.h>

namespace belay::test {

inline std::string run_id(int n) { return fmt::format("run-{:04}", n); }
inline std::string bomb_id(int n) { return fmt::format("bomb-{}", n); }

// Steps of `work` that leave a record and a line each; transactions and sleeps are not among them.
inline constexpr std::size_t kStepsOfARun = 7;

// What `work` makes of its input: (((n + 1) * 2 + 3) + 1 + 1 + 1) * 2.
inline int result_of(int n) { return ((n + 1) * 2 + 6) * 2; }

}  // namespace belay::test
