// syscall_filter.hpp — which system calls a job may make, as a seccomp program.
//
// An allow-list: memory, its own descriptors, clocks and signals to itself. What is not on it fails with
// EPERM, so that a library that only tries something goes on without it; what only an attacker needs (run a
// program, look into another process, load code into the kernel) kills the job. Written as BPF by hand: it
// is a list of numbers, needs no library, and knows the job's own process id.
#pragma once

#include <linux/filter.h>

#include <cstdint>
#include <vector>

namespace belay::isolate {

struct FilterOptions {
    bool may_open = false;  // files for reading; Landlock says which
    std::int32_t pid = 0;   // the only process it may signal
};

std::vector<sock_filter> make_filter(const FilterOptions& options);

// Installs the filter for this process, for good. False, with errno, if the kernel refuses.
bool install_filter(const std::vector<sock_filter>& program);

}  // namespace belay::isolate
