#include "core/env/timer_heap.hpp"

#include <string>

#include <gtest/gtest.h>

namespace belay::env {
namespace {

using namespace std::chrono_literals;

TEST(TimerHeap, gives_back_what_is_due_by_time_and_then_by_order) {
    TimerHeap heap;
    std::string ran;
    const Time start{};
    heap.add(start + 2ms, Lane::Loop, [&] { ran += 'c'; });
    heap.add(start + 1ms, Lane::Loop, [&] { ran += 'a'; });
    heap.add(start + 1ms, Lane::Loop, [&] { ran += 'b'; });
    heap.add(start + 9ms, Lane::Loop, [&] { ran += 'd'; });

    while (auto timer = heap.take_due(start + 8ms)) timer->job();

    EXPECT_EQ(ran, "abc");
    EXPECT_EQ(heap.next(), start + 9ms);
}

TEST(TimerHeap, an_empty_one_has_no_next_time) {
    TimerHeap heap;

    EXPECT_TRUE(heap.empty());
    EXPECT_EQ(heap.next(), std::nullopt);
    EXPECT_FALSE(heap.take_due(Time::max()));
}

}  // namespace
}  // namespace belay::env
