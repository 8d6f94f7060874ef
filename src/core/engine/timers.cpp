#include "core/engine/timers.hpp"

namespace belay::engine {

Timers::Key Timers::at(Time when, base::UniqueFunction<void()> what) {
    const Key key{when, next_number_++};
    waiting_.emplace(key, std::move(what));
    arm();
    return key;
}

void Timers::arm() {
    if (waiting_.empty()) return;
    const Time earliest = waiting_.begin()->first.first;
    if (!alarms_.empty() && *alarms_.begin() <= earliest) return;
    alarms_.insert(earliest);
    world_.executor.post_at(earliest, env::Lane::Loop, [this, earliest] { fire(earliest); });
}

void Timers::fire(Time alarm) {
    alarms_.erase(alarm);
    const Time now = world_.clock.now();
    while (!waiting_.empty() && waiting_.begin()->first.first <= now) {
        auto node = waiting_.extract(waiting_.begin());
        node.mapped()();
    }
    arm();
    if (after_) after_();
}

}  // namespace belay::engine
