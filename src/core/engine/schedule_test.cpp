// Schedules through the engine: one run a tick, over crashes, missed time and changed clocks.
#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "core/engine/engine_bench.hpp"

namespace belay::engine {
namespace {

using namespace std::chrono_literals;
using std::chrono::sys_days;
using std::chrono::year;

void define(Engine& engine) {
    engine.define("report", [](Context& ctx, std::string what) -> Task<std::string> {
        co_return co_await ctx.step("write", [&] { return what + " written"; });
    });
    engine.define("long", [](Context& ctx) -> Task<void> { co_await ctx.sleep(150min); });
}

constexpr Time day(int y, unsigned m, unsigned d) {
    return Time{sys_days{year{y} / static_cast<int>(m) / static_cast<int>(d)}};
}

class Scheduled : public testing::Test {
protected:
    Scheduled() { b.define = define; }

    void at(Time when) { b.sim.clock().set(when); }
    void run_to(Time when) {
        // A moment later, so that all that happens then has happened; the next timer may be a day away.
        bool there = false;
        b.executor().post_at(when + 1ms, env::Lane::Loop, [&there] { there = true; });
        b.run_until([&] { return there; });
    }
    // The ticks that made a run, as their ids say: "2025-03-30T01:00".
    std::vector<std::string> fired(const std::string& name = "nightly") {
        std::set<std::string> ticks;
        for (const auto& run :
             b.reader.list_runs({.text = "sched_" + name + "_", .limit = 1000}).runs) {
            ticks.insert(run.id.substr(7 + name.size(), 16));
        }
        return {ticks.begin(), ticks.end()};
    }
    ScheduleInfo info() { return b.engine().schedules().at(0); }

