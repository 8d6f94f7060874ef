// clock.hpp — what time it is, asked of an object and never of the machine.
//
// Everything outside src/core/env is given a `const Clock&`, so a test or a simulation can move time by
// hand. Whoever waits for a time subscribes with on_change(): a clock moved by hand tells its waiters,
// the real one never does.
#pragma once

#include <atomic>
#include <functional>
#include <list>
#include <mutex>
#include <utility>

#include <belay/time.hpp>

#include "core/base/unique_function.hpp"

namespace belay::env {

// Ends what it was returned for when it is destroyed. Afterwards the callback neither runs nor will.
class Subscription {
public:
    Subscription() = default;
    explicit Subscription(base::UniqueFunction<void()> end) : end_(std::move(end)), active_(true) {}
    Subscription(Subscription&& other) noexcept;
    Subscription& operator=(Subscription&& other) noexcept;
    ~Subscription() { cancel(); }

    void cancel();

private:
    base::UniqueFunction<void()> end_;
    bool active_ = false;
};

// All functions may be called from any thread.
class Clock {
public:
    Clock() = default;
    Clock(const Clock&) = delete;
    Clock& operator=(const Clock&) = delete;
    virtual ~Clock() = default;

    virtual Time now() const = 0;

    // Calls `changed` after every move by hand, on the thread that moved the clock, until the
    // subscription ends. `changed` must be short and must not subscribe. The clock must outlive the
    // subscription.
    [[nodiscard]] Subscription on_change(std::function<void()> changed) const;

protected:
    void tell_subscribers() const;

private:
    mutable std::mutex mutex_;
    mutable std::list<std::function<void()>> subscribers_;
};

// The machine's wall clock. It may jump, in both directions: nobody may rely on it only growing.
class SystemClock final : public Clock {
public:
    Time now() const override;
};

// Stands still until it is moved.
class ManualClock final : public Clock {
public:
    // Starts at 2025-01-01T00:00:00Z unless told otherwise: a date that reads as a date in a failed test.
    explicit ManualClock(Time start = Time{std::chrono::sys_days{std::chrono::year{2025} / 1 / 1}});

    Time now() const override;
    void advance(Duration by);
    void set(Time to);

private:
    std::atomic<Time::rep> now_ms_;
};

// The machine's wall clock plus an offset that can be moved: a program runs for real, and skips the
// days that it would have slept.
class OffsetClock final : public Clock {
public:
    explicit OffsetClock(Duration offset = {}) : offset_ms_(offset.count()) {}

    Time now() const override;
    void advance(Duration by);

private:
    std::atomic<Duration::rep> offset_ms_;
};

}  // namespace belay::env
