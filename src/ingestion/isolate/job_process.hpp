// job_process.hpp — the life of one job in the process that was forked for it.
#pragma once

#include <vector>

#include "ingestion/isolate/fd.hpp"
#include "ingestion/isolate/message.hpp"
#include "ingestion/isolate/registry.hpp"

namespace belay::isolate {

// What the helper hands to a new process.
struct JobProcess {
    const Registry::Entry& entry;
    const Start& start;
    Fd channel;              // to the parent
    std::vector<Fd> inputs;  // read only
    const Fd& landlock;      // rules for this entry
    int null_fd;
    int helper_pid;
};

// Confines this process, reads the request, runs the handler and answers. Never returns.
[[noreturn]] void live_as_job(JobProcess job);

}  // namespace belay::isolate
