// database_clock.hpp — the database's time, on this machine.
//
// All workers of a store write the database's time, so that one with a wrong clock does no harm. It is not asked
// each time: the heart keeps the distance between the database's clock and this machine's monotonic one up to
// date, about once a second.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>

#include "core/env/clock.hpp"

namespace belay::store::postgres {

class DatabaseClock final : public env::Clock {
public:
    explicit DatabaseClock(std::shared_ptr<std::atomic<std::int64_t>> offset)
        : offset_(std::move(offset)) {}

    Time now() const override {
        const auto steady = std::chrono::duration_cast<Duration>(
            std::chrono::steady_clock::now().time_since_epoch());
        return Time{steady + Duration{offset_->load()}};
    }

private:
    // Shared with the heart that moves it, whichever ends first.
    std::shared_ptr<std::atomic<std::int64_t>> offset_;
};

}  // namespace belay::store::postgres
