#include "core/env/heap.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace belay::env {
namespace {

TEST(Heap, what_is_allocated_is_used_and_what_is_let_go_is_not) {
    constexpr std::size_t kMuch = 64 << 20;
    const std::size_t before = heap_use().used;
    std::size_t during = 0;
    {
        const std::vector<char> much(kMuch, 'x');
        during = heap_use().used;
    }
    const std::size_t after = heap_use().used;

    EXPECT_GE(during, before + kMuch);
    EXPECT_LE(after, during - kMuch + (1 << 20));
}

}  // namespace
}  // namespace belay::env
