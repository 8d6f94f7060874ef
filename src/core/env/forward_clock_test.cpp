#include "core/env/forward_clock.hpp"

#include <gtest/gtest.h>

namespace belay::env {
namespace {

using namespace std::chrono_literals;

TEST(ForwardClock, time_goes_on_with_the_steady_clock_while_the_wall_clock_is_behind) {
    ManualClock wall;
    Duration steady{5'000};
    ForwardClock clock{wall, [&] { return steady; }};
    const Time before = clock.now();
    EXPECT_EQ(before, wall.now());

    wall.set(before - 2h);
    steady += 3s;
    EXPECT_EQ(clock.now(), before + 3s);

    wall.set(before + 1h);  // somebody has set it right
    EXPECT_EQ(clock.now(), before + 1h);
}

TEST(ForwardClock, it_is_never_before_a_time_that_was_written_down) {
    ManualClock wall;
    Duration steady{5'000};
    ForwardClock clock{wall, [&] { return steady; }};
    const Time written = wall.now() + 2h;

    clock.saw(written);

    EXPECT_EQ(clock.now(), written);
    steady += 10ms;
    EXPECT_EQ(clock.now(), written + 10ms);
    clock.saw(wall.now());  // an older row says nothing
    EXPECT_EQ(clock.now(), written + 10ms);
}

}  // namespace
}  // namespace belay::env
