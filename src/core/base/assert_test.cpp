// assert_test.cpp — an assertion says where, what and why, and is never compiled out.
#include "core/base/assert.hpp"

#include <gtest/gtest.h>

namespace {

TEST(AssertDeathTest, a_false_condition_aborts_with_place_condition_and_message) {
    const int epoch = -1;

    EXPECT_DEATH(BELAY_ASSERT(epoch > 0, "run {} has epoch {}", "july", epoch),
                 "assert_test.cpp:[0-9]+: assertion failed: epoch > 0: run july has epoch -1");
}

TEST(AssertDeathTest, the_message_may_be_left_out) {
    EXPECT_DEATH(BELAY_ASSERT(1 + 1 == 3), "assertion failed: 1 \\+ 1 == 3\n");
}

TEST(Assert, a_true_condition_costs_no_formatting) {
    int formatted = 0;

    BELAY_ASSERT(true, "{}", ++formatted);

    EXPECT_EQ(formatted, 0);
}

}  // namespace
