#include "core/store/postgres/told.hpp"

#include <gtest/gtest.h>

namespace belay::store::postgres {
namespace {

TEST(SomeRuns, are_read_as_they_were_told) {
    SomeRuns some;
    EXPECT_TRUE(some.none());
    some.add(7);
    some.add(9'000'000'000'000'000'000);
    some.add(7);

    const SomeRuns heard = SomeRuns::from(some.text());

    EXPECT_EQ(heard.runs(), (std::set<std::int64_t>{7, 9'000'000'000'000'000'000}));
    EXPECT_FALSE(heard.any());
    EXPECT_TRUE(SomeRuns::from("").none());
}

TEST(SomeRuns, that_are_too_many_are_any_and_fit_into_a_notification) {
    SomeRuns some;
    std::size_t longest = 0;
    for (std::int64_t run = 0; run < 1000; ++run) {
        some.add(9'000'000'000'000'000'000 + run);
        longest = std::max(longest, some.text().size());
    }

    EXPECT_TRUE(SomeRuns::from(some.text()).any());
    EXPECT_LT(longest, 7500U);
    SomeRuns others;
    others.add(1);
    others.add(some);
    EXPECT_TRUE(others.any());
    EXPECT_TRUE(others.runs().empty());
}

TEST(SomeRuns, what_an_older_worker_says_may_mean_any) {
    for (const char* text : {"told", "1,x", "1;2", ",", "99999999999999999999"})
        EXPECT_TRUE(SomeRuns::from(text).any()) << text;
}

}  // namespace
}  // namespace belay::store::postgres
