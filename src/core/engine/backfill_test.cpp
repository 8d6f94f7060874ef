// Past ticks of a schedule that are made up for: each once, by the id that its tick has.
#include <gtest/gtest.h>

#include "core/engine/engine_bench.hpp"

namespace belay::engine {
namespace {

using namespace std::chrono_literals;
using std::chrono::sys_days;
using std::chrono::year;

constexpr Time day(int y, unsigned m, unsigned d) {
    return Time{sys_days{year{y} / static_cast<int>(m) / static_cast<int>(d)}};
}

class BackfillTest : public testing::Test {
protected:
    BackfillTest() {
        b.define = [](Engine& engine) {
            engine.define("report", [](Context& ctx, std::string what) -> Task<std::string> {
                co_return co_await ctx.step("write", [&] { return what + " written"; });
            });
            engine.define("long", [](Context& ctx) -> Task<void> { co_await ctx.sleep(150min); });
        };
        b.sim.clock().set(day(2025, 6, 10));
    }
    void schedule(ScheduleOptions options = {}) {
        options.cron = "0 3 * * *";
        b.engine().schedule("nightly", "report", std::string("yesterday"), options);
    }
    std::size_t runs() {
        return b.reader.list_runs({.text = "sched_nightly_", .limit = 1000}).runs.size();
    }
    // Until nothing has happened for a while; the next tick is hours away.
    static void settle(Bench& bench) {
        bool there = false;
        bench.executor().post_at(bench.sim.clock().now() + 1min, env::Lane::Loop,
                                 [&there] { there = true; });
        bench.run_until([&] { return there; });
    }
    void settle() { settle(b); }

