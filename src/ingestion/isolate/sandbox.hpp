// sandbox.hpp — takes rights away: from the helper what no job needs, from a job all but its own memory.
//
// The helper gives up the network and new privileges before it warms up, and root after (a model may be
// readable by root alone). A job then gets limits, Landlock and the system call filter. Everything here is
// for a process with one thread; descriptor numbers are settled by the caller.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ingestion/isolate/fd.hpp"
#include "ingestion/isolate/job.hpp"

namespace belay::isolate {

// What could be done on this machine, in words for `belay doctor`.
using SandboxWords = std::vector<std::string>;

// In the helper, first thing. Throws std::system_error if new privileges cannot be given up.
void enter_helper(SandboxWords& words);

// In the helper, after warm-up: root becomes nobody, and capabilities are dropped.
void drop_privileges(SandboxWords& words);

// In a job: what it may still do.
struct JobRights {
    bool may_open = false;  // files for reading, as `landlock` allows
    Fd landlock{};          // rules, or empty where the kernel has none
    Limits limits{};
    std::uint64_t input_bytes = 0;  // mapped beside the limit on memory
    int descriptors = 0;            // that it holds already
};

// Confines this process for good. Throws std::system_error when anything but Landlock's absence stands in
// the way: then the job must not run.
void confine(const JobRights& rights);

// In a forked process that is given up for it: confines itself and tries what a job must not be able to
// do. Empty if the sandbox holds, else what got through.
std::string probe_sandbox();

// How much address space this process has now.
std::uint64_t address_space_bytes();

}  // namespace belay::isolate
