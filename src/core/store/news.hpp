// news.hpp — what other processes did on a store that several execute on, for one of them to act on.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "core/model/run.hpp"

namespace belay::store {

// What others asked of a run that this executor holds, as its row has it now.
struct RunNews {
    model::RunNo run{};
    std::int64_t signals = 0;
    bool cancel_requested = false;
    bool pause_requested = false;
    bool leaves = false;  // with a cancel: what it did is left as it is
    std::string reason{};
};

// May say yes too often; what is missed is told a few seconds later.
struct News {
    bool requests = false;  // there are control requests to take
    bool due = false;       // there may be something to claim
    // Runs that ended: someone may wait for one of them here. With `any_ended` others may have as well.
    std::set<model::RunNo> ended{};
    bool any_ended = false;
    std::vector<RunNews> runs{};  // of this executor, that others asked something of
};

// A store that is executed on by several processes is also one of these.
class Outside {
public:
    virtual ~Outside() = default;

    // What came since the last call. Cheap while nothing has. Called from the executor's thread.
    virtual News news() = 0;

    // Calls `callback`, on any thread, when there may be news. It must be short. Null ends it, and waits for a call
    // under way.
    virtual void on_news(std::function<void()> callback) = 0;
};

}  // namespace belay::store
