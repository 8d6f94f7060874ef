// time_ordered_id_test.cpp — the form is ULID's, and text order is time order.
#include "core/base/time_ordered_id.hpp"

#include <set>

#include <gtest/gtest.h>

namespace belay::base {
namespace {

using namespace std::chrono_literals;

Time at(std::int64_t ms) { return Time{Duration{ms}}; }

TEST(TimeOrderedId, is_a_ulid_in_lower_case) {
    // The time part of the ULID specification's own example, 01ARYZ6S41….
    EXPECT_EQ(time_ordered_id(at(1469918176385), 0, 0), "01aryz6s410000000000000000");
    EXPECT_EQ(time_ordered_id(at(0), 0, 31), "0000000000000000000000000z");
    EXPECT_EQ(time_ordered_id(at((std::int64_t{1} << 48) - 1), ~0ull, ~0ull),
              "7zzzzzzzzzzzzzzzzzzzzzzzzz");
}

TEST(TimeOrderedId, a_later_millisecond_is_greater_whatever_the_random_bits) {
    for (const std::int64_t ms : {0ll, 1ll, 31ll, 32ll, 1023ll, 1794772800000ll})
        EXPECT_LT(time_ordered_id(at(ms), ~0ull, ~0ull), time_ordered_id(at(ms + 1), 0, 0)) << ms;
}

TEST(TimeOrderedId, every_random_bit_counts) {
    std::set<std::string> ids;
    for (int bit = 0; bit < 64; ++bit) ids.insert(time_ordered_id(at(5), 0, 1ull << bit));
    for (int bit = 0; bit < 16; ++bit) ids.insert(time_ordered_id(at(5), 1ull << bit, 0));
    EXPECT_EQ(ids.size(), 80u);
}

TEST(TimeOrderedId, a_time_before_1970_counts_as_1970) {
    EXPECT_EQ(time_ordered_id(at(-5), 1, 2), time_ordered_id(at(0), 1, 2));
}

}  // namespace
}  // namespace belay::base
