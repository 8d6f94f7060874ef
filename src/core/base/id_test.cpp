// id_test.cpp — ids of two kinds do not mix; ids of one kind behave as values.
#include "core/base/id.hpp"

#include <map>
#include <type_traits>
#include <unordered_set>

#include <gtest/gtest.h>

namespace {

using RunNo = belay::base::Id<struct RunTag>;
using QueueNo = belay::base::Id<struct QueueTag>;

static_assert(!std::is_convertible_v<QueueNo, RunNo>);
static_assert(!std::is_constructible_v<RunNo, QueueNo>);
static_assert(!std::is_convertible_v<std::int64_t, RunNo>);
static_assert(!std::is_convertible_v<RunNo, std::int64_t>);
static_assert(sizeof(RunNo) == sizeof(std::int64_t));

TEST(Id, compares_by_number) {
    EXPECT_LT(RunNo{1}, RunNo{2});
    EXPECT_EQ(RunNo{7}, RunNo{7});
    EXPECT_NE(RunNo{7}, RunNo{8});
}

TEST(Id, the_default_is_none) {
    EXPECT_FALSE(RunNo{});
    EXPECT_TRUE(RunNo{1});
}

TEST(Id, is_a_key_of_ordered_and_unordered_containers) {
    const std::unordered_set<RunNo> hashed{RunNo{1}, RunNo{2}, RunNo{1}};
    const std::map<RunNo, int> ordered{{RunNo{2}, 20}, {RunNo{1}, 10}};

    EXPECT_EQ(hashed.size(), 2u);
    EXPECT_EQ(ordered.begin()->second, 10);
}

TEST(Id, prints_as_its_number) {
    EXPECT_EQ(fmt::format("run {} [{:>4}]", RunNo{42}, RunNo{7}), "run 42 [   7]");
}

}  // namespace
