// pool.hpp — runs risky native work in sandboxed processes: the parent's side.
//
// A Pool keeps one helper program (`belay-media`) warm and has it fork a process per job, so that no job
// sees what another left, a crash costs one job, and a time limit is a kill. The helper refuses to start on
// a machine where it cannot confine its jobs. docs/internals/isolation.md has the protocol and the sandbox.
//
// Time here is the machine's, not a Clock's: it bounds real processes.
#pragma once

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "ingestion/isolate/failure.hpp"
#include "ingestion/isolate/job.hpp"

namespace belay::isolate {

struct PoolOptions {
    std::string program{};                 // empty: belay-media beside the running binary
    std::vector<std::string> arguments{};  // given to it
    // The helper's whole environment beside the defaults that Pool sets (PATH, LANG, OMP_THREAD_LIMIT): it
    // does not inherit ours, which may hold keys.
    std::vector<std::pair<std::string, std::string>> environment{};
    int jobs_at_once = 0;                              // long ones; 0: as many as there are cores
    int kept_for_short = 1, looks_at_once = 1;         // beside them (turns.hpp)
    std::chrono::milliseconds start_time_max{60'000};  // for the helper to warm up
    // A killed job is gone in milliseconds. One that is not after this hangs in the kernel, or its helper does:
    // then the next job gets a new helper.
    std::chrono::milliseconds kill_time_max{10'000};
};

// What the helper said of itself.
struct HelperInfo {
    std::string program{};
    std::string sandbox{};  // "seccomp, Landlock 7, no network, user 65534"
    std::vector<std::string> jobs{};
    std::vector<std::pair<std::string, std::string>> unavailable{};  // job and why
    int pid = 0;
};

// Every function may be called from any thread.
class Pool {
public:
    explicit Pool(PoolOptions options = {});
    ~Pool();  // no run() may be under way; ends the helper
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

    // Runs the job in a process of its own and waits for its answer; first waits for its asker's turn, unless this
    // thread holds one, and for the helper if it has to be started. Throws JobFailed, and Error{InvalidArgument} for a job that is above
    // the bounds in job.hpp. A stop request ends the wait, and kills the job if it runs.
    Answer run(const Job& job, std::stop_token stop = {});

    // Starts the helper if it is not running. Throws JobFailed{SandboxUnavailable} with the reason, so that a
    // server can refuse to start, and JobFailed{Stopped}.
    HelperInfo start(std::stop_token stop = {});

    // Who may have a process next. Whoever can wait without a thread asks here first (in_turn.hpp).
    Turns& turns();

    // How many times a helper was started, and how many jobs have a turn or wait for one now.
    int starts() const;
    int jobs_running() const;
    int jobs_waiting() const;

    // The most memory that any job's process has had resident.
    std::uint64_t peak_bytes() const;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

// `belay-media` beside the running binary.
std::string default_helper();

}  // namespace belay::isolate
