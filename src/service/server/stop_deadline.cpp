#include "service/server/stop_deadline.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace belay::server {

namespace {
// What keeps to the deadline by itself needs a little longer than that to come to its end.
constexpr Duration kMoment{1000};
}  // namespace

StopDeadline::StopDeadline(Duration at_most, std::ostream& errors, std::function<void()> overdue)
    : end_(Steady::now() + at_most), errors_(errors), overdue_(std::move(overdue)),
      thread_([this] { watch(); }) {}

StopDeadline::~StopDeadline() {
    {
        const std::lock_guard lock(mutex_);
        ended_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

Duration StopDeadline::left() const {
    return std::max(Duration{0}, std::chrono::duration_cast<Duration>(end_ - Steady::now()));
}

void StopDeadline::watch() {
    std::unique_lock lock(mutex_);
    if (changed_.wait_until(lock, end_ + kMoment, [this] { return ended_; })) return;
    if (overdue_) return overdue_();
    errors_ << "belay: warning: not everything under way ended in time; it is left, and the next "
               "start recovers it\n"
            << std::flush;
    std::_Exit(EXIT_SUCCESS);
}

}  // namespace belay::server
