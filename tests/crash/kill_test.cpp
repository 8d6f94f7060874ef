// kill_test.cpp — a real process on a real file, killed with SIGKILL.
#include <map>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "core/base/failpoint.hpp"
#include "crash/survivor.hpp"
#include "crash/workload.hpp"
#include "support/seed.hpp"

namespace belay::test {
namespace {

// P1, P2 and P4 are promises about the same crashes, so one test looks at all three.
TEST(P1_no_recorded_step_runs_again, when_the_process_is_killed_200_times_at_random) {
    constexpr int kRuns = 1000;
    constexpr int kKills = 200;
    constexpr std::size_t kSteps = kRuns * kStepsOfARun;
    std::mt19937_64 random{seed_of_this_test()};
    Survivor survivor{kRuns};

    int killed_at_work = 0;
    for (int kill = 0; kill < kKills && !::testing::Test::HasFailure(); ++kill) {
        // Lives are short, down to none at all, and longer when the runs are behind: so the kills are spread
        // over all of their length, and something is left for each of them.
        const bool is_behind =
            survivor.recorded() < kSteps * 9 / 10 * static_cast<std::size_t>(kill) / kKills;
        const std::uint64_t signals = is_behind ? 100 + random() % 1000 : random() % 100;
        const auto process = survivor.start();
        if (process->wait_for_signals(static_cast<std::int64_t>(signals))) ++killed_at_work;
        process->kill();
        process->wait();
        survivor.check_life();
    }
    const std::size_t recorded_by_then = survivor.recorded();
    const auto process = survivor.start();
    const auto end = process->wait();
    survivor.check_life();

    EXPECT_EQ(end.code, 0);
    EXPECT_FALSE(end.killed);
    // Or the test would be about a program that had nothing left to do.
    EXPECT_GE(killed_at_work, kKills * 3 / 4);
    EXPECT_GE(recorded_by_then, kSteps / 2);
    survivor.check_end();
}

TEST(P1_no_recorded_step_runs_again, when_the_process_dies_at_each_named_point) {
    constexpr int kRuns = 60;
    std::mt19937_64 random{seed_of_this_test()};
    for (const std::string_view name : base::failpoint_names()) {
        if (name.starts_with("tick"))
            continue;  // no schedule here: tests/crash/queues_test.cpp has one
        for (int round = 0; round < 3; ++round) {
            Survivor survivor{kRuns};
            // Claims are few, because runs are claimed with their submission; commits are, because each takes
            // all that waits.
            const std::uint64_t often = name.starts_with("claim")    ? 1
                                        : name.starts_with("commit") ? 10
                                                                     : 40;
            const std::uint64_t hit = 1 + random() % often;
            const std::string point = std::string(name) + ":" + std::to_string(hit);
            SCOPED_TRACE(point);

            const auto dying = survivor.start({{"BELAY_FAILPOINT", point}});
            EXPECT_TRUE(dying->wait().killed) << "the point was not reached";
            survivor.check_life();
            const auto process = survivor.start();
            EXPECT_EQ(process->wait().code, 0);
            survivor.check_life();

            survivor.check_end();
        }
    }
}

TEST(P2_what_was_accepted_is_durable, when_the_process_is_killed_while_it_accepts) {
    constexpr int kRuns = 400;
    std::mt19937_64 random{seed_of_this_test()};
    Survivor survivor{kRuns};

    // Steps signal as well, so submissions are about half of what is counted.
    for (int kill = 0; kill < 20 && !::testing::Test::HasFailure(); ++kill) {
        const auto process = survivor.start();
        process->wait_for_signals(static_cast<std::int64_t>(1 + random() % 40));
        process->kill();
        process->wait();
        survivor.check_life();
    }
    EXPECT_EQ(survivor.start()->wait().code, 0);
    survivor.check_life();

    survivor.check_end();
}

TEST(P4_a_transaction_applies_once, when_the_process_dies_around_its_commits) {
    constexpr int kRuns = 200;
    std::mt19937_64 random{seed_of_this_test()};
    Survivor survivor{kRuns};

    bool finished = false;
    int deaths = 0;
    for (int life = 0; life < 200 && !finished && !::testing::Test::HasFailure(); ++life) {
        const std::string point = life % 2 == 0 ? "commit.after:" : "commit.before:";
        const auto process =
            survivor.start({{"BELAY_FAILPOINT", point + std::to_string(4 + random() % 12)}});
        finished = !process->wait().killed;
        if (!finished) ++deaths;
        survivor.check_life();
    }

    EXPECT_TRUE(finished);
    EXPECT_GE(deaths, 3);
    survivor.check_end();
}

TEST(CrashLoop, a_run_that_kills_its_process_is_paused_and_its_neighbours_finish) {
    constexpr int kBombs = 2;
    Survivor survivor{20, kBombs};

    bool finished = false;
    for (int life = 0; life < 30 && !finished; ++life) {
        const auto process = survivor.start();
        finished = !process->wait().killed;
        survivor.check_life();
    }

    ASSERT_TRUE(finished) << "it is killed again and again";
    survivor.check_end();
    std::map<std::string, int> starts_of;                // by bomb
    std::map<int, std::map<std::string, int>> bombs_of;  // by life: bombs, with their starts before
    for (const WitnessLine& line : survivor.witness()) {
        if (!line.key.starts_with("bomb-")) continue;
        bombs_of[line.life][line.key] = starts_of[line.key]++;
    }
    for (int n = 0; n < kBombs; ++n) {
        const auto run = survivor.reader().find_run(bomb_id(n));
        ASSERT_TRUE(run.has_value());
        EXPECT_EQ(to_string(run->status), "paused");
        EXPECT_NE(run->failure->message.find("crash loop"), std::string::npos)
            << run->failure->message;
    }
    for (const auto& [bomb, starts] : starts_of) {
        // Charged five times; where the other one was quicker, its code was executing when that one died.
        EXPECT_LE(starts, 5) << bomb;
        EXPECT_GE(starts, 2) << bomb;
    }
    for (const auto& [life, bombs] : bombs_of) {
        int suspects = 0;
        for (const auto& [bomb, starts_before] : bombs) suspects += starts_before >= 2 ? 1 : 0;
        EXPECT_LE(suspects, 1) << "in life " << life;
    }
}

}  // namespace
}  // namespace belay::test
