// room.hpp — how many runs may be in memory at once, and how many are.
//
// Counted are the runs that are live, those being loaded, and those that will be claimed with their
// submission; a run that waits holds no room. Called from any thread.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace belay::engine {

class Room {
public:
    explicit Room(std::size_t most) : most_(static_cast<std::int64_t>(most)) {}

    bool has_some() const { return left() > 0; }
    std::int64_t left() const {
        return std::max<std::int64_t>(0, most_ - taken_.load(std::memory_order_relaxed));
    }

    // Takes room for one run, if there is some.
    bool take() {
        if (taken_.fetch_add(1, std::memory_order_relaxed) < most_) return true;
        taken_.fetch_sub(1, std::memory_order_relaxed);
        return false;
    }
    // Counts runs that are here, whether there was room for them or not; less than zero gives back.
    void count(std::int64_t change) { taken_.fetch_add(change, std::memory_order_relaxed); }

private:
    const std::int64_t most_;
    std::atomic<std::int64_t> taken_{0};
};

}  // namespace belay::engine
