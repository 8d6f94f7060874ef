#include "engine/timers.hpp"

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
    if (armed_for_ && *armed_for_ <= earliest) return;
    armed_for_ = earliest;
    world_.executor.post_at(earliest, env::Lane::Loop, [this] { fire(); });
}

void Timers::fire() {
    const Time now = world_.clock.now();
    // An alarm that was armed for a later time still comes after this one; forgetting it only means that
    // it may find nothing to do.
    armed_for_.reset();
    while (!waiting_.empty() && waiting_.begin()->first.first <= now) {
        auto node = waiting_.extract(waiting_.begin());
        node.mapped()();
    }
    arm();
    if (after_) after_();
}

}  // namespace belay::engine
