#include "ai/usage.hpp"

#include <gtest/gtest.h>

#include <belay/error.hpp>

namespace belay::ai {
namespace {

TEST(Usage, a_call_costs_its_tokens_exactly) {
    const Prices prices{{"small", Price::per_million("0.15", "0.6")},
                        {"embed", Price::per_million("0.02", "0")}};

    EXPECT_EQ(priced(prices, "small", 1000, 375).cost(), "0.000375");
    EXPECT_EQ(priced(prices, "small", 1'000'000, 1'000'000).cost(), "0.75");
    EXPECT_EQ(priced(prices, "embed", 1, 0).cost(), "0.00000002");
    EXPECT_EQ(priced(prices, "small", 20'000'000, 0).cost(), "3");
    EXPECT_EQ(priced(prices, "small", 1, 1).currency, "USD");
}

TEST(Usage, without_a_price_the_cost_is_unknown_and_the_tokens_are_not) {
    const auto usage = priced({}, "free", 10, 20);
    EXPECT_EQ(usage.currency, "");
    EXPECT_EQ(usage.tokens_in, 10);
    EXPECT_EQ(usage.tokens_out, 20);
    EXPECT_EQ(usage.cost(), "0");
}

TEST(Usage, adds_up) {
    const Prices prices{{"m", Price::per_million("1", "2", "EUR")}};
    Usage sum;
    for (int i = 0; i < 3; ++i) sum += priced(prices, "m", 100, 10);
    EXPECT_EQ(sum.tokens_in, 300);
    EXPECT_EQ(sum.cost(), "0.00036");
    EXPECT_EQ(sum.currency, "EUR");
}

TEST(Usage, a_price_is_a_plain_decimal) {
    for (const auto* text : {"", ".5", "1.", "-1", "1e3", "0.1234567", "1,5", "12345678"})
        EXPECT_THROW(Price::per_million(text, "0"), Error) << text;
}

TEST(Usage, a_claim_of_absurdly_many_tokens_is_bounded) {
    const Prices prices{{"m", Price::per_million("999999", "999999")}};
    const auto usage = priced(prices, "m", INT64_MAX, -5);
    EXPECT_EQ(usage.tokens_in, 1'000'000'000);
    EXPECT_EQ(usage.tokens_out, 0);
    EXPECT_GT(usage.cost_pico, 0);
}

}  // namespace
}  // namespace belay::ai
