// crash_everywhere on loops without end, guards, and forks.
#include <gtest/gtest.h>

#include <belay/belay.hpp>
#include <belay/testing.hpp>

namespace belay::testing {
namespace {

using namespace std::chrono_literals;

int add_one(int n) { return n + 1; }

// Three histories of two steps, with a sleep between.
Task<int> counts(Context& ctx, int n) {
    n = co_await ctx.step("count", add_one, n);
    co_await ctx.sleep(1h);
    n = co_await ctx.step("count_again", add_one, n);
    if (n < 6) co_return co_await ctx.continue_as_new(n);
    co_return n;
}

void keep(Tx& tx, int n) { tx.exec("INSERT INTO seen (n) VALUES (?)", n); }

Task<void> writes_in_each_history(Context& ctx, int n) {
    co_await ctx.transaction("keep", keep, n);
    const int next = n + 1;
    if (next < 4) co_await ctx.continue_as_new(next);
}

Task<int> guarded(Context& ctx, int n) {
    ctx.expects("WF1_");
    co_return co_await ctx.step("count", add_one, n);
}

TEST(CrashControl, a_run_that_continues_as_new_survives_every_crash) {
    const CrashReport report = crash_everywhere(counts, 0);
    EXPECT_TRUE(report.passed()) << report.text();
}

TEST(CrashControl, what_each_history_writes_is_written_once) {
    CrashOptions options;
    options.define = [](Engine& engine) {
        engine.migrate("seen", {"CREATE TABLE seen (n INTEGER NOT NULL)"});
    };
    const CrashReport report = crash_everywhere(writes_in_each_history, 1, options);
    EXPECT_TRUE(report.passed()) << report.text();
}

TEST(CrashControl, a_guard_refuses_the_same_way_after_every_crash) {
    CrashOptions options;
    options.may_fail = true;  // it is defined as `workflow`
    const CrashReport report = crash_everywhere(guarded, 1, options);
    EXPECT_TRUE(report.passed()) << report.text();
    EXPECT_NE(report.ended.find("failed"), std::string::npos) << report.ended;
}

// A fork is made by a commit of its own: it is there with all that it keeps, or not at all.
TEST(CrashControl, a_fork_is_made_whole_or_not_at_all) {
    for (const Fault fault :
         {Fault::CrashBefore, Fault::CrashAfter, Fault::Refused, Fault::UnknownDone}) {
        World world;
        world.engine().define("COUNTS", counts);
        world.engine().start();
        const auto run = world.engine().submit<int>("COUNTS", 4, {.id = "first"});
        EXPECT_EQ(run.result(), 6);

        world.fail_commit(1, fault);
        bool accepted = true;
        try {
            world.engine().fork<int>("first", {.from = "count_again", .id = "fork"});
        } catch (const Error&) {
            accepted = false;
        }
        if (world.crashed()) world.restart();
        try {
            EXPECT_EQ(world.engine().find<int>("fork").result(), 6);
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::NotFound);
            EXPECT_FALSE(accepted) << to_string(fault);
        }
    }
}

}  // namespace
}  // namespace belay::testing
