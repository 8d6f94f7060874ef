// schedule.cpp — a report every night at half past two in Stockholm, over the night that clocks change.
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <belay/belay.hpp>
#include <belay/testing.hpp>

using namespace std::chrono_literals;

std::string write_report(const std::string& what) { return "report on " + what; }

belay::Task<std::string> report(belay::Context& ctx, std::string what) {
    co_return co_await ctx.step("write", write_report, what);
}

int main() {
    belay::testing::World world;  // its time begins on 1 January 2025
    belay::Engine& engine = world.engine();
    engine.define("REPORT", report);
    engine.schedule("nightly", "REPORT", "sales",
                    {.cron = "30 2 * * *",
                     .zone = "Europe/Stockholm",
                     .catch_up = belay::CatchUp::All,
                     .overlap = belay::Overlap::Skip});
    engine.start();

    // To 29 March; in the night after it, 02:30 does not exist.
    world.advance(24h * 87 + 12h);
    const auto before = engine.schedules().front();
    fmt::print("{} nights so far; next at {:%Y-%m-%d %H:%M} UTC\n", before.fired,
               *before.next_tick);

    world.advance(24h);
    world.restart();  // a crash between two ticks, or in the middle of one, runs no tick twice
    world.advance(24h);
    const auto after = engine.schedules().front();
    fmt::print("{} nights, last run {}\n", after.fired, after.last_run_id);
    fmt::print("{}\n", engine.find<std::string>("sched_nightly_2025-03-30T01:00:00Z").result());

    engine.pause_schedule("nightly");
    world.advance(24h * 30);
    engine.resume_schedule("nightly");
    fmt::print("paused for a month: still {}\n", engine.schedules().front().fired);

    const auto past = engine.backfill("nightly", *after.last_tick + 1s, world.now());
    fmt::print("made up for: {} nights\n", past.started);
}
