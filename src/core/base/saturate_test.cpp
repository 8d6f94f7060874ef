#include "core/base/saturate.hpp"

#include <gtest/gtest.h>

namespace belay::base {
namespace {

using namespace std::chrono_literals;

TEST(Saturate, an_ordinary_sum_is_a_sum) {
    EXPECT_EQ(later(Time{1000ms}, 5ms), Time{1005ms});
    EXPECT_EQ(later(Time{1000ms}, -5ms), Time{995ms});
}

TEST(Saturate, what_would_overflow_is_the_last_time_or_the_first) {
    const Time now{1'800'000'000'000ms};

    EXPECT_EQ(later(now, Duration::max()), kTimeMax);
    EXPECT_EQ(later(kTimeMax, 1ms), kTimeMax);
    EXPECT_EQ(later(now, Duration::min()), Time{});
}

}  // namespace
}  // namespace belay::base
