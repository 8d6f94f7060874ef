#include "core/env/forward_clock.hpp"

#include <chrono>

namespace belay::env {

namespace {

const SystemClock kMachine;

Duration machine_steady() {
    return std::chrono::floor<Duration>(std::chrono::steady_clock::now().time_since_epoch());
}

}  // namespace

ForwardClock::ForwardClock() : ForwardClock(kMachine, machine_steady) {}

Time ForwardClock::now() const {
    const Duration steady = steady_();
    raise((wall_.now().time_since_epoch() - steady).count());
    return Time{steady + Duration{ahead_ms_.load(std::memory_order_relaxed)}};
}

void ForwardClock::saw(Time time) { raise((time.time_since_epoch() - steady_()).count()); }

void ForwardClock::raise(Duration::rep ahead) const {
    Duration::rep known = ahead_ms_.load(std::memory_order_relaxed);
    while (known < ahead &&
           !ahead_ms_.compare_exchange_weak(known, ahead, std::memory_order_relaxed)) {
    }
}

}  // namespace belay::env
