#include "core/env/simulation.hpp"

#include <memory>
#include <set>
#include <string>

#include <gtest/gtest.h>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

namespace belay::env {
namespace {

using namespace std::chrono_literals;

void run_all(Simulation& simulation) {
    while (simulation.run_one()) {
    }
}

// Two workers whose jobs post further jobs on every lane; returns the order in which they ran.
std::string order_of(std::uint64_t seed) {
    Simulation simulation{seed};
    const auto one = simulation.make_executor();
    const auto two = simulation.make_executor();
    std::string ran;
    for (auto* const executor : {one.get(), two.get()}) {
        const char shift = executor == one.get() ? 'a' : 'A';
        for (char i = 0; i < 4; ++i) {
            const char name = static_cast<char>(shift + i);
            executor->post(Lane::Pool, [&ran, executor, name] {
                ran += name;
                executor->post(Lane::Commit, [&ran, name] { ran += name; });
            });
            executor->post_at(simulation.clock().now() + 1s, Lane::Loop,
                              [&ran, name] { ran += name; });
        }
    }
    run_all(simulation);
    return ran;
}

TEST(Simulation, the_same_seed_gives_the_same_order) {
    for (std::uint64_t seed = 0; seed < 20; ++seed)
        EXPECT_EQ(order_of(seed), order_of(seed)) << "seed " << seed;
}

TEST(Simulation, another_seed_gives_another_order_of_jobs_posted_at_the_same_time) {
    std::set<std::string> orders;

    for (std::uint64_t seed = 0; seed < 20; ++seed) orders.insert(order_of(seed));

    EXPECT_GE(orders.size(), 19U);
    for (const auto& order : orders) EXPECT_EQ(order.size(), 24U);
}

TEST(Simulation, loop_and_commit_jobs_keep_their_order_whatever_the_seed) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        Simulation simulation{seed};
        const auto executor = simulation.make_executor();
        std::string loop;
        std::string commits;
        for (char name = 'a'; name < 'k'; ++name) {
            executor->post(Lane::Loop, [&loop, name] { loop += name; });
            executor->post(Lane::Commit, [&commits, name] { commits += name; });
        }

        run_all(simulation);

        EXPECT_EQ(loop, "abcdefghij") << "seed " << seed;
        EXPECT_EQ(commits, "abcdefghij") << "seed " << seed;
    }
}

TEST(Simulation, never_runs_a_job_inside_post) {
    Simulation simulation{1};
    const auto executor = simulation.make_executor();
    bool ran = false;

    executor->post(Lane::Pool, [&] { ran = true; });

    EXPECT_FALSE(ran);
    EXPECT_TRUE(simulation.run_one());
    EXPECT_TRUE(ran);
}

TEST(Simulation, moves_the_clock_to_the_next_timer_when_nothing_else_is_left) {
    Simulation simulation{1};
    const auto executor = simulation.make_executor();
    const auto start = simulation.clock().now();
    std::vector<Duration> fired;
    const auto fire = [&] { fired.push_back(simulation.clock().now() - start); };
    executor->post_at(start + 24h, Lane::Pool, fire);
    executor->post_at(start + 5min, Lane::Loop, fire);
    executor->post(Lane::Pool, fire);

    run_all(simulation);

    EXPECT_EQ(fired, (std::vector<Duration>{0ms, 5min, 24h}));
    EXPECT_EQ(simulation.clock().now(), start + 24h);
}

TEST(Simulation, a_clock_moved_by_hand_makes_timers_due) {
    Simulation simulation{1};
    const auto executor = simulation.make_executor();
    const auto start = simulation.clock().now();
    executor->post_at(start + 1s, Lane::Loop, [] {});

    simulation.clock().advance(1h);

    EXPECT_TRUE(simulation.run_one());
    EXPECT_EQ(simulation.clock().now(), start + 1h);
}

TEST(Simulation, a_frozen_worker_runs_nothing_until_it_is_thawed) {
    Simulation simulation{1};
    const auto frozen = simulation.make_executor();
    const auto other = simulation.make_executor();
    const auto start = simulation.clock().now();
    std::string ran;
    frozen->post(Lane::Loop, [&] { ran += 'l'; });
    frozen->post_at(start + 1s, Lane::Pool, [&] { ran += 't'; });
    other->post_at(start + 1h, Lane::Loop, [&] { ran += 'o'; });

    frozen->freeze();
    run_all(simulation);
    const auto while_frozen = ran;
    frozen->thaw();
    run_all(simulation);

    EXPECT_EQ(while_frozen, "o");
    EXPECT_EQ(std::set<char>(ran.begin(), ran.end()), (std::set<char>{'l', 'o', 't'}));
    EXPECT_EQ(simulation.clock().now(), start + 1h);
}

