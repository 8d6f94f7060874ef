// pause.hpp — waiting before the next attempt, as an interface: tests wait without time passing.
#pragma once

#include <stop_token>
#include <vector>

#include <belay/time.hpp>

#include "core/env/clock.hpp"

namespace belay::env {

class Pause {
public:
    Pause() = default;
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;
    virtual ~Pause() = default;

    // Returns after `duration`, or at once when a stop is asked for. May be called from any thread.
    virtual void wait(Duration duration, std::stop_token stop = {}) = 0;
};

// Really waits.
class SystemPause final : public Pause {
public:
    void wait(Duration duration, std::stop_token stop = {}) override;
};

// Moves a clock instead of waiting, and remembers what it was asked for. For one thread.
class ManualPause final : public Pause {
public:
    explicit ManualPause(ManualClock& clock) : clock_(clock) {}

    void wait(Duration duration, std::stop_token = {}) override {
        waits.push_back(duration);
        clock_.advance(duration);
    }

    std::vector<Duration> waits;

private:
    ManualClock& clock_;
};

}  // namespace belay::env
