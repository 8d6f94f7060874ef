#include "service/api/rate_limit.hpp"

#include <gtest/gtest.h>

namespace belay::api {
namespace {

using namespace std::chrono_literals;

TEST(RateLimit, a_burst_is_taken_at_once_and_then_it_is_the_rate) {
    env::ManualClock clock;
    RateLimiter limiter(clock, {10, 3});

    for (int i = 0; i < 3; ++i) EXPECT_EQ(limiter.take("a"), 0ms);
    EXPECT_EQ(limiter.take("a"), 100ms);
    EXPECT_EQ(limiter.take("b"), 0ms);  // another token has its own

    clock.advance(100ms);
    EXPECT_EQ(limiter.take("a"), 0ms);
    EXPECT_GT(limiter.take("a"), 0ms);
    clock.advance(1h);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(limiter.take("a"), 0ms);
    EXPECT_GT(limiter.take("a"), 0ms);
}

TEST(RateLimit, a_clock_that_jumps_back_gives_nothing_and_takes_nothing) {
    env::ManualClock clock;
    RateLimiter limiter(clock, {1, 1});
    limiter.take("a");

    clock.set(clock.now() - 1h);

    EXPECT_EQ(limiter.take("a"), 1s);
}

TEST(RateLimit, zero_means_none) {
    env::ManualClock clock;
    RateLimiter limiter(clock, {0, 0});
    for (int i = 0; i < 1000; ++i) ASSERT_EQ(limiter.take("a"), 0ms);
}

}  // namespace
}  // namespace belay::api