TEST(Simulation, a_killed_worker_drops_its_jobs_and_takes_no_more) {
    Simulation simulation{1};
    const auto executor = simulation.make_executor();
    const auto alive = std::make_shared<int>();
    for (const auto lane : {Lane::Loop, Lane::Commit, Lane::Pool}) {
        executor->post(lane, [alive] { FAIL() << "it was killed"; });
        executor->post_at(simulation.clock().now() + 1s, lane, [alive] { FAIL(); });
    }

    executor->kill();
    executor->post(Lane::Loop, [alive] { FAIL() << "it was killed"; });

    EXPECT_EQ(alive.use_count(), 1);
    EXPECT_FALSE(simulation.run_one());
}

TEST(Simulation, a_job_may_kill_its_own_worker) {
    Simulation simulation{1};
    const auto executor = simulation.make_executor();
    bool ended = false;
    executor->post(Lane::Loop, [&] {
        executor->kill();
        ended = true;
    });
    executor->post(Lane::Loop, [] { FAIL() << "it was killed"; });

    run_all(simulation);

    EXPECT_TRUE(ended);
}

TEST(Simulation, a_pool_job_may_wait_for_what_other_jobs_do) {
    Simulation simulation{1};
    const auto executor = simulation.make_executor();
    bool done = false;
    executor->post(Lane::Pool, [&] {
        executor->post(Lane::Loop, [&] { done = true; });
        while (!done) ASSERT_TRUE(executor->run_one());
        EXPECT_EQ(executor->pool().busy, 1);
    });

    run_all(simulation);

    EXPECT_TRUE(done);
}

TEST(Simulation, a_loop_job_that_drives_the_simulation_is_not_entered_by_another) {
    Simulation simulation{1};
    const auto executor = simulation.make_executor();
    std::string ran;
    executor->post(Lane::Loop, [&] {
        while (executor->run_one()) {
        }
        ran += '1';
    });
    executor->post(Lane::Loop, [&] { ran += '2'; });
    executor->post(Lane::Commit, [&] { ran += 'c'; });

    simulation.run_one();
    run_all(simulation);

    EXPECT_TRUE(ran == "c12" || ran == "1c2" || ran == "12c") << ran;
}

TEST(Simulation, runs_the_handlers_of_its_io_context) {
    Simulation simulation{1};
    const auto executor = simulation.make_executor();
    int ran = 0;

    for (int round = 0; round < 2; ++round) {
        boost::asio::post(executor->io(), [&] { executor->post(Lane::Loop, [&] { ++ran; }); });
        run_all(simulation);
    }

    EXPECT_EQ(ran, 2);
}

TEST(Simulation, a_handler_may_kill_its_own_worker) {
    Simulation simulation{1};
    const auto executor = simulation.make_executor();
    boost::asio::post(executor->io(), [&] { executor->kill(); });
    boost::asio::post(executor->io(), [] { FAIL() << "it was killed"; });

    run_all(simulation);
}

TEST(Simulation, numbers_for_the_code_do_not_change_the_order_of_jobs) {
    const auto order = [](bool draws) {
        Simulation simulation{3};
        const auto executor = simulation.make_executor();
        std::string ran;
        for (char name = 'a'; name < 'k'; ++name)
            executor->post(Lane::Pool, [&, name] {
                ran += name;
                if (draws) simulation.random().next();
            });
        run_all(simulation);
        return ran;
    };

    EXPECT_EQ(order(true), order(false));
}

TEST(SimulationDeathTest, an_exception_that_leaves_a_job_ends_the_process_with_its_message) {
    Simulation simulation{1};
    const auto executor = simulation.make_executor();
    executor->post(Lane::Loop, [] { throw std::runtime_error("disk on fire"); });

    EXPECT_DEATH(simulation.run_one(), "disk on fire");
}

}  // namespace
}  // namespace belay::env
