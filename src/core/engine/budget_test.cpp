// Paid steps under a budget: reserved before the call, paused at the limit, approved by a person.
#include <gtest/gtest.h>

#include "core/engine/engine_bench.hpp"
#include "core/model/budget.hpp"

namespace belay::engine {
namespace {

using namespace std::chrono_literals;

int calls = 0;  // of the model below, by every process of a test
std::function<void()> on_call;

Cost usd(const std::string& amount) {
    Cost cost;
    cost.pay(Money(amount, "USD"));
    return cost;
}

int ask_model(Attempt& attempt, int n) {
    ++calls;
    if (on_call) on_call();
    attempt.cost(usd("2"));
    return 10 * n;
}

int fail_twice(Attempt& attempt, int n) {
    ++calls;
    attempt.cost(usd("2"));
    if (attempt.number() < 3) throw std::runtime_error("not now");
    return n;
}

int plus_one(int n) { return n + 1; }

const StepOptions kPaid{.costs_at_most = {"3", "USD"}};

void define(Engine& engine) {
    engine.define("ask", [](Context& ctx, int n) -> Task<int> {
        int sum = 0;
        for (int i = 0; i < n; ++i) sum += co_await ctx.step("model", kPaid, ask_model, i);
        co_return sum;
    });
    engine.define("stubborn", [](Context& ctx, int n) -> Task<int> {
        const StepOptions paid{.retry = {.first_delay = 1s}, .costs_at_most = {"3", "USD"}};
        co_return co_await ctx.step("try", paid, fail_twice, n);
    });
    engine.define("wide", [](Context& ctx, int n) -> Task<int> {
        std::vector<int> items;
        for (int i = 0; i < n; ++i) items.push_back(i);
        const FanOptions paid{.step = kPaid};
        const auto answers = co_await ctx.map("model", paid, items, ask_model);
        co_return static_cast<int>(answers.size());
    });
    engine.define("free", [](Context& ctx, int n) -> Task<int> {
        co_return co_await ctx.step("add", plus_one, n);
    });
}

struct BudgetBench : Bench {
    explicit BudgetBench(std::uint64_t seed = 1) : Bench(seed) {
        calls = 0;
        on_call = {};
        define = engine::define;
    }
    Engine& start_with(const std::string& amount, BudgetPer per = BudgetPer::Day) {
        Engine& engine = start();
        engine.budget("models", {.money = Money(amount, "USD"), .per = per});
        return engine;
    }
    BudgetInfo standing() { return reader.budgets(sim.clock().now(), nullptr).at(0); }
    bool is_paused(const std::string& id) { return run_until(id, RunStatus::Paused); }
};

TEST(Budgets, a_paid_step_is_called_when_what_it_may_cost_is_kept_free_in_the_store) {
    BudgetBench b;
    std::string reserved;
    on_call = [&] { reserved = b.standing().reserved.amount(); };
    EXPECT_EQ(b.start_with("10").submit<int>("ask", 1, {.id = "a"}).result(), 0);

    EXPECT_EQ(reserved, "3");
    EXPECT_EQ(b.standing().reserved.amount(), "0");
    EXPECT_EQ(b.standing().spent.amount(), "2");
}

TEST(Budgets, at_the_limit_the_run_pauses_before_the_call_and_says_why) {
    BudgetBench b;
    Engine& engine = b.start_with("6");
    engine.submit<int>("ask", 5, {.id = "a"});
    ASSERT_TRUE(b.is_paused("a"));

    // 2 spent after each; the third would have to have 3 free of 2.
    EXPECT_EQ(calls, 2);
    const model::Run run = b.run("a");
    EXPECT_EQ(run.failure->code, "BudgetReached");
    EXPECT_EQ(run.failure->stage, "model");
    EXPECT_EQ(run.failure->path, "3");
    EXPECT_EQ(
        run.failure->message,
        "step `model` may cost 3 USD, and budget `models` (6 USD a day) has 4 USD spent and 0 "
        "USD reserved. The call was not made.");
    const auto waited = [&] { engine.find<int>("a").result(); };
    try {
        waited();
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::BudgetReached);
    }
}

TEST(Budgets, approved_once_it_makes_that_call_and_asks_again_at_the_next) {
    BudgetBench b;
    Engine& engine = b.start_with("6");
    engine.submit<int>("ask", 4, {.id = "a"});
    ASSERT_TRUE(b.is_paused("a"));

    engine.resume("a");
    ASSERT_TRUE(b.is_paused("a"));
    EXPECT_EQ(calls, 2);
    engine.approve_spending("a");
    ASSERT_TRUE(b.run_until([] { return calls == 3; }));
    ASSERT_TRUE(b.is_paused("a"));
    EXPECT_EQ(b.run("a").failure->path, "4");
    engine.approve_spending("a", Money("20", "USD"));
    ASSERT_TRUE(b.run_until("a", RunStatus::Succeeded));
    EXPECT_EQ(calls, 4);
    EXPECT_EQ(b.standing().spent.amount(), "8");
    EXPECT_EQ(b.standing().limit.amount(), "20");
}

TEST(Budgets, branches_that_ask_at_once_never_have_more_than_the_limit) {
    for (const auto seed : kSeeds) {
        BudgetBench b(seed);
        bool over = false;
        on_call = [&] {
            const BudgetInfo at = b.standing();
            over = over || model::is_negative(model::difference(at.limit, at.spent + at.reserved));
        };
        Engine& engine = b.start_with("11");
        engine.submit<int>("wide", 8, {.id = "a"});
        ASSERT_TRUE(b.is_paused("a")) << seed;
        EXPECT_FALSE(over) << seed;
        EXPECT_GE(calls, 3) << seed;
        EXPECT_LE(calls, 5) << seed;
        EXPECT_EQ(b.standing().reserved.amount(), "0") << seed;
        engine.approve_spending("a", Money("100", "USD"));
        ASSERT_TRUE(b.run_until("a", RunStatus::Succeeded)) << seed;
        EXPECT_EQ(calls, 8) << seed;
        EXPECT_EQ(b.standing().spent.amount(), "16") << seed;
    }
}

TEST(Budgets, a_death_between_the_reservation_and_the_call_keeps_it_for_that_call) {
    BudgetBench b;
    on_call = [&] {
        if (calls == 1) b.die();
    };
    b.start_with("3").submit<int>("ask", 1, {.id = "a"});
    b.run_until([&] { return b.is_dead(); });
    on_call = {};
    EXPECT_EQ(b.standing().reserved.amount(), "3");

    b.restart();
    ASSERT_TRUE(b.run_until("a", RunStatus::Succeeded));
    EXPECT_EQ(calls, 2);
    EXPECT_EQ(b.standing().spent.amount(), "2");
    EXPECT_EQ(b.standing().reserved.amount(), "0");
}

TEST(Budgets, every_attempt_asks_and_what_the_failed_ones_cost_is_spent) {
    BudgetBench b;
    Engine& engine = b.start_with("6");
    engine.submit<int>("stubborn", 4, {.id = "a"});
    ASSERT_TRUE(b.is_paused("a"));
    EXPECT_EQ(calls, 2);
    EXPECT_EQ(b.standing().spent.amount(), "4");

    engine.approve_spending("a");
    ASSERT_TRUE(b.run_until("a", RunStatus::Succeeded));
    EXPECT_EQ(b.standing().spent.amount(), "6");
    EXPECT_EQ(calls, 3);
}

TEST(Budgets, a_run_that_is_canceled_at_the_limit_is_canceled) {
    BudgetBench b;
    Engine& engine = b.start_with("1");
    engine.submit<int>("ask", 1, {.id = "a"});
    ASSERT_TRUE(b.is_paused("a"));
    engine.cancel("a");
    ASSERT_TRUE(b.run_until("a", RunStatus::Canceled));
    EXPECT_EQ(calls, 0);
    EXPECT_THROW(engine.approve_spending("a"), Error);
    EXPECT_THROW(engine.approve_spending("nobody"), Error);
}

TEST(Budgets, each_run_has_its_own_of_a_budget_per_run) {
    BudgetBench b;
    Engine& engine = b.start_with("5", BudgetPer::Run);
    EXPECT_EQ(engine.submit<int>("ask", 2, {.id = "a"}).result(), 10);
    EXPECT_EQ(engine.submit<int>("ask", 2, {.id = "b"}).result(), 10);
    engine.submit<int>("ask", 3, {.id = "c"});
    ASSERT_TRUE(b.is_paused("c"));
    EXPECT_EQ(engine.budgets("c").at(0).spent.amount(), "4");
    EXPECT_EQ(engine.budgets("c").at(0).period, "c");
}

TEST(Budgets, a_step_that_does_not_say_what_it_costs_makes_no_commit_more) {
    BudgetBench with;
    with.start_with("5").submit<int>("free", 1, {.id = "a"}).result();
    with.crash();
    const auto commits = [](bool has_budget) {
        BudgetBench b;
        Engine& engine = has_budget ? b.start_with("5") : b.start();
        const auto before = b.faults().commits();
        engine.submit<int>("free", 1, {.id = "a"}).result();
        return b.faults().commits() - before;
    };
    EXPECT_EQ(commits(true), commits(false));
}

TEST(Budgets, what_cannot_be_a_limit_is_refused) {
    BudgetBench b;
    Engine& engine = b.start();
    EXPECT_THROW(engine.budget("no name", {.tokens = 1}), Error);
    EXPECT_THROW(engine.budget("none", {}), Error);
    EXPECT_THROW(engine.budget("both", {.money = Money("1", "USD"), .tokens = 1}), Error);
    EXPECT_THROW(engine.budget("less", {.money = Money("-1", "USD")}), Error);
    EXPECT_THROW(engine.budget("zero", {.money = Money("0", "USD")}), Error);
    EXPECT_THROW(engine.remove_budget("nothing"), Error);
    EXPECT_THROW(AtMost("-1", "USD"), Error);
    EXPECT_THROW(AtMost::tokens(-1), Error);
    EXPECT_EQ(AtMost("123456789012345678.123456789", "USD", 5).cost().money.at("USD").amount(),
              "123456789012345678.123456789");
}

}  // namespace
}  // namespace belay::engine
