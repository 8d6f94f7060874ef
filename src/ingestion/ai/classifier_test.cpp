#include "ingestion/ai/classifier.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

#include <gtest/gtest.h>

namespace belay::ai {
namespace {

std::string refusal(Classification answer) {
    try {
        validated(std::move(answer), 5);
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    return {};
}

TEST(Classifier, an_answer_is_ranked_and_cut) {
    const auto answer = validated({"m", {{"cat", 0.2, 3}, {"dog", 0.7, 1}, {"cow", 0.1, 2}}}, 2);
    EXPECT_EQ(answer.labels, (std::vector<Label>{{"dog", 0.7, 1}, {"cat", 0.2, 3}}));
}

TEST(Classifier, an_empty_answer_is_a_failure) {
    EXPECT_EQ(refusal({"m", {}}), "m gave no usable answer: it is empty");
}

TEST(Classifier, an_answer_that_makes_no_sense_is_a_failure) {
    EXPECT_EQ(refusal({"m", {{"", 0.5, 0}}}),
              "m gave no usable answer: a label has no readable name");
    EXPECT_EQ(refusal({"m", {{"\xff", 0.5, 0}}}),
              "m gave no usable answer: a label has no readable name");
    EXPECT_EQ(refusal({"m", {{"cat", 1.5, 0}}}),
              "m gave no usable answer: the score of 'cat' is 1.5");
    EXPECT_EQ(refusal({"m", {{"cat", -0.1, 0}}}),
              "m gave no usable answer: the score of 'cat' is -0.1");
    EXPECT_NE(refusal({"m", {{"cat", std::numeric_limits<double>::quiet_NaN(), 0}}}), "");
}

}  // namespace
}  // namespace belay::ai
