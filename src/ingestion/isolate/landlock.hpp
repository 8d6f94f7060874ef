// landlock.hpp — which files a job may read, said to the kernel (Linux 5.13 and newer).
#pragma once

#include <string>
#include <vector>

#include "ingestion/isolate/fd.hpp"

namespace belay::isolate {

// The kernel's version of Landlock, 0 if it has none.
int landlock_version();

// A rule set under which only the given files and what is in the given folders can be read, and nothing
// written, executed, made, removed, connected or (newer kernels) signalled. Paths that do not exist are passed over.
// An empty descriptor if the kernel has no Landlock. Throws std::system_error.
Fd landlock_rules(const std::vector<std::string>& readable);

// Holds this process to the rules, for good. False, with errno, if the kernel refuses.
bool landlock_enforce(const Fd& rules);

}  // namespace belay::isolate
