// parker.hpp — one thread sleeps until another wakes it.
//
// A sleeping thread costs its waker a system call and itself some 30 µs until it runs; a spinning one
// costs neither. So a thread that expects work at once spins for a moment first, and stops doing so
// while that does not pay.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace belay::env {

class Parker {
public:
    // Sleeps. Returns true as soon as unpark() was called, before or during this call; false after
    // `timeout`. Only the owning thread may call it.
    bool park_for(std::chrono::nanoseconds timeout);

    // The same without sleeping, and at once false if spinning has not paid lately. Worth calling before
    // park_for() by a thread that expects work at once.
    bool spin_for(std::chrono::nanoseconds timeout);

    // Wakes the owner, or makes its next park_for() return at once. Calls do not add up. Any thread; no
    // system call unless the owner sleeps. What the caller did before is visible to the owner.
    void unpark();

private:
    enum State : std::uint32_t { kNothing, kWoken, kAsleep };

    bool spinning_pays();

    std::atomic<std::uint32_t> state_{kNothing};

    // The owner's memory of how its last spins ended.
    int spin_score_ = 4;
    int calls_since_spin_ = 0;
};

}  // namespace belay::env
