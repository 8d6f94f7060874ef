// turn.hpp — whose code the Loop lane is in, and since when.
//
// Workflow code that blocks between steps holds up all other runs. It cannot be interrupted, but it can be
// named: the loop marks each turn here, and another thread looks.
#pragma once

#include <mutex>
#include <optional>
#include <string>

#include <belay/time.hpp>

#include "core/engine/inside.hpp"
#include "core/engine/services.hpp"

namespace belay::engine {

class Resident;

class TurnWatch {
public:
    explicit TurnWatch(const Services& services) : services_(services) {}

    // On the Loop lane: while it lives the loop is inside that run's code.
    class Guard {
    public:
        Guard(TurnWatch& watch, const Resident& run);
        // It is about to be told of a claim that gave it this epoch.
        Guard(TurnWatch& watch, const Resident& run, std::int64_t epoch);
        ~Guard();
        Guard(const Guard&) = delete;
        Guard& operator=(const Guard&) = delete;

    private:
        TurnWatch& watch_;
        Inside inside_;  // its code must not wait for the engine
        belay::detail::Executing executing_;
    };

    // The run is about to go. It may be inside a turn of its own, which goes on without it.
    void forget(const Resident& run);

    // From any thread: what blocks the loop at this moment; nothing if nothing does.
    struct Turn {
        std::string run_id;
        std::string workflow_key;
        Time since;
    };
    std::optional<Turn> under_way() const;

private:
    const Services& services_;
    mutable std::mutex mutex_;  // guards the rest
    std::optional<Time> since_;
    const Resident* run_ = nullptr;
};

}  // namespace belay::engine
