// death.hpp — a process died while a run was in its hands: a row for each such run (docs/deaths.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <belay/time.hpp>

namespace belay::model {

// How the process died, as far as its black box says.
enum class DeathReason {
    Unknown,  // there was no box to read: another machine's, or it is gone
    Killed,   // without a word: SIGKILL, the kernel out of memory, power; nobody can tell these apart
    Signal,   // by a signal that one of its threads raised: a crash
};
std::string_view to_string(DeathReason reason);
std::optional<DeathReason> death_reason(std::string_view word);

// What is told of a worker's name: the part that is its own (HOST/PROCESS/MARK), without the machine.
std::string_view worker_mark(std::string_view worker);

struct Death {
    std::int64_t epoch = 0;    // of the run, under which it was in those hands
    std::string worker{};      // that died
    Time last_seen{};          // alive
    std::string picked_up_by{};  // the worker that took the run since; empty: none yet
    std::optional<Time> picked_up_at{};
    std::string stage{};   // the step whose code was executing, if it is known
    bool charged = false;  // the run's own code was executing: it may be what killed it
    DeathReason reason = DeathReason::Unknown;

    friend bool operator==(const Death&, const Death&) = default;
};

}  // namespace belay::model
