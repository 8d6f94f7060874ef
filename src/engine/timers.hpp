// timers.hpp — things to do later on the Loop lane.
//
// The executor's own timers cannot be taken back; these can. Used on the Loop lane only.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include <belay/time.hpp>

#include "base/unique_function.hpp"
#include "engine/services.hpp"

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
    void fire();

    Environment& world_;
    std::function<void()> after_;
    std::map<Key, base::UniqueFunction<void()>> waiting_;
    std::uint64_t next_number_ = 1;  // 0 is no timer
    std::optional<Time> armed_for_;  // the earliest alarm that the executor holds for us
};

}  // namespace belay::engine