    Bench b;
};

using Ticks = std::vector<std::string>;

TEST_F(Scheduled, a_tick_is_a_run_with_its_input_under_an_id_of_its_own) {
    at(day(2025, 6, 1));
    b.start().schedule("nightly", "report", std::string("yesterday"), {.cron = "0 3 * * *"});
    run_to(day(2025, 6, 3));

    EXPECT_EQ(fired(), (Ticks{"2025-06-01T03:00", "2025-06-02T03:00"}));
    EXPECT_EQ(b.engine().find<std::string>("sched_nightly_2025-06-01T03:00:00Z").result(),
              "yesterday written");
    EXPECT_EQ(info().fired, 2);
    EXPECT_EQ(info().next_tick, day(2025, 6, 3) + 3h);
    EXPECT_EQ(info().last_run_id, "sched_nightly_2025-06-02T03:00:00Z");
}

TEST_F(Scheduled, stockholm_fires_once_on_the_days_that_clocks_change) {
    at(day(2025, 3, 28));
    b.start().schedule("nightly", "report", std::string("x"),
                       {.cron = "30 2 * * *", .zone = "Europe/Stockholm"});
    run_to(day(2025, 4, 1));
    EXPECT_EQ(fired(), (Ticks{"2025-03-28T01:30", "2025-03-29T01:30", "2025-03-30T01:00",
                              "2025-03-31T00:30"}));

    b.engine().pause_schedule("nightly");
    at(day(2025, 10, 25));
    b.engine().resume_schedule("nightly");
    run_to(day(2025, 10, 28));
    const auto all = fired();
    EXPECT_EQ(Ticks(all.begin() + 4, all.end()),
              (Ticks{"2025-10-25T00:30", "2025-10-26T00:30", "2025-10-27T01:30"}));
}

TEST_F(Scheduled, new_york_fires_once_on_the_days_that_clocks_change) {
    at(day(2025, 3, 8));
    b.start().schedule("nightly", "report", std::string("x"),
                       {.cron = "30 2 * * *", .zone = "America/New_York"});
    run_to(day(2025, 3, 11));
    EXPECT_EQ(fired(), (Ticks{"2025-03-08T07:30", "2025-03-09T07:00", "2025-03-10T06:30"}));

    at(day(2025, 11, 1));
    b.engine().schedule("autumn", "report", std::string("x"),
                        {.cron = "30 1 * * *", .zone = "America/New_York"});
    run_to(day(2025, 11, 4));
    EXPECT_EQ(fired("autumn"), (Ticks{"2025-11-01T05:30", "2025-11-02T05:30", "2025-11-03T06:30"}));
}

TEST_F(Scheduled, every_hour_is_every_hour_when_clocks_change) {
    for (const auto& [zone, spring, autumn] :
         {std::tuple{"Europe/Stockholm", day(2025, 3, 30), day(2025, 10, 26)},
          std::tuple{"America/New_York", day(2025, 3, 9), day(2025, 11, 2)}}) {
        for (const Time change : {spring, autumn}) {
            Bench bench;
            bench.define = define;
            bench.sim.clock().set(change - 1ms);
            bench.start().schedule("hourly", "report", std::string("x"),
                                   {.cron = "0 * * * *", .zone = zone});
            bench.run_until([&] { return bench.sim.clock().now() >= change + 23h + 59min; });
            EXPECT_EQ(bench.reader.list_runs({.limit = 100}).runs.size(), 24u) << zone;
        }
    }
}

TEST_F(Scheduled, after_a_long_stop_the_policy_says_which_missed_ticks_fire) {
    for (const auto& [policy, expected, lost] : {std::tuple{CatchUp::None, std::size_t{1}, 4},
                                                 std::tuple{CatchUp::Latest, std::size_t{2}, 3},
                                                 std::tuple{CatchUp::All, std::size_t{5}, 0}}) {
        Bench bench;
        bench.define = define;
        bench.sim.clock().set(day(2025, 6, 1));
        bench.start().schedule("nightly", "report", std::string("x"),
                               {.cron = "0 3 * * *", .catch_up = policy});
        bench.run_until([&] { return bench.reader.count_runs().succeeded == 1; });
        bench.crash();
        bench.sim.clock().set(day(2025, 6, 5) + 12h);
        bench.start();
        bench.run_until([&] {
            return bench.engine().schedules()[0].fired + bench.engine().schedules()[0].lost == 5;
        });
        EXPECT_EQ(bench.reader.list_runs({.limit = 100}).runs.size(), expected)
            << static_cast<int>(policy);
        EXPECT_EQ(bench.engine().schedules()[0].lost, lost);
    }
}

TEST_F(Scheduled, a_crash_at_any_commit_makes_every_tick_once) {
    for (int commit = 1; commit <= 12; ++commit) {
        for (const auto fault :
             {store::Fault::Unavailable, store::Fault::UnknownApplied, store::Fault::UnknownLost}) {
            Bench bench;
            bench.define = define;
            bench.sim.clock().set(day(2025, 6, 1));
            bench.start().schedule("nightly", "report", std::string("x"),
                                   {.cron = "0 3 * * *", .catch_up = CatchUp::All});
            bench.faults().fail_commit(bench.faults().commits() + commit, fault);
            bench.run_until([&] { return bench.sim.clock().now() >= day(2025, 6, 3); });
            bench.restart();
            bench.run_until([&] { return bench.sim.clock().now() >= day(2025, 6, 4); });
            EXPECT_EQ(bench.reader.count_runs().succeeded, 3) << "commit " << commit;
            EXPECT_EQ(bench.reader.list_runs({.limit = 100}).runs.size(), 3u)
                << "commit " << commit;
        }
    }
}

TEST_F(Scheduled, a_tick_is_skipped_while_the_run_before_goes_on) {
    at(day(2025, 6, 1));
    b.start().schedule("nightly", "long", {.cron = "0 * * * *", .overlap = Overlap::Skip});
    run_to(day(2025, 6, 1) + 5h + 50min);
    // 01:00 runs until 03:30, 04:00 until 06:30.
    EXPECT_EQ(fired(), (Ticks{"2025-06-01T01:00", "2025-06-01T04:00"}));
    EXPECT_EQ(info().lost, 3);
}

TEST_F(Scheduled, one_tick_waits_for_the_run_before_it) {
    at(day(2025, 6, 1));
    b.start().schedule("nightly", "long", {.cron = "0 * * * *", .overlap = Overlap::BufferOne});
    run_to(day(2025, 6, 1) + 3h + 29min);
    EXPECT_EQ(fired(), Ticks{"2025-06-01T01:00"});
    EXPECT_EQ(info().buffered_tick, day(2025, 6, 1) + 3h);
    run_to(day(2025, 6, 1) + 3h + 31min);
    EXPECT_EQ(fired(), (Ticks{"2025-06-01T01:00", "2025-06-01T03:00"}));
    const auto began = b.run("sched_nightly_2025-06-01T03:00:00Z").created_at;
    EXPECT_GE(began, day(2025, 6, 1) + 3h + 30min);
    EXPECT_LE(began, day(2025, 6, 1) + 3h + 30min + 1s) << "as soon as the other has ended";
    EXPECT_EQ(info().lost, 1);
}

TEST_F(Scheduled, a_buffered_tick_survives_a_crash) {
    at(day(2025, 6, 1));
    b.start().schedule("nightly", "long", {.cron = "0 1,2 * * *", .overlap = Overlap::BufferOne});
    run_to(day(2025, 6, 1) + 2h + 10min);
    EXPECT_TRUE(info().buffered_tick);
    b.restart();
    run_to(day(2025, 6, 1) + 4h);
    EXPECT_EQ(fired(), (Ticks{"2025-06-01T01:00", "2025-06-01T02:00"}));
}

TEST_F(Scheduled, the_run_before_is_canceled_for_the_next) {
    at(day(2025, 6, 1));
    b.start().schedule("nightly", "long",
                       {.cron = "0 * * * *", .overlap = Overlap::CancelPrevious});
    run_to(day(2025, 6, 1) + 3h + 30min);
    EXPECT_EQ(fired().size(), 3u);
    EXPECT_EQ(b.run("sched_nightly_2025-06-01T01:00:00Z").status, RunStatus::Canceled);
    EXPECT_EQ(b.run("sched_nightly_2025-06-01T02:00:00Z").status, RunStatus::Canceled);
    EXPECT_EQ(b.run("sched_nightly_2025-06-01T03:00:00Z").status, RunStatus::Waiting);
}

TEST_F(Scheduled, seconds_are_allowed) {
    at(day(2025, 6, 1));
    b.start().schedule("nightly", "report", std::string("x"), {.cron = "*/10 * * * * *"});
    run_to(day(2025, 6, 1) + 1min);
    EXPECT_EQ(b.reader.list_runs({.limit = 100}).runs.size(), 6u);
}

TEST_F(Scheduled, paused_it_fires_nothing_and_makes_up_for_nothing) {
    at(day(2025, 6, 1));
    b.start().schedule("nightly", "report", std::string("x"),
                       {.cron = "0 3 * * *", .catch_up = CatchUp::All});
    b.engine().pause_schedule("nightly");
    at(day(2025, 6, 4));
    EXPECT_EQ(info().next_tick, std::nullopt);
    b.restart();
    b.engine().schedule("nightly", "report", std::string("x"),
                        {.cron = "0 3 * * *", .catch_up = CatchUp::All});
    EXPECT_TRUE(info().paused);
    b.engine().resume_schedule("nightly");
    run_to(day(2025, 6, 5));
    EXPECT_EQ(fired(), Ticks{"2025-06-04T03:00"});
}

TEST_F(Scheduled, its_runs_wait_in_its_queue) {
    at(day(2025, 6, 1));
    b.start().queue("reports", {.concurrency = 0});
    b.engine().schedule("nightly", "report", std::string("x"),
                        {.cron = "0 3 * * *", .queue = "reports"});
    run_to(day(2025, 6, 1) + 4h);
    EXPECT_EQ(b.run("sched_nightly_2025-06-01T03:00:00Z").status, RunStatus::Queued);
    EXPECT_EQ(b.engine().queues()[0].in_line, 1);
}

TEST_F(Scheduled, removed_it_is_gone_and_its_runs_stay) {
    at(day(2025, 6, 1));
    b.start().schedule("nightly", "report", std::string("x"), {.cron = "0 3 * * *"});
    run_to(day(2025, 6, 1) + 4h);
    b.engine().remove_schedule("nightly");
    b.run_until([] { return false; });
    EXPECT_TRUE(b.engine().schedules().empty());
    EXPECT_EQ(fired().size(), 1u);
}

TEST_F(Scheduled, a_workflow_that_is_not_defined_here_waits_for_a_program_that_does) {
    at(day(2025, 6, 1));
    b.start().schedule("nightly", "elsewhere", std::string("x"), {.cron = "0 3 * * *"});
    b.run_until([] { return false; });
    EXPECT_TRUE(b.has_logged("schedule_refused"));
    EXPECT_TRUE(fired().empty());
    at(day(2025, 6, 1) + 4h);
    b.define = [](Engine& engine) {
        engine.define("elsewhere", [](Context&, std::string) -> Task<void> { co_return; });
    };
    b.restart();
    b.run_until([&] { return !fired().empty(); });
    EXPECT_EQ(fired(), Ticks{"2025-06-01T03:00"});
}

TEST_F(Scheduled, what_is_not_defined_here_is_told_once_and_only_by_who_stays) {
    at(day(2025, 6, 1));
    b.start().schedule("nightly", "elsewhere", std::string("x"), {.cron = "0 3 * * *"});
    run_to(day(2025, 6, 1) + 59s);
    EXPECT_FALSE(b.has_logged("schedule_refused"));

    run_to(day(2025, 6, 1) + 2min);
    b.engine().pause_schedule("nightly");
    b.engine().resume_schedule("nightly");
    run_to(day(2025, 6, 2));

    const auto told = std::count_if(b.log.begin(), b.log.end(), [](const std::string& line) {
        return line.starts_with("schedule_refused");
    });
    EXPECT_EQ(told, 1);
    EXPECT_NE(b.log.back().find("belay schedules remove nightly"), std::string::npos)
        << b.log.back();
}

TEST_F(Scheduled, what_cannot_be_is_refused_with_the_reason) {
    Engine& engine = b.start();
    const auto refusal = [&](const ScheduleOptions& options) {
        return message_of([&] { engine.schedule("nightly", "report", std::string("x"), options); });
    };
    EXPECT_NE(refusal({.cron = "61 * * * *"}).find("minute"), std::string::npos);
    EXPECT_NE(refusal({.cron = "0 3 * * *", .zone = "Europe/Stokholm"}).find("Europe/Stockholm"),
              std::string::npos);
    EXPECT_NE(refusal({.cron = "0 3 * * *", .queue = "none-such"}).find("none-such"),
              std::string::npos);
    EXPECT_EQ(code_of([&] { engine.pause_schedule("nightly"); }), ErrorCode::NotFound);
    EXPECT_TRUE(engine.schedules().empty());
}

}  // namespace
}  // namespace belay::engine
