// failpoint.hpp — named places where a test can kill the process.
//
// BELAY_FAILPOINT=commit.after:37 in the environment kills the process with SIGKILL when it passes
// `commit.after` for the 37th time: no destructor, no flush, as a power cut would. Without the variable
// a failpoint is one load and a branch. tests/crash lists all names and dies at each.
#pragma once

#include <string_view>
#include <vector>

namespace belay::base {

// Every name there is, in the order a run passes them.
const std::vector<std::string_view>& failpoint_names();

namespace detail {
extern const bool kFailpointArmed;
void pass_failpoint(std::string_view name);
}  // namespace detail

inline void failpoint(std::string_view name) {
    if (detail::kFailpointArmed) [[unlikely]] {
        detail::pass_failpoint(name);
    }
}

}  // namespace belay::base
