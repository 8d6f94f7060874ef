// schedule.hpp — a workflow that runs by the clock.
//
//     engine.schedule("nightly", "REPORT", "yesterday",
//                     {.cron = "0 3 * * *", .zone = "Europe/Stockholm", .overlap = belay::Overlap::Skip});
//
// Each tick is one run, under an id made of the schedule's name and the tick
// (sched_nightly_2026-11-15T02:00:00Z), so that two workers, or one that died in between, come to the
// same run. docs/schedules.md has cron's fields and what daylight saving does to them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <belay/time.hpp>

namespace belay {

// What happens to ticks that nobody was there for.
enum class CatchUp {
    None,    // they are lost; one that is at most a minute late still fires
    Latest,  // the last of them fires, however late
    All,     // every one fires, the newest `catch_up_max` of them
};

// What happens to a tick when a run of the same schedule has not finished.
enum class Overlap {
    Allow,      // it fires: runs go on beside each other
    Skip,       // it is lost
    BufferOne,  // it fires when the other has finished; a later one takes its place in the buffer
    CancelPrevious,  // the other is canceled and it fires
};

struct ScheduleOptions {
    std::string cron{};        // "0 3 * * *", with seconds "*/10 * * * * *", "@daily", "@every 90m"
    std::string zone = "UTC";  // an IANA name: "Europe/Stockholm"
    CatchUp catch_up = CatchUp::Latest;
    int catch_up_max = 100;
    Overlap overlap = Overlap::Allow;
    Duration jitter{0};  // each tick fires up to this much later, always the same for a tick
    std::optional<Time> start{};    // no tick before
    std::optional<Time> end{};      // no tick from then on
    std::string queue{};            // of its runs; must exist
    int priority = 0;               // of its runs in that queue
    std::string organization_id{};  // whose runs they are; the engine's own if empty
};

// How many of a schedule's past ticks are made up for at once (Engine::backfill).
struct BackfillOptions {
    int limit = 100;       // the oldest so many of the span; at most 1,000
    bool dry_run = false;  // only counts: nothing is started
};

// What came of it.
struct BackfillReport {
    std::int64_t ticks = 0;       // of the span, up to the limit: the next three together
    std::int64_t started = 0;     // runs that were made; with `dry_run`, that would be
    std::int64_t there = 0;       // ticks that have, or had, their run: it is not run again
    std::int64_t taken = 0;       // ticks whose id is another run's, of another workflow or input
    std::optional<Time> first{};  // of those ticks
    std::optional<Time> last{};
    std::optional<Time> next{};  // the first tick beyond the limit: `from` of the next call
};

// How a schedule stands.
struct ScheduleInfo {
    std::string name{};
    std::string workflow_key{};
    ScheduleOptions options{};
    std::string input{};  // JSON
    bool paused = false;
    std::optional<Time> next_tick{};  // nothing: paused, or over
    std::optional<Time> last_tick{};  // the newest that made a run
    std::string last_run_id{};
    std::optional<Time> buffered_tick{};  // waits for the run before it
    std::int64_t fired = 0;               // ticks that made a run
    std::int64_t lost = 0;                // ticks that its policies let go
};

}  // namespace belay
