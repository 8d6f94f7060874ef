#include "core/env/threads.hpp"

#include <algorithm>
#include <barrier>
#include <condition_variable>
#include <future>
#include <latch>
#include <set>
#include <string>

#include <gtest/gtest.h>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

namespace belay::env {
namespace {

using namespace std::chrono_literals;

// Wait for a lane to have run all that was posted to it before.
void drain(Executor& executor, Lane lane) {
    std::latch done(1);
    executor.post(lane, [&] { done.count_down(); });
    done.wait();
}

class ThreadExecutorTest : public testing::Test {
protected:
    SystemClock clock;
    ThreadExecutor executor{clock, {.pool_max = 4}};
};

TEST_F(ThreadExecutorTest, runs_loop_jobs_one_at_a_time_in_the_order_posted) {
    std::vector<int> ran;  // no lock: a thread sanitizer sees whether the lane is one

    for (int i = 0; i < 5'000; ++i) executor.post(Lane::Loop, [&ran, i] { ran.push_back(i); });
    drain(executor, Lane::Loop);

    ASSERT_EQ(ran.size(), 5'000U);
    EXPECT_TRUE(std::is_sorted(ran.begin(), ran.end()));
}

TEST_F(ThreadExecutorTest, runs_commit_jobs_one_at_a_time_in_the_order_posted) {
    std::vector<int> ran;
    std::vector<Job> jobs;

    for (int i = 0; i < 2'000; ++i) executor.post(Lane::Commit, [&ran, i] { ran.push_back(i); });
    for (int i = 2'000; i < 4'000; ++i) jobs.emplace_back([&ran, i] { ran.push_back(i); });
    executor.post_all(Lane::Commit, std::move(jobs));
    drain(executor, Lane::Commit);

    ASSERT_EQ(ran.size(), 4'000U);
    EXPECT_TRUE(std::is_sorted(ran.begin(), ran.end()));
}

TEST_F(ThreadExecutorTest, runs_loop_jobs_of_many_posters_without_overlap) {
    int count = 0;
    std::latch done(4'000);
    const auto add = [&] {
        ++count;
        done.count_down();
    };

    for (int i = 0; i < 1'000; ++i) {
        executor.post(Lane::Pool, [&] { executor.post(Lane::Loop, add); });
        executor.post(Lane::Commit, [&] { executor.post(Lane::Loop, add); });
        executor.post(Lane::Loop, [&] { executor.post(Lane::Loop, add); });
        executor.post(Lane::Loop, add);
    }
    done.wait();

    EXPECT_EQ(count, 4'000);
}

TEST_F(ThreadExecutorTest, runs_every_pool_job_once) {
    std::vector<std::atomic<int>> runs(20'000);
    std::latch done(20'000);
    std::vector<Job> jobs;
    for (auto& run : runs)
        jobs.emplace_back([&] {
            ++run;
            done.count_down();
        });

    executor.post_all(Lane::Pool, std::move(jobs));
    done.wait();

    EXPECT_TRUE(std::all_of(runs.begin(), runs.end(), [](const auto& run) { return run == 1; }));
}

// Each waits for the others: only if all four run at the same time do they end.
TEST_F(ThreadExecutorTest, runs_as_many_pool_jobs_in_parallel_as_allowed) {
    std::barrier together(4);
    std::latch done(4);

    for (int i = 0; i < 4; ++i)
        executor.post(Lane::Pool, [&] {
            together.arrive_and_wait();
            done.count_down();
        });

    done.wait();
}

TEST_F(ThreadExecutorTest, runs_no_more_pool_jobs_at_a_time_than_allowed) {
    std::atomic<int> started{0};
    std::atomic<int> running{0};
    std::atomic<int> most{0};
    std::latch done(64);

    for (int i = 0; i < 64; ++i)
        executor.post(Lane::Pool, [&] {
            const int now = ++running;
            for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
            }
            // The first of each two waits for the second, so that jobs overlap.
            const int number = ++started;
            while (started < number + number % 2) std::this_thread::yield();
            --running;
            done.count_down();
        });
    done.wait();

    EXPECT_GE(most, 2);
    EXPECT_LE(most, 4);
}

TEST_F(ThreadExecutorTest, jobs_behind_a_blocked_one_are_run_by_others) {
    std::latch unblock(1);
    std::latch done(1'000);
    std::latch unblocked(1);

    executor.post(Lane::Loop, [&] {
        executor.post(Lane::Pool, [&] {
            unblock.wait();
            unblocked.count_down();
        });
        for (int i = 0; i < 1'000; ++i) executor.post(Lane::Pool, [&] { done.count_down(); });
    });
    done.wait();

    unblock.count_down();
    unblocked.wait();
}

TEST_F(ThreadExecutorTest, loop_jobs_run_while_the_whole_pool_is_blocked) {
    std::latch unblock(1);
    std::latch blocked(4);
    std::latch unblocked(8);
    for (int i = 0; i < 8; ++i)
        executor.post(Lane::Pool, [&, i] {
            if (i < 4) blocked.count_down();
            unblock.wait();
            unblocked.count_down();
        });
    blocked.wait();

    drain(executor, Lane::Loop);
    drain(executor, Lane::Commit);
    const auto stats = executor.pool();

    EXPECT_EQ(stats.busy, 4);
    EXPECT_EQ(stats.queued, 4);
    unblock.count_down();
    unblocked.wait();
}

TEST_F(ThreadExecutorTest, a_loop_job_posted_by_a_pool_job_that_then_blocks_still_runs) {
    std::latch ran(1);
    std::latch ended(1);

    executor.post(Lane::Pool, [&] {
        executor.post(Lane::Loop, [&] { ran.count_down(); });
        ran.wait();
        ended.count_down();
    });

    ended.wait();
}

TEST_F(ThreadExecutorTest, pool_jobs_run_while_a_loop_job_takes_long) {
    std::latch ran(1);
    std::latch ended(1);

    executor.post(Lane::Loop, [&] {
        executor.post(Lane::Pool, [&] { ran.count_down(); });
        ran.wait();
        ended.count_down();
    });

    ended.wait();
}

TEST_F(ThreadExecutorTest, a_pool_of_one_thread_runs_all_lanes) {
    ThreadExecutor narrow{clock, {.pool_max = 1}};
    std::latch unblock(1);
    std::latch blocked(1);
    std::latch ended(1);
    narrow.post(Lane::Pool, [&] {
        blocked.count_down();
        unblock.wait();
        ended.count_down();
    });
    blocked.wait();

    drain(narrow, Lane::Loop);
    unblock.count_down();
    drain(narrow, Lane::Pool);

    ended.wait();
}

TEST_F(ThreadExecutorTest, tells_since_when_its_threads_are_busy) {
    const auto before = clock.now();
    std::latch unblock(1);
    std::latch blocked(2);
    std::latch ended(2);
    for (int i = 0; i < 2; ++i)
        executor.post(Lane::Pool, [&] {
            blocked.count_down();
            unblock.wait();
            ended.count_down();
        });
    blocked.wait();

    const auto stats = executor.pool();

    EXPECT_EQ(stats.busy, 2);
    EXPECT_GE(stats.threads, 2);
    ASSERT_EQ(stats.busy_since.size(), 2U);
    EXPECT_GE(stats.busy_since[0], before - 10ms);  // the wall clock may have been adjusted
    EXPECT_LE(stats.busy_since[0], stats.busy_since[1]);
    EXPECT_LE(stats.busy_since[1], clock.now() + 10ms);
    unblock.count_down();
    ended.wait();
}

TEST_F(ThreadExecutorTest, runs_a_timed_job_no_earlier_than_its_time) {
    std::promise<Time> ran;
    const auto when = clock.now() + 20ms;

    executor.post_at(when, Lane::Loop, [&] { ran.set_value(clock.now()); });

    EXPECT_GE(ran.get_future().get(), when);
}

TEST_F(ThreadExecutorTest, a_timed_job_is_not_delayed_by_a_later_one) {
    std::latch ran(1);

    executor.post_at(clock.now() + 24h, Lane::Loop, [] { FAIL() << "it is not due"; });
    executor.post_at(clock.now() + 2ms, Lane::Loop, [&] { ran.count_down(); });

    ran.wait();
}

TEST_F(ThreadExecutorTest, a_timed_job_whose_time_has_passed_runs_at_once) {
    for (const auto lane : {Lane::Loop, Lane::Commit, Lane::Pool}) {
        std::latch ran(1);
        executor.post_at(clock.now() - 1h, lane, [&] { ran.count_down(); });
        ran.wait();
    }
}

TEST(ThreadExecutor, fires_its_timers_when_a_manual_clock_is_moved) {
    ManualClock clock;
    ThreadExecutor executor{clock};
    constexpr int kTimers = 1'000;
    std::vector<int> ran;
    std::latch done(kTimers);
    for (int i = kTimers - 1; i >= 0; --i)
        executor.post_at(clock.now() + 1h + Duration{i}, Lane::Loop, [&, i] {
            ran.push_back(i);
            done.count_down();
        });

    clock.advance(59min);
    drain(executor, Lane::Loop);
    const auto too_early = ran.size();
    clock.advance(2min);
    done.wait();

    EXPECT_EQ(too_early, 0U);
    EXPECT_TRUE(std::is_sorted(ran.begin(), ran.end()));
}

TEST_F(ThreadExecutorTest, runs_the_handlers_of_its_io_context) {
    std::latch ran(1);

    boost::asio::post(executor.io(), [&] { executor.post(Lane::Loop, [&] { ran.count_down(); }); });

    ran.wait();
}

TEST_F(ThreadExecutorTest, is_not_driven_by_its_caller) {
    EXPECT_TRUE(executor.threaded());
    EXPECT_FALSE(executor.run_one());
}

// True once a stop has begun: a job posted now is destroyed and not run.
bool refuses_jobs(Executor& executor) {
    const auto ran = std::make_shared<std::atomic<bool>>(false);
    auto token = std::make_shared<int>();
    const std::weak_ptr<int> waiting = token;
    executor.post(Lane::Commit, [ran, token = std::move(token)] { *ran = true; });
    return waiting.expired() && !*ran;
}

TEST_F(ThreadExecutorTest, stop_waits_for_the_job_under_way) {
    std::latch started(1);
    bool ended = false;
    executor.post(Lane::Pool, [&] {
        started.count_down();
        while (!refuses_jobs(executor)) {
        }
        ended = true;
    });
    started.wait();

    executor.stop();

    EXPECT_TRUE(ended);
}

// Tells on which thread it was destroyed.
struct Witness {
    std::atomic<int>* here;
    std::thread::id stopper;
    Witness(std::atomic<int>& count, std::thread::id id) : here(&count), stopper(id) {}
    Witness(const Witness&) = delete;
    Witness& operator=(const Witness&) = delete;
    ~Witness() {
        if (std::this_thread::get_id() == stopper) ++*here;
    }
};

TEST_F(ThreadExecutorTest, stop_destroys_the_jobs_it_drops_on_the_stopping_thread) {
    std::atomic<int> destroyed_here{0};
    std::promise<void> unblock;
    auto unblocked = unblock.get_future().share();
    std::latch blocked(5);
    const auto block = [&, unblocked] {
        blocked.count_down();
        unblocked.wait();
    };
    executor.post(Lane::Commit, block);
    for (int i = 0; i < 4; ++i) executor.post(Lane::Pool, block);
    blocked.wait();
    const auto witness = [&] {
        return std::make_unique<Witness>(destroyed_here, std::this_thread::get_id());
    };
    executor.post(Lane::Commit, [w = witness()] { FAIL() << "a new job was run"; });
    executor.post(Lane::Pool, [w = witness()] { FAIL() << "a new job was run"; });
    executor.post_at(clock.now() + 1h, Lane::Loop, [w = witness()] { FAIL() << "not due"; });
    boost::asio::post(executor.io(), [] {});

    // The stop must have begun before the blocked ones may end, or the others would be run.
    std::thread unblocker([&] {
        while (!refuses_jobs(executor)) std::this_thread::yield();
        unblock.set_value();
    });
    executor.stop();
    unblocker.join();

    EXPECT_EQ(destroyed_here, 3);
}

TEST_F(ThreadExecutorTest, after_stop_a_job_is_destroyed_and_not_run) {
    const auto alive = std::make_shared<int>();
    executor.stop();

    for (const auto lane : {Lane::Loop, Lane::Commit, Lane::Pool}) {
        executor.post(lane, [alive] { FAIL(); });
        executor.post_at(clock.now() + 1h, lane, [alive] { FAIL(); });
    }
    executor.stop();

    EXPECT_EQ(alive.use_count(), 1);
}

TEST_F(ThreadExecutorTest, a_dropped_job_may_post_from_its_destructor) {
    struct Poster {
        Executor* executor;
        explicit Poster(Executor& e) : executor(&e) {}
        Poster(const Poster&) = delete;
        Poster& operator=(const Poster&) = delete;
        ~Poster() {
            executor->post(Lane::Loop, [] {});
            executor->post(Lane::Commit, [] {});
            executor->post_at(Time::max(), Lane::Pool, [] {});
        }
    };
    executor.post_at(Time::max(), Lane::Loop, [p = std::make_unique<Poster>(executor)] {});

    executor.stop();
}

TEST(ThreadExecutorDeathTest, an_exception_that_leaves_a_job_ends_the_process_with_its_message) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    for (const auto lane : {Lane::Loop, Lane::Commit, Lane::Pool})
        EXPECT_DEATH(
            {
                SystemClock clock;
                ThreadExecutor executor{clock};
                executor.post(lane, [] { throw std::runtime_error("disk on fire"); });
                std::promise<void>().get_future().wait_for(1min);
            },
            "disk on fire");
}

}  // namespace
}  // namespace belay::env
