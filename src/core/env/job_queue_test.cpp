#include "core/env/job_queue.hpp"

#include <gtest/gtest.h>

namespace belay::env {
namespace {

TEST(JobQueue, gives_the_jobs_back_in_order_while_it_grows_and_wraps) {
    JobQueue queue;
    std::vector<int> ran;
    int pushed = 0;
    const auto push = [&](int count) {
        for (int i = 0; i < count; ++i) queue.push([&ran, n = pushed++] { ran.push_back(n); });
    };

    push(50);
    for (int i = 0; i < 40; ++i) queue.pop()();
    push(500);
    while (!queue.empty()) queue.pop()();

    ASSERT_EQ(ran.size(), 550U);
    for (int i = 0; i < 550; ++i) EXPECT_EQ(ran[static_cast<std::size_t>(i)], i);
}

TEST(JobQueue, can_be_used_again_after_a_great_burst) {
    JobQueue queue;
    int ran = 0;

    for (int burst = 0; burst < 2; ++burst) {
        for (int i = 0; i < 100'000; ++i) queue.push([&] { ++ran; });
        while (!queue.empty()) queue.pop()();
    }

    EXPECT_EQ(ran, 200'000);
}

}  // namespace
}  // namespace belay::env
