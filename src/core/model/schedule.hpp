// schedule.hpp — a workflow that runs by the clock: when, with what input, and what about ticks that
// were missed or come while the run before is still under way.
//
// All of it is values and pure functions. Whoever executes keeps one time per schedule, `handled_until`:
// ticks up to it have been dealt with. It asks `due_ticks`, submits a run for each tick under the id
// that follows from schedule and tick, and writes the new `handled_until` in the same commit. Two
// workers, or one that died in between, so come to the same ids, and one id is one run (P3).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <belay/schedule.hpp>
#include <belay/time.hpp>

#include "core/base/time_zone.hpp"
#include "core/model/cron.hpp"
#include "core/model/run.hpp"

namespace belay::model {

using belay::CatchUp;
using belay::Overlap;

std::string_view to_string(CatchUp policy);  // "none", "latest", "all"
std::string_view to_string(Overlap policy);  // "allow", "skip", "buffer_one", "cancel_previous"
std::optional<CatchUp> catch_up(std::string_view word);
std::optional<Overlap> overlap(std::string_view word);

struct Schedule {
    std::string name{};  // letters, digits, '.', '-', '_'
    std::string workflow_key{};
    std::string cron{};
    std::string zone = "UTC";
    std::string input = "null";  // JSON
    std::string organization_id{};
    CatchUp catch_up = CatchUp::Latest;
    int catch_up_max = 100;
    Overlap overlap = Overlap::Allow;
    bool paused = false;
    Duration jitter{0};  // each tick fires up to this much later, always the same for a tick
    std::optional<Time> start{};  // no tick before
    std::optional<Time> end{};    // no tick from then on
    std::string queue{};          // of its runs
    int priority = 0;

    friend bool operator==(const Schedule&, const Schedule&) = default;
};

// A schedule as it is kept.
struct StoredSchedule {
    Schedule schedule{};
    std::string declared{};          // what the code said of it last; empty if it never did
    std::int64_t version = 0;        // raised by every change and every tick
    Time handled_until{};            // ticks up to it have been dealt with
    std::optional<Time> buffered{};  // a tick that waits for the run before it
    std::optional<Time> last_tick{};
    std::string last_run_id{};
    std::int64_t fired = 0;
    std::int64_t lost = 0;
    Time created_at{};
    Time updated_at{};
};

// Whether the two have the same ticks.
bool same_times(const Schedule& a, const Schedule& b);

// A schedule that can be asked for its ticks.
class Timetable {
public:
    // Throws Error{InvalidArgument} naming the member that cannot be used and why. `zone` must be the
    // one that the schedule names; it is shared with the cache that read it.
    Timetable(Schedule schedule, std::shared_ptr<const base::TimeZone> zone);

    const Schedule& schedule() const { return schedule_; }
    const Cron& cron() const { return cron_; }
    const base::TimeZone& zone() const { return *zone_; }

    // The first tick after `time` within start and end.
    std::optional<Time> next_after(Time time) const;

    // When a tick fires: `tick` plus its part of the jitter.
    Time fires_at(Time tick) const;

private:
    Schedule schedule_;
    Cron cron_;
    std::shared_ptr<const base::TimeZone> zone_;
};

struct DueTicks {
    std::vector<Time> fire{};  // in the order of time
    Time handled_until{};      // what to keep, in the commit that submits them
    std::optional<Time>
        wake_at{};          // when to ask again; nothing: never, unless the schedule is changed
    std::int64_t lost = 0;  // ticks that the catch-up policy let go (counted up to 10,000)
};

// What is due at `now`. `handled_until` is what the last call gave; for a new schedule the time when it was
// made, for one that was resumed the time when it was. A paused one fires nothing and stays where it is.
DueTicks due_ticks(const Timetable& table, Time handled_until, Time now);

// The id of the run of a tick: sched_nightly_2026-11-15T02:00:00Z.
std::string run_id_of(const Schedule& schedule, Time tick);

// The run of a tick.
NewRun run_of(const Schedule& schedule, Time tick, const std::string& code_version);

// What to do with a tick. `unfinished`: a run of this schedule has not finished.
enum class OnTick { Start, Lose, Buffer, CancelThenStart };
OnTick on_tick(Overlap policy, bool unfinished);

}  // namespace belay::model
