// queues_test.cpp — queues and schedules, with something at every commit: no run is lost or run twice, no
// tick either, and a limit holds while the world falls apart.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <belay/belay.hpp>
#include <belay/testing.hpp>

namespace belay::test {
namespace {

using namespace std::chrono_literals;
using belay::testing::crash_everywhere;
using belay::testing::CrashOptions;
using belay::testing::Fault;
using belay::testing::World;

int add_one(int n) { return n + 1; }
void save(Tx& tx, const int& n) { tx.exec("INSERT INTO saved VALUES (?, ?)", tx.run_id(), n); }

Task<int> work(Context& ctx, int n) {
    const int sum = co_await ctx.step("add", add_one, n).commit(save);
    co_await ctx.sleep(1s);
    co_return co_await ctx.step("again", add_one, sum);
}
// Children that wait for their turn in the queue of one that their parent came through.
Task<int> family(Context& ctx, int n) {
    const ChildOptions options{.queue = "narrow", .partition = "children"};
    const int a = co_await ctx.child<int>("work", n, options);
    co_return co_await ctx.child<int>("work", a, options);
}
// Starts three runs that nobody awaits, in a queue with a rate.
Task<void> several(Context& ctx, int count) {
    for (int i = 0; i < count; ++i) {
        const ChildOptions options{.name = "begin", .queue = "slow"};
        co_await ctx.start("work", i, options);
    }
}

void set_up(Engine& engine) {
    engine.migrate("test", {"CREATE TABLE saved (run TEXT PRIMARY KEY, n INTEGER)"});
    engine.define("work", work);
    engine.define("family", family);
    engine.define("several", several);
    engine.queue("narrow", {.concurrency = 1});
    engine.queue("slow", {.concurrency = 2, .rate = RateLimit{1, 1min}});
}

TEST(CrashEverywhere, children_in_a_queue_of_one) {
    CrashOptions options;
    options.define = set_up;
    const auto report = crash_everywhere("family", 1, options);
    EXPECT_TRUE(report.passed()) << report.text();
}

TEST(CrashEverywhere, runs_in_a_queue_with_a_rate) {
    CrashOptions options;
    options.define = set_up;
    const auto report = crash_everywhere("several", 3, options);
    EXPECT_TRUE(report.passed()) << report.text();
}

constexpr std::array kFaults{Fault::CrashBefore, Fault::CrashInside, Fault::CrashAfter,
                             Fault::Refused,     Fault::UnknownDone, Fault::UnknownNotDone};

// Three hours of an hourly schedule whose runs go through a queue of one; from midnight, so that the ticks are
// known.
std::int64_t three_hours(std::int64_t fail_at, Fault fault) {
    World world;
    Engine& engine = world.engine();
    set_up(engine);
    engine.schedule("hourly", "work", 7,
                    {.cron = "0 * * * *", .catch_up = CatchUp::All, .queue = "narrow"});
    engine.start();
    const Time begin = world.now();
    const std::int64_t set_up_commits = world.commits();
    if (fail_at > 0) world.fail_commit(fail_at, fault);
    while (world.now() < begin + 3h + 30min) {
        world.advance(10min);
        if (world.crashed()) world.restart();
    }
    const auto commits = world.commits() - set_up_commits;
    for (int hour = 1; hour <= 3; ++hour) {
        const auto run =
            engine.find<int>("sched_hourly_2025-01-01T0" + std::to_string(hour) + ":00:00Z");
        EXPECT_EQ(run.status(), RunStatus::Succeeded) << run.id();
    }
    EXPECT_EQ(engine.query("SELECT count(*) FROM saved")[0].get<int>(0), 3);
    EXPECT_EQ(engine.schedules().at(0).fired, 3);
    EXPECT_EQ(engine.schedules().at(0).lost, 0);
    return commits;
}

TEST(CrashEverywhere, every_tick_of_a_schedule_is_one_run) {
    const std::int64_t commits = three_hours(0, Fault::Refused);
    for (std::int64_t commit = 1; commit <= commits; ++commit) {
        for (const Fault fault : kFaults) {
            SCOPED_TRACE(::testing::Message()
                         << belay::testing::to_string(fault) << " commit " << commit);
            three_hours(commit, fault);
            if (HasFailure()) return;
        }
    }
}

}  // namespace
}  // namespace belay::test
