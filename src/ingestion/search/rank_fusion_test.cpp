#include "ingestion/search/rank_fusion.hpp"

#include <gtest/gtest.h>

namespace belay::search {
namespace {

std::vector<std::uint64_t> order(std::vector<RankedList> lists, std::size_t count = 10) {
    std::vector<std::uint64_t> ids;
    for (const auto& one : fuse(lists, count)) ids.push_back(one.id);
    return ids;
}

using Ids = std::vector<std::uint64_t>;

TEST(RankFusion, what_both_lists_have_comes_first) {
    EXPECT_EQ(order({{{1, 2, 3}}, {{4, 2, 5}}}), (Ids{2, 1, 4, 3, 5}));
}

TEST(RankFusion, one_list_alone_keeps_its_order) {
    EXPECT_EQ(order({{{7, 3, 5}}, {{}}}), (Ids{7, 3, 5}));
}

TEST(RankFusion, a_weight_lets_one_list_lead) {
    EXPECT_EQ(order({{{1}, 1}, {{2}, 2}}), (Ids{2, 1}));
}

TEST(RankFusion, an_id_counts_once_in_a_list) { EXPECT_EQ(order({{{1, 2, 2, 2}}}), (Ids{1, 2})); }

TEST(RankFusion, gives_no_more_than_asked_for) {
    EXPECT_EQ(order({{{1, 2, 3}}}, 2), (Ids{1, 2}));
    EXPECT_TRUE(order({}, 2).empty());
}

}  // namespace
}  // namespace belay::search
