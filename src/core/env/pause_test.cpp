#include "core/env/pause.hpp"

#include <gtest/gtest.h>

namespace belay::env {
namespace {

using namespace std::chrono_literals;

TEST(Pause, a_stop_ends_it_at_once) {
    std::stop_source stop;
    stop.request_stop();
    SystemPause{}.wait(1h, stop.get_token());
    SystemPause{}.wait(1ms);
}

TEST(Pause, by_hand_it_moves_the_clock) {
    ManualClock clock;
    ManualPause pause{clock};
    const auto before = clock.now();
    pause.wait(5min);
    EXPECT_EQ(clock.now() - before, 5min);
    EXPECT_EQ(pause.waits, std::vector<Duration>{5min});
}

}  // namespace
}  // namespace belay::env