    Bench b;
};

TEST_F(BackfillTest, each_past_tick_becomes_a_run_under_the_id_of_its_tick) {
    b.start();
    schedule({.organization_id = "acme"});

    const auto report = b.engine().backfill("nightly", day(2025, 6, 1), day(2025, 6, 4));
    settle();

    EXPECT_EQ(report.ticks, 3);
    EXPECT_EQ(report.started, 3);
    EXPECT_EQ(report.first, day(2025, 6, 1) + 3h);
    EXPECT_EQ(report.last, day(2025, 6, 3) + 3h);
    EXPECT_FALSE(report.next.has_value());
    const auto run = b.run("sched_nightly_2025-06-02T03:00:00Z");
    EXPECT_EQ(run.status, RunStatus::Succeeded);
    EXPECT_EQ(run.organization_id, "acme");
    const auto info = b.engine().schedules().at(0);
    EXPECT_EQ(info.fired, 0) << "the schedule itself stands as it stood";
    EXPECT_FALSE(info.last_tick.has_value());
    EXPECT_EQ(info.next_tick, day(2025, 6, 10) + 3h);
}

TEST_F(BackfillTest, what_has_run_is_not_run_again_and_asking_twice_is_asking_once) {
    b.start();
    schedule();
    b.sim.clock().set(day(2025, 6, 12));
    settle();  // the latest tick has fired
    ASSERT_EQ(runs(), 1u);

    const auto first = b.engine().backfill("nightly", day(2025, 6, 9), day(2025, 6, 12));
    const auto second = b.engine().backfill("nightly", day(2025, 6, 9), day(2025, 6, 12));
    settle();

    EXPECT_EQ(first.started, 2);
    EXPECT_EQ(first.there, 1);
    EXPECT_EQ(second.started, 0);
    EXPECT_EQ(second.there, 3);
    EXPECT_EQ(runs(), 3u);
}

TEST_F(BackfillTest, a_dry_run_counts_the_same_and_starts_nothing) {
    b.start();
    schedule();
    b.engine().backfill("nightly", day(2025, 6, 1), day(2025, 6, 2));

    const auto report =
        b.engine().backfill("nightly", day(2025, 6, 1), day(2025, 6, 5), {.dry_run = true});
    settle();

    EXPECT_EQ(report.ticks, 4);
    EXPECT_EQ(report.started, 3);
    EXPECT_EQ(report.there, 1);
    EXPECT_EQ(runs(), 1u);
}

TEST_F(BackfillTest, the_oldest_go_first_up_to_the_limit_and_the_rest_is_told) {
    b.start();
    schedule();

    const auto first =
        b.engine().backfill("nightly", day(2025, 5, 1), day(2025, 6, 1), {.limit = 20});
    ASSERT_EQ(first.next, day(2025, 5, 21) + 3h);
    const auto rest = b.engine().backfill("nightly", *first.next, day(2025, 6, 1), {.limit = 20});

    EXPECT_EQ(first.started, 20);
    EXPECT_EQ(rest.started, 11);
    EXPECT_FALSE(rest.next.has_value());
}

TEST_F(BackfillTest, ticks_to_come_are_left_to_the_schedule) {
    b.start();
    schedule();

    const auto report = b.engine().backfill("nightly", day(2025, 6, 9), day(2025, 7, 1));

    EXPECT_EQ(report.ticks, 1);
    EXPECT_EQ(report.last, day(2025, 6, 9) + 3h);
}

TEST_F(BackfillTest, its_runs_are_beside_each_other_and_no_tick_that_fires_waits_for_them) {
    b.start().schedule("nightly", "long", {.cron = "0 3 * * *", .overlap = Overlap::Skip});
    b.sim.clock().set(day(2025, 6, 10) + 2h + 50min);

    EXPECT_EQ(b.engine().backfill("nightly", day(2025, 6, 1), day(2025, 6, 10)).started, 9);
    b.run_until([&] { return b.engine().schedules().at(0).fired > 0; });

    EXPECT_EQ(b.run("sched_nightly_2025-06-01T03:00:00Z").status, RunStatus::Waiting)
        << "it has not finished";
    EXPECT_EQ(b.engine().schedules().at(0).lost, 0);
    EXPECT_EQ(runs(), 10u);
}

TEST_F(BackfillTest, they_wait_in_the_schedules_queue) {
    b.start().queue("reports", {.concurrency = 1});
    b.engine().schedule("nightly", "long", {.cron = "0 3 * * *", .queue = "reports"});

    b.engine().backfill("nightly", day(2025, 6, 1), day(2025, 6, 4));
    settle();

    EXPECT_EQ(b.run("sched_nightly_2025-06-03T03:00:00Z").queue, "reports");
}

TEST_F(BackfillTest, an_id_that_is_another_runs_is_counted_and_stops_nobody) {
    b.start();
    schedule();
    b.engine().submit("report", std::string("else"), {.id = "sched_nightly_2025-06-02T03:00:00Z"});

    const auto report = b.engine().backfill("nightly", day(2025, 6, 1), day(2025, 6, 4));

    EXPECT_EQ(report.started, 2);
    EXPECT_EQ(report.taken, 1);
}

TEST_F(BackfillTest, what_cannot_be_says_why_and_starts_nothing) {
    b.start();
    schedule();
    const auto asked = [&](const std::string& name, Time from, Time to, int limit) {
        return code_of([&] { b.engine().backfill(name, from, to, {.limit = limit}); });
    };

    EXPECT_EQ(asked("weekly", day(2025, 6, 1), day(2025, 6, 2), 10), ErrorCode::NotFound);
    EXPECT_EQ(asked("nightly", day(2025, 6, 2), day(2025, 6, 2), 10), ErrorCode::InvalidArgument);
    EXPECT_EQ(asked("nightly", day(2025, 6, 1), day(2025, 6, 2), 0), ErrorCode::InvalidArgument);
    EXPECT_EQ(asked("nightly", day(2025, 6, 1), day(2025, 6, 2), 1001), ErrorCode::InvalidArgument);
    EXPECT_EQ(runs(), 0u);
}

TEST_F(BackfillTest, all_of_it_is_one_commit) {
    for (const auto fault :
         {store::Fault::Unavailable, store::Fault::UnknownApplied, store::Fault::UnknownLost}) {
        Bench c;
        c.define = b.define;
        c.sim.clock().set(day(2025, 6, 10));
        c.start().schedule("nightly", "report", std::string("x"), {.cron = "0 3 * * *"});
        settle(c);
        c.faults().fail_commit(c.faults().commits() + 1, fault);

        const auto failed =
            code_of([&] { c.engine().backfill("nightly", day(2025, 6, 1), day(2025, 6, 6)); });
        EXPECT_TRUE(failed.has_value());
        const auto made = c.reader.list_runs({.text = "sched_", .limit = 100}).runs.size();
        EXPECT_EQ(made, fault == store::Fault::UnknownApplied ? 5u : 0u);
        const auto again = c.engine().backfill("nightly", day(2025, 6, 1), day(2025, 6, 6));
        EXPECT_EQ(again.started + again.there, 5);
        EXPECT_EQ(again.there, static_cast<std::int64_t>(made));
    }
}

}  // namespace
}  // namespace belay::engine
