#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <belay/belay.hpp>
#include <belay/testing.hpp>

namespace belay::testing {
namespace {

using namespace std::chrono_literals;

int steps_run = 0;

int count(int n) {
    ++steps_run;
    return n + 1;
}

Task<int> sleeper(Context& ctx, int n) {
    n = co_await ctx.step("before", count, n);
    co_await ctx.sleep(24h * 7);
    co_return co_await ctx.step("after", count, n);
}

TEST(World, a_sleep_of_a_week_takes_no_time) {
    World world;
    world.engine().define("sleeper", sleeper);
    world.engine().start();
    const auto began = world.now();

    const auto run = world.engine().submit<int>("sleeper", 1);

    EXPECT_EQ(run.result(), 3);
    EXPECT_GE(world.now(), began + 24h * 7);
}

TEST(World, time_can_be_moved_by_hand) {
    World world;
    world.engine().define("sleeper", sleeper);
    world.engine().start();
    const auto run = world.engine().submit<int>("sleeper", 1);

    world.advance(24h * 6);
    EXPECT_EQ(run.status(), RunStatus::Waiting);
    world.advance(24h * 2);
    EXPECT_EQ(run.status(), RunStatus::Succeeded);
}

TEST(World, a_restart_keeps_what_was_committed_and_runs_no_recorded_step_again) {
    steps_run = 0;
    World world;
    world.engine().define("sleeper", sleeper);
    world.engine().start();
    const auto run = world.engine().submit<int>("sleeper", 1);
    world.advance(24h);
    EXPECT_EQ(steps_run, 1);

    world.restart();

    EXPECT_EQ(run.result(), 3);
    EXPECT_EQ(steps_run, 2);
}

std::vector<int> numbers;

int number_of(Attempt& attempt, int n) {
    numbers.push_back(attempt.number());
    if (numbers.size() == 1) throw std::runtime_error("busy");
    return n;
}

Task<int> numbered(Context& ctx, int n) { co_return co_await ctx.step("count", number_of, n); }

TEST(World, an_attempt_that_a_crash_interrupted_is_made_again_under_its_number) {
    int made_again = 0;
    for (int commit = 1; commit <= 4; ++commit) {
        numbers.clear();
        World world;
        world.engine().define("numbered", numbered);
        world.engine().start();
        const auto run = world.engine().submit<int>("numbered", 7);
        world.advance(100ms);  // the first has failed; the second is to come
        world.fail_commit(commit, Fault::CrashBefore);
        world.advance(1min);
        world.restart();

        EXPECT_EQ(run.result(), 7);
        ASSERT_GE(numbers.size(), 2u);
        EXPECT_EQ(numbers[0], 1);
        for (std::size_t i = 1; i < numbers.size(); ++i) EXPECT_EQ(numbers[i], 2) << commit;
        made_again += numbers.size() == 3;
    }
    EXPECT_GE(made_again, 1);  // dying at one of these commits lost the second attempt's record
}

TEST(World, a_crash_ends_every_call_until_the_restart) {
    World world;
    world.engine().define("sleeper", sleeper);
    world.engine().start();
    world.run_until_quiet();

    world.fail_commit(1, Fault::CrashBefore);
    EXPECT_THROW(world.engine().submit<int>("sleeper", 1, {.id = "a"}), Error);
    EXPECT_TRUE(world.crashed());
    EXPECT_THROW(world.engine().find("a"), Error);

    world.restart();
    EXPECT_FALSE(world.crashed());
    EXPECT_EQ(world.engine().submit<int>("sleeper", 1, {.id = "a"}).result(), 3);
}

TEST(World, a_refused_submission_can_be_made_again) {
    World world;
    world.engine().define("sleeper", sleeper);
    world.engine().start();
    world.run_until_quiet();

    world.fail_commit(1, Fault::Refused);
    try {
        world.engine().submit<int>("sleeper", 1, {.id = "a"});
        FAIL() << "a full disk must be told";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::StoreUnavailable);
    }

    EXPECT_EQ(world.engine().submit<int>("sleeper", 1, {.id = "a"}).result(), 3);
}

TEST(World, the_same_seed_gives_the_same_world) {
    const auto commits = [](std::uint64_t seed) {
        World world{seed};
        world.engine().define("sleeper", sleeper);
        world.engine().start();
        for (int i = 0; i < 20; ++i) world.engine().submit<int>("sleeper", i);
        world.run_until_quiet();
        return world.commits();
    };
    EXPECT_EQ(commits(7), commits(7));
}

TEST(World, a_run_outlives_its_world) {
    std::optional<belay::Run<int>> run;
    {
        World world;
        world.engine().define("sleeper", sleeper);
        world.engine().start();
        run = world.engine().submit<int>("sleeper", 1);
    }
    EXPECT_THROW(run->status(), Error);
}

}  // namespace
}  // namespace belay::testing
