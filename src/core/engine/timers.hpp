// timers.hpp — things to do later on the Loop lane.
//
// The executor's own alarms cannot be taken back; these can. As few alarms as possible are set: one is held by the
// executor for as long as it takes, so one that is set again beside the one that is there stays in memory until a far
// timer is due. Used on the Loop lane only.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include <belay/time.hpp>

#include "core/base/unique_function.hpp"
#include "core/engine/services.hpp"

namespace belay::engine {

class Timers {
public:
    using Key = std::pair<Time, std::uint64_t>;

    explicit Timers(Environment& world) : world_(world) {}

    // What to call around the timers that fire, so that the loop can do its end-of-turn work.
    void set_after(std::function<void()> after) { after_ = std::move(after); }

    Key at(Time when, base::UniqueFunction<void()> what);
    void cancel(const Key& key) { waiting_.erase(key); }

private:
    void arm();
    void fire(Time alarm);

    Environment& world_;
    std::function<void()> after_;
    std::map<Key, base::UniqueFunction<void()>> waiting_;
    std::uint64_t next_number_ = 1;  // 0 is no timer
    std::set<Time> alarms_;          // that the executor holds for us, each at another time
};

}  // namespace belay::engine
