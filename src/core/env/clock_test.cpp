#include "core/env/clock.hpp"

#include <gtest/gtest.h>

namespace belay::env {
namespace {

using namespace std::chrono_literals;

TEST(ManualClock, stands_still_until_it_is_moved) {
    ManualClock clock;
    const auto start = clock.now();

    EXPECT_EQ(clock.now(), start);
    clock.advance(5ms);
    EXPECT_EQ(clock.now(), start + 5ms);
    clock.set(start - 1h);
    EXPECT_EQ(clock.now(), start - 1h);
}

TEST(ManualClock, tells_its_subscribers_that_it_was_moved) {
    ManualClock clock;
    int told = 0;
    const auto subscription = clock.on_change([&] { ++told; });

    clock.advance(1ms);
    clock.set(Time{});

    EXPECT_EQ(told, 2);
}

TEST(ManualClock, does_not_tell_a_subscriber_that_left) {
    ManualClock clock;
    int told = 0;
    auto first = clock.on_change([&] { ++told; });
    auto second = clock.on_change([&] { told += 10; });

    first = Subscription{};
    clock.advance(1ms);
    second.cancel();
    clock.advance(1ms);

    EXPECT_EQ(told, 10);
}

TEST(OffsetClock, runs_with_the_system_clock_a_given_time_away) {
    const SystemClock system;
    OffsetClock clock{24h};

    const auto before = system.now();
    clock.advance(24h);
    const auto shown = clock.now();
    const auto after = system.now();

    EXPECT_GE(shown, before + 48h);
    EXPECT_LE(shown, after + 48h);
}

}  // namespace
}  // namespace belay::env
