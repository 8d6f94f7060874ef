#include "ingestion/search/vector_scan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>

#include <gtest/gtest.h>

namespace belay::search {
namespace {

std::vector<float> random_vector(std::mt19937& random, std::size_t dimension) {
    std::normal_distribution<float> normal;
    std::vector<float> vector(dimension);
    for (float& value : vector) value = normal(random);
    return vector;
}

TEST(VectorTable, finds_the_same_as_comparing_all_in_the_plainest_way) {
    for (const std::size_t dimension : {1u, 3u, 16u, 100u, 101u}) {
        std::mt19937 random{static_cast<unsigned>(dimension)};
        VectorTable table{dimension};
        std::vector<std::vector<float>> all;
        for (std::uint64_t id = 0; id < 500; ++id) {
            all.push_back(random_vector(random, dimension));
            table.put(id, all.back());
        }
        const auto query = random_vector(random, dimension);

        const auto found = table.nearest(query, 7);

        std::vector<std::pair<double, std::uint64_t>> expected;
        for (std::uint64_t id = 0; id < all.size(); ++id) {
            double sum = 0;
            for (std::size_t d = 0; d < dimension; ++d) sum += double{all[id][d]} * query[d];
            expected.emplace_back(-sum, id);
        }
        std::sort(expected.begin(), expected.end());
        ASSERT_EQ(found.size(), 7u);
        for (std::size_t i = 0; i < found.size(); ++i) {
            EXPECT_EQ(found[i].id, expected[i].second)
                << "dimension " << dimension << ", place " << i;
            EXPECT_NEAR(found[i].score, -expected[i].first, 1e-3);
        }
    }
}

TEST(VectorTable, a_vector_can_be_replaced_and_erased) {
    VectorTable table{2};
    table.put(1, std::vector{1.f, 0.f});
    table.put(2, std::vector{0.f, 1.f});
    table.put(3, std::vector{0.9f, 0.f});
    table.put(2, std::vector{0.5f, 0.f});

    EXPECT_TRUE(table.erase(1));
    EXPECT_FALSE(table.erase(1));

    EXPECT_EQ(table.size(), 2u);
    EXPECT_EQ(table.nearest(std::vector{1.f, 0.f}, 10), (std::vector<Hit>{{3, 0.9f}, {2, 0.5f}}));
}

TEST(VectorTable, equal_scores_come_by_id_and_low_ones_not_at_all) {
    VectorTable table{1};
    for (const std::uint64_t id : {5u, 3u, 9u, 1u})
        table.put(id, std::vector{id == 9 ? 0.1f : 1.f});
    EXPECT_EQ(table.nearest(std::vector{1.f}, 2), (std::vector<Hit>{{1, 1.f}, {3, 1.f}}));
    EXPECT_EQ(table.nearest(std::vector{1.f}, 10, 0.5f).size(), 3u);
    EXPECT_TRUE(VectorTable{4}.nearest(std::vector<float>(4), 3).empty());
}

TEST(VectorTable, refuses_what_cannot_be_compared) {
    VectorTable table{2};
    EXPECT_THROW(table.put(1, std::vector{1.f}), std::invalid_argument);
    EXPECT_THROW(table.put(1, std::vector{1.f, std::numeric_limits<float>::quiet_NaN()}),
                 std::invalid_argument);
    EXPECT_THROW(table.nearest(std::vector{1.f}, 1), std::invalid_argument);
    EXPECT_THROW(VectorTable{0}, std::invalid_argument);
}

}  // namespace
}  // namespace belay::search
