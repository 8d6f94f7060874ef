#include "core/env/clock.hpp"

#include <utility>

namespace belay::env {

Subscription::Subscription(Subscription&& other) noexcept
    : end_(std::move(other.end_)), active_(std::exchange(other.active_, false)) {}

Subscription& Subscription::operator=(Subscription&& other) noexcept {
    if (this != &other) {
        cancel();
        end_ = std::move(other.end_);
        active_ = std::exchange(other.active_, false);
    }
    return *this;
}

void Subscription::cancel() {
    if (std::exchange(active_, false)) end_();
}

Subscription Clock::on_change(std::function<void()> changed) const {
    std::lock_guard lock(mutex_);
    const auto place = subscribers_.insert(subscribers_.end(), std::move(changed));
    return Subscription([this, place] {
        std::lock_guard end_lock(mutex_);
        subscribers_.erase(place);
    });
}

void Clock::tell_subscribers() const {
    // The lock is held while they run: that is what makes "afterwards it does not run" true.
    std::lock_guard lock(mutex_);
    for (const auto& changed : subscribers_) changed();
}

Time SystemClock::now() const {
    return std::chrono::floor<Duration>(std::chrono::system_clock::now());
}

ManualClock::ManualClock(Time start) : now_ms_(start.time_since_epoch().count()) {}

Time ManualClock::now() const { return Time{Duration{now_ms_.load()}}; }

void ManualClock::advance(Duration by) {
    now_ms_.fetch_add(by.count());
    tell_subscribers();
}

void ManualClock::set(Time to) {
    now_ms_.store(to.time_since_epoch().count());
    tell_subscribers();
}

Time OffsetClock::now() const { return SystemClock{}.now() + Duration{offset_ms_.load()}; }

void OffsetClock::advance(Duration by) {
    offset_ms_.fetch_add(by.count());
    tell_subscribers();
}

}  // namespace belay::env
