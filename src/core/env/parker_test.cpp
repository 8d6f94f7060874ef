#include "core/env/parker.hpp"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

namespace belay::env {
namespace {

using namespace std::chrono_literals;

TEST(Parker, a_wake_up_before_the_park_is_not_lost) {
    Parker parker;

    parker.unpark();

    EXPECT_TRUE(parker.park_for(1h));
}

TEST(Parker, two_wake_ups_are_one) {
    Parker parker;

    parker.unpark();
    parker.unpark();

    EXPECT_TRUE(parker.park_for(1h));
    EXPECT_FALSE(parker.park_for(1ms));
}

TEST(Parker, spinning_notices_a_wake_up_too) {
    Parker parker;

    parker.unpark();

    EXPECT_TRUE(parker.spin_for(1s));
    EXPECT_FALSE(parker.park_for(0ms));
}

TEST(Parker, stops_spinning_when_that_does_not_pay) {
    Parker parker;
    while (parker.spin_for(1us)) {
    }
    for (int i = 0; i < 8; ++i) parker.spin_for(1us);

    const auto start = std::chrono::steady_clock::now();
    parker.spin_for(1h);

    EXPECT_LT(std::chrono::steady_clock::now() - start, 1min);
}

TEST(Parker, two_threads_can_wake_each_other_for_ever) {
    Parker here;
    Parker there;
    constexpr int kRounds = 2'000;
    int ball = 0;  // not atomic: a thread sanitizer sees whether unpark() publishes it

    std::thread other([&] {
        for (int i = 0; i < kRounds; ++i) {
            if (!there.spin_for(5us)) there.park_for(1h);
            ++ball;
            here.unpark();
        }
    });
    for (int i = 0; i < kRounds; ++i) {
        ++ball;
        there.unpark();
        here.park_for(1h);
    }
    other.join();

    EXPECT_EQ(ball, 2 * kRounds);
}

}  // namespace
}  // namespace belay::env
