#include "core/model/cost.hpp"

#include <gtest/gtest.h>

#include <boost/json.hpp>

namespace belay::model {
namespace {

using namespace std::chrono_literals;

template <class F>
std::string refused(F&& act) {
    try {
        act();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
        return error.what();
    }
    return "not refused";
}

Stage stage_of(std::string path, Time started, Duration took, std::optional<Cost> cost = {}) {
    Stage stage;
    stage.path = std::move(path);
    stage.status = StageStatus::Succeeded;
    stage.started_at = started;
    stage.finished_at = started + took;
    if (cost) stage.cost = to_json(*cost);
    return stage;
}

// ---- money

TEST(Money, is_exact) {
    Money sum;
    for (int i = 0; i < 10; ++i) sum += Money("0.1", "EUR");

    EXPECT_EQ(sum, Money("1", "EUR"));
    EXPECT_EQ((Money("0.000000001", "USD") + Money("999999999999999999", "USD")).amount(),
              "999999999999999999.000000001");
    EXPECT_EQ((Money("1.5", "USD") + Money("-2", "USD")).amount(), "-0.5");
    EXPECT_EQ((Money("-1.5", "USD") + Money("2", "USD")).amount(), "0.5");
    EXPECT_TRUE((Money("-1.5", "USD") + Money("1.5", "USD")).is_zero());
}

TEST(Money, is_written_as_short_as_it_can_be) {
    EXPECT_EQ(Money("12.50", "SEK").amount(), "12.5");
    EXPECT_EQ(Money("0.000015", "USD").amount(), "0.000015");
    EXPECT_EQ(Money("-0.5", "USD").amount(), "-0.5");
    EXPECT_EQ(Money("007.00", "USD").amount(), "7");
    EXPECT_EQ(Money("-0", "USD").amount(), "0");
    EXPECT_EQ(Money{}.amount(), "0");
}

TEST(Money, a_price_is_multiplied_and_rounded_once) {
    EXPECT_EQ(Money("0.15", "USD").times(1200, 1'000'000).amount(), "0.00018");
    EXPECT_EQ(Money("0.02", "USD").times(1, 1'000'000).amount(), "0.00000002");
    EXPECT_EQ(Money("10", "USD").times(1, 3).amount(), "3.333333333");
    EXPECT_EQ(Money("20", "USD").times(1, 3).amount(), "6.666666667");
    EXPECT_EQ(Money("-20", "USD").times(1, 3).amount(), "-6.666666667");
    EXPECT_EQ(Money("0.000000001", "USD").times(1, 2).amount(), "0.000000001");
    EXPECT_EQ(Money("3", "USD").times(-2).amount(), "-6");
    EXPECT_EQ(
        Money("999999999999999999", "USD").times(1'000'000'000'000, 1'000'000'000'000).amount(),
        "999999999999999999");
}

TEST(Money, what_is_no_money_is_refused) {
    EXPECT_EQ(
        refused([] { Money("1,50", "EUR"); }),
        "`1,50` is not an amount of money: write a decimal number such as 12.50, with at most 9 "
        "decimals and 18 digits before them");
    for (const auto* text : {"", "-", ".5", "1.", "1e3", "+1", "1.0000000001",
                             "1234567890123456789", "NaN", " 1", "1 ", "--1", "0x1"})
        EXPECT_NE(refused([&] { Money(text, "EUR"); }), "not refused") << text;
    for (const auto* text : {"", "eur", "EURO", "E1R", "€"})
        EXPECT_NE(refused([&] { Money("1", text); }), "not refused") << text;
    EXPECT_EQ(refused([] { Money("1", "EUR") + Money("1", "USD"); }),
              "EUR and USD cannot be added: they are two currencies");
    EXPECT_NE(refused([] { Money("1", "EUR").times(1, 0); }), "not refused");
    EXPECT_NE(refused([] { Money("999999999999999999", "EUR").times(2); }), "not refused");
    EXPECT_NE(refused([] { Money("999999999999999999", "EUR").times(INT64_MAX); }), "not refused");
    EXPECT_NE(refused([] { Money("999999999999999999", "EUR") + Money("1", "EUR"); }),
              "not refused");
}

TEST(Money, crosses_a_checkpoint) {
    const Money price("12.5", "SEK");

    EXPECT_EQ(to_json(price), R"({"amount":"12.5","currency":"SEK"})");
    EXPECT_EQ(from_json<Money>(to_json(price)), price);
    EXPECT_EQ(from_json<Money>(to_json(Money{})), Money{});
    EXPECT_THROW(from_json<Money>(R"({"amount":12.5,"currency":"SEK"})"), Error);
    EXPECT_THROW(from_json<Money>("12.5"), Error);
}

// ---- cost

TEST(Cost, adds_up_by_currency_and_by_counter) {
    Cost first;
    first.pay(Money("0.01", "USD")).count("fetches");
    first.tokens_in = 800;
    Cost second;
    second.pay(Money("0.02", "USD")).pay(Money("1", "SEK")).count("fetches", 2).count("embeddings");
    second.tokens_out = 120;
    second.time = 1500ms;

    const Cost sum = first + second;

    EXPECT_EQ(to_string(sum),
              "1 SEK, 0.03 USD, 800 tokens in, 120 out, 1.5 s, 1 embeddings, 3 fetches");
    EXPECT_EQ(to_string(Cost{}), "nothing");
    EXPECT_TRUE(Cost{}.empty());
    EXPECT_FALSE(sum.empty());
}

TEST(Cost, crosses_a_checkpoint) {
    Cost cost;
    cost.pay(Money("0.0125", "USD")).count("fetches", 3);
    cost.tokens_in = 800;
    cost.time = 1500ms;

    EXPECT_EQ(
        to_json(cost),
        R"({"money":{"USD":"0.0125"},"tokens_in":800,"time_ms":1500,"counters":{"fetches":3}})");
    EXPECT_EQ(from_json<Cost>(to_json(cost)), cost);
    EXPECT_EQ(to_json(Cost{}), "{}");
    EXPECT_EQ(from_json<Cost>("{}"), Cost{});
}

TEST(Cost, of_a_wrong_form_is_refused) {
    for (const auto* text :
         {"[]", "1", R"({"money":1})", R"({"money":{"USD":0.1}})", R"({"money":{"usd":"0.1"}})",
          R"({"tokens_in":"1"})", R"({"tokens_in":1.5})", R"({"counters":{"a b":1}})",
          R"({"counters":[]})"})
        EXPECT_THROW(from_json<Cost>(text), Error) << text;
}

TEST(Cost, is_bounded) {
    Cost cost;
    for (int i = 0; i < 32; ++i) cost.count("n" + std::to_string(i));
    cost.count("n5");  // known: no new one

    EXPECT_EQ(refused([&] { cost.count("one_more"); }),
              "a cost has at most 32 counters, and one_more is one more");
    EXPECT_NE(refused([&] { cost.count(""); }), "not refused");
    EXPECT_NE(refused([&] { cost.count("a\nb"); }), "not refused");
    cost.tokens_in = INT64_MAX;
    EXPECT_EQ(refused([&] { cost += cost; }), "the sum of tokens in does not fit");
    EXPECT_EQ(cost.counters.at("n5"), 2) << "a sum that fails changes nothing";
}

// ---- of a run

TEST(CostOfStages, adds_what_they_recorded_and_passes_over_what_is_none) {
    Cost cent;
    cent.pay(Money("0.01", "USD"));
    Stage foreign = stage_of("3", Time{}, 1s);
    foreign.cost = "not JSON";

    const Cost sum = cost_of({stage_of("1", Time{}, 1s, cent), stage_of("2", Time{}, 1s, cent),
                              foreign, stage_of("4", Time{}, 1s)});

    EXPECT_EQ(sum, Cost{}.pay(Money("0.02", "USD")));
}

TEST(Saved, is_what_was_recorded_each_time_the_run_was_picked_up) {
    const Time start{1'000'000ms};
    Cost cent;
    cent.pay(Money("0.01", "USD"));
    Stage sleep = stage_of("3", start, 1h);
    sleep.kind = StageKind::Sleep;
    Stage failed = stage_of("4", start, 1s, cent);
    failed.status = StageStatus::Failed;
    const std::vector<Stage> stages{stage_of("1", start, 2s, cent),
                                    stage_of("2", start + 2s, 3s, cent), sleep, failed};

    // Once between the two steps, once after both.
    const Saved saved = saved_by(stages, {start + 4s, start + 5s});

    EXPECT_EQ(saved.steps, 3);
    EXPECT_EQ(saved.time, 7s);
    EXPECT_EQ(saved.cost, Cost{}.pay(Money("0.03", "USD")));
    EXPECT_EQ(boost::json::serialize(saved_json(saved)),
              R"({"steps":3,"time_ms":7000,"cost":{"money":{"USD":"0.03"}}})");
    EXPECT_EQ(saved_by(stages, {}), Saved{});
}

}  // namespace
}  // namespace belay::model
