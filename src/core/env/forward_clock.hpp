// forward_clock.hpp — a wall clock that never goes back.
//
// While `wall` is behind what this clock has given or seen, time goes on with the steady clock. So what was due
// stays due when somebody sets the machine's clock back, and when a program starts again on a store whose last
// rows are later than the machine's clock. It goes with the wall clock again as soon as that has caught up.
#pragma once

#include <atomic>
#include <functional>
#include <limits>
#include <utility>

#include "core/env/clock.hpp"

namespace belay::env {

class ForwardClock final : public Clock {
public:
    using Steady = std::function<Duration()>;  // since any fixed moment; only grows

    ForwardClock();  // the machine's two clocks
    ForwardClock(const Clock& wall, Steady steady) : wall_(wall), steady_(std::move(steady)) {}

    Time now() const override;
    // Somebody has written down `time`: now() is not before it from here on.
    void saw(Time time);

private:
    void raise(Duration::rep ahead) const;

    const Clock& wall_;
    Steady steady_;
    // How far time is ahead of the steady clock: the most that was ever seen.
    mutable std::atomic<Duration::rep> ahead_ms_{std::numeric_limits<Duration::rep>::min()};
};

}  // namespace belay::env
