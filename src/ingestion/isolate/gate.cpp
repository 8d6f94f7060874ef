#include "ingestion/isolate/gate.hpp"

namespace belay::isolate {

std::optional<Gate::Place> Gate::enter(const std::stop_token& stop) {
    std::unique_lock lock{mutex_};
    if (stop.stop_requested()) return std::nullopt;
    if (free_ > 0) {
        --free_;
        ++inside_;
        return Place{*this};
    }
    const auto me = queue_.emplace(queue_.end());
    me->admitted_changed.wait(lock, stop, [&] { return me->admitted; });
    if (me->admitted) {
        // leave() took us off the count of the waiting by passing its place on.
        queue_.erase(me);
        if (!stop.stop_requested()) return Place{*this};
        lock.unlock();
        leave();
        return std::nullopt;
    }
    queue_.erase(me);
    return std::nullopt;
}

void Gate::leave() {
    const std::lock_guard lock{mutex_};
    for (auto& waiter : queue_) {
        if (waiter.admitted) continue;
        waiter.admitted = true;
        waiter.admitted_changed.notify_one();
        return;
    }
    ++free_;
    --inside_;
}

int Gate::inside() const {
    const std::lock_guard lock{mutex_};
    return inside_;
}

int Gate::waiting() const {
    const std::lock_guard lock{mutex_};
    int count = 0;
    for (const auto& waiter : queue_) count += waiter.admitted ? 0 : 1;
    return count;
}

}  // namespace belay::isolate
