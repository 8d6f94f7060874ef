#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <boost/describe.hpp>

#include <belay/belay.hpp>
#include <belay/testing.hpp>

namespace belay::testing {
namespace {

using namespace std::chrono_literals;

struct Order {
    std::string id;
    int amount = 0;
};
BOOST_DESCRIBE_STRUCT(Order, (), (id, amount))

// What a test's steps do to the world outside, emptied before each try.
struct Outside {
    std::map<std::string, int> charges;  // by idempotency key
    int calls = 0;
    int bodies = 0;
};
Outside outside;

CrashOptions with_outside() {
    CrashOptions options;
    options.begin = [] { outside = {}; };
    return options;
}

void make_tables(Engine& engine) {
    engine.migrate("shop",
                   {"CREATE TABLE orders (id TEXT PRIMARY KEY, amount INTEGER NOT NULL)",
                    "CREATE TABLE ledger (entry INTEGER PRIMARY KEY, amount INTEGER NOT NULL)"});
}

std::string joined(const std::vector<std::string>& lines) {
    std::string all;
    for (const auto& line : lines) all += line + "\n";
    return all;
}

int add_one(int n) { return n + 1; }
int always_fails(int) { throw std::runtime_error("no paper"); }
int fails_twice(const Attempt& attempt, int n) {
    if (attempt.number() < 3) throw std::runtime_error("busy");
    return n;
}
int charge(const Attempt& attempt, const Order& order) {
    outside.charges[attempt.idempotency_key()] = order.amount;
    return order.amount;
}
void save_order(Tx& tx, const int& amount) {
    tx.exec("INSERT INTO orders VALUES (?, ?)", tx.run_id(), amount);
}
int book(Tx& tx, int amount) {
    tx.exec("INSERT INTO ledger (amount) VALUES (?)", amount);
    return amount;
}

// ---- workflows that are right

Task<int> three_steps(Context& ctx, int n) {
    n = co_await ctx.step("one", add_one, n);
    n = co_await ctx.step("two", add_one, n);
    co_return co_await ctx.step("three", add_one, n);
}

TEST(CrashEverywhere, three_steps_end_the_same_whatever_happens) {
    const auto report = crash_everywhere(three_steps, 1);

    EXPECT_TRUE(report.passed()) << report.text();
    EXPECT_EQ(report.ended, "succeeded with 4");
    EXPECT_GE(report.commits, 4);
    EXPECT_EQ(report.tries, report.commits * 5);
}

Task<int> retries_then_works(Context& ctx, int n) {
    const StepOptions patient{.retry = {.attempts_max = 5, .first_delay = 1s}};
    n = co_await ctx.step("flaky", patient, fails_twice, n);
    co_return co_await ctx.step("after", add_one, n);
}

TEST(CrashEverywhere, a_step_that_is_retried) {
    const auto report = crash_everywhere(retries_then_works, 1);
    EXPECT_TRUE(report.passed()) << report.text();
    EXPECT_EQ(report.ended, "succeeded with 2");
}

Task<int> retries_after_hours(Context& ctx, int n) {
    const StepOptions patient{
        .retry = {.attempts_max = 5, .first_delay = 1h, .longest_delay = 24h}};
    co_return co_await ctx.step("flaky", patient, fails_twice, n);
}

TEST(CrashEverywhere, a_retry_that_is_hours_away) {
    const auto report = crash_everywhere(retries_after_hours, 1);
    EXPECT_TRUE(report.passed()) << report.text();
}

Task<int> fails_for_good(Context& ctx, int n) {
    co_return co_await ctx.step("print", always_fails, n);
}

TEST(CrashEverywhere, a_run_that_fails_fails_the_same) {
    const auto report = crash_everywhere(fails_for_good, 1, {.may_fail = true});
    EXPECT_TRUE(report.passed()) << report.text();
    EXPECT_NE(report.ended.find("no paper"), std::string::npos) << report.ended;
}

TEST(CrashEverywhere, a_run_that_fails_undisturbed_is_reported_unless_it_may) {
    const auto report = crash_everywhere(fails_for_good, 1);
    ASSERT_EQ(report.failures.size(), 1u) << report.text();
    EXPECT_NE(report.failures[0].find("CrashOptions::may_fail"), std::string::npos);
}

Task<int> shop(Context& ctx, Order order) {
    const int paid = co_await ctx.step("charge", charge, order).commit(save_order);
    co_return co_await ctx.transaction("book", book, paid);
}

TEST(CrashEverywhere, commit_and_transaction_write_their_rows_once) {
    auto options = with_outside();
    options.define = make_tables;
    options.effects = [] { return std::to_string(outside.charges.size()) + " charge"; };

    const auto report = crash_everywhere(shop, Order{"7", 250}, options);

    EXPECT_TRUE(report.passed()) << report.text();
    EXPECT_EQ(report.ended, "succeeded with 250");
}

int paid_model(Attempt& attempt, int n) {
    Cost cost;
    cost.tokens_in = 100;
    attempt.cost(cost);
    return 2 * n;
}
Task<int> pays_once(Context& ctx, int n) {
    const std::string key = cache_key("model", n);
    const StepOptions once{.cache = {.key = key}};
    const int first = co_await ctx.step("ask", once, paid_model, n);
    const int again = co_await ctx.step("ask", once, paid_model, n);
    co_return first + again;
}

TEST(CrashEverywhere, costs_and_cached_answers) {
    const auto report = crash_everywhere(pays_once, 3);

    EXPECT_TRUE(report.passed()) << report.text();
    EXPECT_EQ(report.ended, "succeeded with 12");
}

int paid_twice(Attempt& attempt, int n) {
    Cost cost;
    cost.pay(Money("2", "USD"));
    attempt.cost(cost);
    if (attempt.number() == 1) throw std::runtime_error("not now");
    return n;
}
Task<int> pays_under_a_budget(Context& ctx, int n) {
    const StepOptions paid{.retry = {.first_delay = 1s}, .costs_at_most = {"3", "USD"}};
    n = co_await ctx.step("first", paid, paid_twice, n);
    co_return co_await ctx.step("second", paid, paid_twice, n);
}

// There is just room for its four attempts: whatever is reserved and not settled, or counted twice, pauses it.
TEST(CrashEverywhere, paid_steps_under_a_budget) {
    CrashOptions options;
    options.define = [](Engine& engine) {
        engine.budget("just-enough", {.money = Money("9", "USD"), .per = BudgetPer::Run});
    };
    const auto report = crash_everywhere(pays_under_a_budget, 7, options);

    EXPECT_TRUE(report.passed()) << report.text();
    EXPECT_EQ(report.ended, "succeeded with 7");
}

Task<int> child(Context& ctx, int n) { co_return co_await ctx.step("child_step", add_one, n); }
std::string start_child(Tx& tx, int n) {
    tx.exec("INSERT INTO ledger (amount) VALUES (?)", n);
    return tx.submit("child", n);
}
Task<std::string> starts_a_run(Context& ctx, int n) {
    co_return co_await ctx.transaction("start", start_child, n);
}

TEST(CrashEverywhere, a_run_started_in_a_transaction_exists_once) {
    CrashOptions options;
    options.define = [](Engine& engine) {
        make_tables(engine);
        engine.define("child", child);
    };
    const auto report = crash_everywhere(starts_a_run, 1, options);
    EXPECT_TRUE(report.passed()) << report.text();
}

Task<int> inside(Context& ctx, int n) {
    n = co_await ctx.step("inner_one", add_one, n);
    co_return co_await ctx.step("inner_two", add_one, n);
}
Task<std::string> scoped(Context& ctx, int n) {
    n = co_await ctx.scope("group", inside, n);
    const auto then = ctx.now();
    co_await ctx.step("after", add_one, n);
    // Same before and after a crash, or these would differ from try to try.
    co_return std::to_string(n) + (ctx.now() >= then ? " later" : " earlier") +
        std::to_string(ctx.random());
}

TEST(CrashEverywhere, a_scope_with_steps_inside) {
    const auto report = crash_everywhere(scoped, 1);
    EXPECT_TRUE(report.passed()) << report.text();
}

Task<int> inside_fails(Context& ctx, int n) {
    const StepOptions once{.retry = {.attempts_max = 1}};
    co_return co_await ctx.step("inner", once, always_fails, n);
}
Task<int> catches_a_scope(Context& ctx, int n) {
    bool failed = false;
    try {
        n = co_await ctx.scope("group", inside_fails, n);
    } catch (const StepFailed&) {
        failed = true;
    }
    if (failed) n = co_await ctx.step("instead", add_one, n);
    n = co_await ctx.step("then", add_one, n);
    co_return n;
}

TEST(CrashEverywhere, a_scope_whose_failure_is_caught) {
    const auto report = crash_everywhere(catches_a_scope, 1);
    EXPECT_TRUE(report.passed()) << report.text();
    EXPECT_EQ(report.ended, "succeeded with 3");
}

Task<int> sleeps_a_week(Context& ctx, int n) {
    n = co_await ctx.step("before", add_one, n);
    co_await ctx.sleep(24h * 7);
    co_return co_await ctx.step("after", add_one, n);
}

TEST(CrashEverywhere, a_sleep_of_a_week) {
    const auto report = crash_everywhere(sleeps_a_week, 1);
    EXPECT_TRUE(report.passed()) << report.text();
}

Task<int> patched(Context& ctx, int n) {
    if (ctx.patch("more")) n = co_await ctx.step("new", add_one, n);
    ctx.progress(1, 2, "half");
    n = co_await ctx.step("old", add_one, n);
    const StepOptions once{.retry = {.attempts_max = 1}};
    const auto maybe = co_await ctx.step("nice_to_have", once, always_fails, n).optional();
    co_return maybe ? *maybe : n;
}

TEST(CrashEverywhere, patch_progress_and_an_optional_step_that_fails) {
    const auto report = crash_everywhere(patched, 1);
    EXPECT_TRUE(report.passed()) << report.text();
    EXPECT_EQ(report.ended, "succeeded with 3");
}

Task<int> closes_over(Context& ctx, int n) {
    int sum = 0;
    for (int i = 0; i < 3; ++i) {
        sum += co_await ctx.step("add", [&] { return n + i; });
    }
    co_return sum;
}

TEST(CrashEverywhere, closures_that_refer_to_the_workflow) {
    const auto report = crash_everywhere(closes_over, 1);
    EXPECT_TRUE(report.passed()) << report.text();
    EXPECT_EQ(report.ended, "succeeded with 6");
}

Task<int> hooked(Context& ctx, int n) { co_return co_await ctx.step("one", add_one, n); }

TEST(CrashEverywhere, hooks_write_with_the_change_of_state) {
    CrashOptions options;
    options.define = [](Engine& engine) {
        make_tables(engine);
        WorkflowOptions hooks;
        hooks.on_start = [](Tx& tx, const RunInfo&) {
            tx.exec("INSERT INTO ledger (amount) VALUES (1)");
        };
        hooks.on_end = [](Tx& tx, const RunInfo& run) {
            tx.exec("INSERT INTO orders VALUES (?, 2)", std::string(to_string(run.status)));
        };
        engine.define("hooked", hooked, hooks);
    };
    const auto report = crash_everywhere("hooked", 1, options);
    EXPECT_TRUE(report.passed()) << report.text();
}

// All of the above in other orders of events, as many as BELAY_SEEDS says.
TEST(CrashEverywhere, holds_for_many_orders_of_events) {
    const char* asked = std::getenv("BELAY_SEEDS");
    const std::uint64_t seeds = asked != nullptr ? std::strtoull(asked, nullptr, 10) : 8;
    for (std::uint64_t seed = 2; seed < 2 + seeds; ++seed) {
        CrashOptions options;
        options.seed = seed;
        options.may_fail = true;  // one of them does
        options.define = [](Engine& engine) {
            make_tables(engine);
            engine.define("child", child);
        };
        for (const auto& report :
             {crash_everywhere(three_steps, 1, options),
              crash_everywhere(retries_then_works, 1, options),
              crash_everywhere(retries_after_hours, 1, options),
              crash_everywhere(fails_for_good, 1, options),
              crash_everywhere(shop, Order{"7", 250}, options),
              crash_everywhere(starts_a_run, 1, options), crash_everywhere(scoped, 1, options),
              crash_everywhere(catches_a_scope, 1, options),
              crash_everywhere(sleeps_a_week, 1, options), crash_everywhere(patched, 1, options),
              crash_everywhere(closes_over, 1, options)}) {
            ASSERT_TRUE(report.passed()) << report.text();
        }
    }
}

// ---- workflows that are wrong, each in its own way

int global_counter = 0;

Task<int> depends_on_a_global(Context& ctx, int n) {
    if (++global_counter % 2 == 1) {
        n = co_await ctx.step("odd", add_one, n);
    } else {
        n = co_await ctx.step("even", add_one, n);
    }
    co_return co_await ctx.step("end", add_one, n);
}

TEST(CrashEverywhere, catches_code_that_depends_on_a_global) {
    CrashOptions options;
    options.begin = [] { global_counter = 0; };

    const auto report = crash_everywhere(depends_on_a_global, 1, options);

    EXPECT_FALSE(report.passed());
    EXPECT_NE(report.text().find("dying after commit"), std::string::npos) << report.text();
    EXPECT_NE(report.text().find("odd"), std::string::npos) << report.text();
}

Task<int> acts_between_steps(Context& ctx, int n) {
    n = co_await ctx.step("one", add_one, n);
    ++outside.calls;  // belongs into a step
    co_return co_await ctx.step("two", add_one, n);
}

TEST(CrashEverywhere, catches_a_side_effect_outside_a_step) {
    auto options = with_outside();
    options.effects = [] { return std::to_string(outside.calls) + " calls"; };

    const auto report = crash_everywhere(acts_between_steps, 1, options);

    EXPECT_FALSE(report.passed());
    EXPECT_NE(report.text().find("the effects are 2 calls; they were 1 calls"), std::string::npos)
        << report.text();
}

int charge_again(int n) {
    ++outside.calls;  // ignores the idempotency key
    return n;
}
Task<int> charges_twice(Context& ctx, int n) {
    co_return co_await ctx.step("charge", charge_again, n);
}

TEST(CrashEverywhere, catches_a_step_that_is_not_idempotent) {
    auto options = with_outside();
    options.effects = [] { return std::to_string(outside.calls) + " calls"; };

    const auto report = crash_everywhere(charges_twice, 1, options);

    EXPECT_FALSE(report.passed());
    EXPECT_NE(joined(report.failures).find("dying before commit"), std::string::npos)
        << report.text();
    EXPECT_NE(joined(report.failures).find("recorded step `charge`"), std::string::npos)
        << report.text();
}

int global_total = 0;

int book_into_a_global(Tx& tx, int amount) {
    global_total += amount;  // not SQL: it is not taken back
    return book(tx, global_total);
}
Task<int> transaction_beside_sql(Context& ctx, int n) {
    co_return co_await ctx.transaction("book", book_into_a_global, n);
}

TEST(CrashEverywhere, catches_a_transaction_that_does_more_than_sql) {
    CrashOptions options;
    options.begin = [] { global_total = 0; };
    options.define = make_tables;

    const auto report = crash_everywhere(transaction_beside_sql, 5, options);

    EXPECT_FALSE(report.passed());
    EXPECT_NE(report.text().find("table ledger has one more row"), std::string::npos)
        << report.text();
}

Task<int> ends_by_chance(Context& ctx, int n) {
    n = co_await ctx.step("one", add_one, n);
    if (++global_counter % 2 == 0) co_return n;
    co_return co_await ctx.step("two", add_one, n);
}

TEST(CrashEverywhere, catches_code_that_ends_before_its_history) {
    CrashOptions options;
    options.begin = [] { global_counter = 0; };
    const auto report = crash_everywhere(ends_by_chance, 1, options);
    EXPECT_FALSE(report.passed());
}

TEST(CrashEverywhere, one_commit_can_be_repeated_alone) {
    auto options = with_outside();
    options.effects = [] { return std::to_string(outside.calls) + " calls"; };
    options.only_commit = 1;

    const auto report = crash_everywhere(charges_twice, 1, options);

    EXPECT_EQ(report.tries, 5);
}

}  // namespace
}  // namespace belay::testing
