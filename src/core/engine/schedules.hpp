// schedules.hpp — runs by the clock: sees which ticks are due, and has the store make runs of them.
//
// It keeps what it last read of every schedule and one timer each. What is due goes to the store as one
// Tick, which makes the runs and moves the schedule on in one commit, if nobody did so before: then it
// reads again. Only schedules of workflows that this program defines are its own; ticks of the others wait
// for a program that does. Used on the Loop lane.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "core/engine/services.hpp"
#include "core/engine/timers.hpp"
#include "core/engine/workflows.hpp"
#include "core/env/time_zones.hpp"
#include "core/model/schedule.hpp"
#include "core/store/batch.hpp"

namespace belay::engine {

class Schedules {
public:
    Schedules(Services& services, const Workflows& workflows, Timers& timers)
        : services_(services), workflows_(workflows), timers_(timers) {}

    void start();
    void stop() { started_ = false; }

    // They may have changed: reads them.
    void read();
    // A run has ended; a tick may have waited for that.
    void run_ended(const std::string& id);

private:
    struct Entry {
        model::StoredSchedule row{};
        std::optional<model::Timetable> table{};  // nothing: it cannot be used, or is not ours
        std::optional<Timers::Key> timer{};
        bool ticking = false;         // a Tick is on its way
        bool look_at_buffer = false;  // and the buffered tick may go now
        // Of a workflow that is not defined here: when that is told, and of which it was.
        std::optional<Time> tell_foreign_at{};
        std::string told_foreign{};
    };

    void have_read(const std::vector<model::StoredSchedule>& rows);
    void take(Entry& entry, const model::StoredSchedule& row);
    void look(Entry& entry);
    void look_at_foreign(Entry& entry);
    void tick(Entry& entry, const model::DueTicks& due);
    void ticked(const store::Tick& tick);
    void arm(Entry& entry, std::optional<Time> at);

    Services& services_;
    const Workflows& workflows_;
    Timers& timers_;
    env::TimeZones zones_;
    std::map<std::string, Entry> entries_;
    bool started_ = false;
    bool reading_ = false;
    bool again_ = false;  // and something changed since
};

}  // namespace belay::engine
