#include "ingestion/isolate/gate.hpp"

#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace belay::isolate {
namespace {

TEST(Gate, callers_enter_up_to_the_bound_and_then_in_the_order_they_came) {
    Gate gate{1};
    auto first = gate.enter({});
    ASSERT_TRUE(first);
    std::mutex mutex;
    std::vector<int> order;
    std::vector<std::jthread> callers;
    for (int i = 0; i < 4; ++i) {
        callers.emplace_back([&, i] {
            const auto place = gate.enter({});
            const std::lock_guard lock{mutex};
            order.push_back(i);
        });
        while (gate.waiting() != i + 1) std::this_thread::yield();
    }
    EXPECT_EQ(gate.inside(), 1);

    first.reset();
    callers.clear();

    EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3}));
    EXPECT_EQ(gate.inside(), 0);
    EXPECT_TRUE(gate.enter({}));
}

TEST(Gate, a_stop_ends_the_wait_and_takes_no_place) {
    Gate gate{1};
    auto first = gate.enter({});
    std::stop_source stop;
    std::atomic<bool> entered = true;
    {
        std::jthread caller{[&] { entered = gate.enter(stop.get_token()).has_value(); }};
        while (gate.waiting() != 1) std::this_thread::yield();
        stop.request_stop();
    }
    EXPECT_FALSE(entered);
    EXPECT_EQ(gate.waiting(), 0);
    first.reset();
    EXPECT_EQ(gate.inside(), 0);
    EXPECT_FALSE(gate.enter(stop.get_token())) << "a caller that is already stopped does not enter";
}

TEST(Gate, no_place_is_lost_when_stops_and_leavers_meet) {
    Gate gate{2};
    std::atomic<int> most = 0, inside = 0;
    {
        std::vector<std::jthread> callers;
        for (int t = 0; t < 6; ++t) {
            callers.emplace_back([&] {
                for (int i = 0; i < 300; ++i) {
                    std::stop_source stop;
                    std::jthread stopper{[&] { stop.request_stop(); }};
                    if (const auto place = gate.enter(stop.get_token())) {
                        const int now = ++inside;
                        if (now > most) most = now;
                        --inside;
                    }
                }
            });
        }
    }
    EXPECT_LE(most, 2);
    EXPECT_EQ(gate.inside(), 0);
    const auto a = gate.enter({}), b = gate.enter({});
    EXPECT_TRUE(a && b);
}

}  // namespace
}  // namespace belay::isolate
