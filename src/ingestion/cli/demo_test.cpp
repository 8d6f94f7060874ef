#include "ingestion/cli/demo.hpp"

#include <gtest/gtest.h>
#include <boost/json.hpp>

namespace belay::cli {
namespace {

namespace json = boost::json;

TEST(Demo, counts_the_fields_that_were_read_right) {
    const DemoSample receipt{
        "r.png", "receipt",
        json::parse(R"({"merchant":"ICA","date":"2026-03-01","total":"12.50","currency":"SEK"})")};
    const Score score = score_of(
        receipt, json::parse(R"({"merchant":"ICA","date":null,"total":"12.50","currency":"EUR"})"));
    EXPECT_EQ(score.right, 2u);
    EXPECT_EQ(score.asked, 4u);
    EXPECT_EQ(score_of(receipt, nullptr).right, 0u);
}

TEST(Demo, a_picture_is_right_when_its_best_label_is) {
    const DemoSample clock{"c.png", "image",
                           json::parse(R"({"labels":["analog clock","wall clock"]})")};
    EXPECT_EQ(
        score_of(clock, json::parse(R"({"labels":[{"label":"wall clock","score":0.4}]})")).right,
        1u);
    EXPECT_EQ(score_of(clock, json::parse(R"({"labels":[{"label":"tabby","score":0.4}]})")).right,
              0u);
    EXPECT_EQ(score_of(clock, json::parse(R"({"labels":[]})")).right, 0u);
}

}  // namespace
}  // namespace belay::cli
