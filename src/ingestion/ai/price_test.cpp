#include "ingestion/ai/price.hpp"

#include <gtest/gtest.h>

#include <belay/error.hpp>

namespace belay::ai {
namespace {

std::string dollars(const Cost& cost) { return cost.money.at("USD").amount(); }

TEST(Price, a_call_costs_its_tokens_to_a_billionth) {
    const Prices prices{{"small", Price::per_million("0.15", "0.6")},
                        {"embed", Price::per_million("0.02", "0")}};

    EXPECT_EQ(dollars(priced(prices, "small", 1000, 375)), "0.000375");
    EXPECT_EQ(dollars(priced(prices, "small", 1'000'000, 1'000'000)), "0.75");
    EXPECT_EQ(dollars(priced(prices, "embed", 1, 0)), "0.00000002");
    EXPECT_EQ(dollars(priced(prices, "small", 20'000'000, 0)), "3");
}

TEST(Price, without_one_the_cost_is_its_tokens) {
    const auto cost = priced({}, "free", 10, 20);

    EXPECT_TRUE(cost.money.empty());
    EXPECT_EQ(cost.tokens_in, 10);
    EXPECT_EQ(cost.tokens_out, 20);
}

TEST(Price, is_a_plain_decimal) {
    for (const auto* text : {"", ".5", "1.", "-1", "1e3", "0.1234567", "1,5", "12345678", "1.2.3"})
        EXPECT_THROW(Price::per_million(text, "0"), Error) << text;
}

TEST(Price, a_claim_of_absurdly_many_tokens_is_bounded) {
    const Prices prices{{"m", Price::per_million("999999", "999999")}};

    const auto cost = priced(prices, "m", INT64_MAX, -5);

    EXPECT_EQ(cost.tokens_in, 1'000'000'000);
    EXPECT_EQ(cost.tokens_out, 0);
    EXPECT_EQ(dollars(cost), "999999000");
}

}  // namespace
}  // namespace belay::ai
