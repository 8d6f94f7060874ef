// retention.hpp — lets runs go that are over, when their workflow says so (rule 12).
//
// Each deletion is a small batch among the others, and after each the writer is free for everybody else. A run
// that ends is remembered by the minute in which it will be due; what an earlier process left is looked for
// at the start and, in a real world, once an hour. Used on the Loop lane.
#pragma once

#include <map>
#include <set>
#include <string>

#include <belay/options.hpp>

#include "core/engine/services.hpp"
#include "core/engine/timers.hpp"
#include "core/store/batch.hpp"

namespace belay::engine {

class RetentionSweep {
public:
    RetentionSweep(Services& services, Timers& timers) : services_(services), timers_(timers) {}

    void add(const std::string& workflow_key, const Retention& retention);
    void start();
    void stop() { stopped_ = true; }

    // A run of that workflow is over.
    void ended(const std::string& workflow_key, RunStatus status);

private:
    void due_at(Time when);
    void arm();
    void sweep();
    void swept(const store::Prune& prune);
    void collect_garbage();
    void look_hourly();

    Services& services_;
    Timers& timers_;
    std::map<std::string, Retention> workflows_;  // those that keep their runs for a time
    std::set<Time> due_;                          // minutes in which some run may go
    bool armed_ = false;
    bool sweeping_ = false;
    bool deleted_some_ = false;  // since large values were collected
    bool stopped_ = false;
};

}  // namespace belay::engine
