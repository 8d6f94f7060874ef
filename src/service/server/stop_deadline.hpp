// stop_deadline.hpp — a process that was told to stop ends in time, whatever hangs in it.
//
// A thread that waits for a disk or for another machine cannot be killed, and who stops a server must not wait for it.
// To be killed at any moment is what everything here is built for: the next start recovers what was under way.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <ostream>
#include <thread>

#include <belay/time.hpp>

namespace belay::server {

class StopDeadline {
public:
    // From now on. When it is over, and a moment after, `overdue` is called on a thread of its own; without one the
    // process says so on `errors` and ends.
    StopDeadline(Duration at_most, std::ostream& errors, std::function<void()> overdue = {});
    ~StopDeadline();  // what had to end has ended
    StopDeadline(const StopDeadline&) = delete;
    StopDeadline& operator=(const StopDeadline&) = delete;

    // Never negative.
    Duration left() const;

private:
    using Steady = std::chrono::steady_clock;
    void watch();

    const Steady::time_point end_;
    std::ostream& errors_;
    const std::function<void()> overdue_;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool ended_ = false;
    std::thread thread_;  // the last: it uses the others
};

}  // namespace belay::server
