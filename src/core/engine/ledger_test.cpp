// Cost, what checkpoints saved, answers of other runs, and runs that go when their time is over.
#include <gtest/gtest.h>

#include "core/engine/engine_bench.hpp"
#include "core/model/ledger.hpp"

namespace belay::engine {
namespace {

using namespace std::chrono_literals;

int calls = 0;  // of the model below, by every process of a test

Cost price_of(int tokens) {
    Cost cost;
    cost.pay(Money("0.15", "USD").times(tokens, 1000));
    cost.tokens_in = tokens;
    return cost;
}

int ask_model(Attempt& attempt, int n) {
    ++calls;
    attempt.cost(price_of(1000));
    return 10 * n;
}

int fail_first(Attempt& attempt, int n) {
    attempt.cost(price_of(1000));
    if (attempt.number() < 3) throw std::runtime_error("not now");
    return n;
}

int plus_one(int n) { return n + 1; }

void define(Engine& engine) {
    engine.define("ask", [](Context& ctx, int n) -> Task<int> {
        const int answer = co_await ctx.step("model", ask_model, n);
        co_await ctx.sleep(1h);
        co_return co_await ctx.step("add", plus_one, answer);
    });
    engine.define("stubborn", [](Context& ctx, int n) -> Task<int> {
        co_return co_await ctx.step("try", fail_first, n);
    });
    engine.define("cached", [](Context& ctx, int n) -> Task<int> {
        const std::string key = cache_key("resnet-50", 3, n);
        const StepOptions once{.cache = {.key = key, .keep_for = 24h}};
        co_return co_await ctx.step("model", once, ask_model, n);
    });
    engine.define("cached_map", [](Context& ctx, std::vector<int> items) -> Task<int> {
        const FanOptions once{.step = {.cache = {.key = "v1"}}};
        const auto answers = co_await ctx.map("model", once, items, ask_model);
        int sum = 0;
        for (const int answer : answers) sum += answer;
        co_return sum;
    });
    engine.define("cached_failure", [](Context& ctx) -> Task<int> {
        const StepOptions once{.retry = {.attempts_max = 1}, .cache = {.key = "same"}};
        co_return co_await ctx.step("model", once, []() -> int {
            ++calls;
            throw std::runtime_error("down");
        });
    });
    engine.define(
        "short",
        [](Context& ctx, int n) -> Task<int> { co_return co_await ctx.step("add", plus_one, n); },
        {.retention = {.keep_for = 1h, .keep_failed_for = 48h}});
    engine.define("parent", [](Context& ctx, int n) -> Task<int> {
        const ChildOptions named{.id = "the_child"};
        const int answer = co_await ctx.child<int>("short", n, named);
        co_await ctx.sleep(24h);
        co_return answer;
    });
}

// ---- cost

TEST(Cost, a_step_records_what_it_cost_with_its_result) {
    Bench b;
    b.define = define;
    b.start().submit<int>("ask", 4, {.id = "a"}).result();

    const Cost cost = model::cost_of(b.stages("a"));
    EXPECT_EQ(cost.money.at("USD").amount(), "0.15");
    EXPECT_EQ(cost.tokens_in, 1000);
    EXPECT_EQ(b.stage("a", "3").cost, std::nullopt);
}

TEST(Cost, failed_attempts_count_too) {
    Bench b;
    b.define = define;
    b.start().submit<int>("stubborn", 4, {.id = "a"}).result();
    EXPECT_EQ(model::cost_of(b.stages("a")).tokens_in, 3000);
}

TEST(Cost, what_failed_attempts_cost_survives_a_crash_between_them) {
    Bench b;
    b.define = define;
    b.start().submit<int>("stubborn", 4, {.id = "a"});
    ASSERT_TRUE(b.run_until([&] { return b.stage("a", "1").status == StageStatus::Retrying; }));
    b.restart();
    ASSERT_TRUE(b.run_until("a", RunStatus::Succeeded));
    EXPECT_EQ(model::cost_of(b.stages("a")).tokens_in, 3000);
}

TEST(Cost, a_pick_up_after_a_crash_counts_what_its_checkpoints_saved) {
    Bench b;
    b.define = define;
    b.options.waiting_in_memory_max = 0;
    calls = 0;
    b.start().submit<int>("ask", 4, {.id = "a"});
    ASSERT_TRUE(b.run_until([&] { return b.stage("a", "1").status == StageStatus::Succeeded; }));
    EXPECT_EQ(b.run("a").saved, std::nullopt);
    b.restart();
    ASSERT_TRUE(b.run_until("a", RunStatus::Succeeded));

    const model::Saved saved = model::saved_of(b.run("a"));
    EXPECT_EQ(saved.steps, 1);
    EXPECT_EQ(saved.cost.tokens_in, 1000);
    EXPECT_EQ(calls, 1);
}

TEST(Cost, a_run_that_only_waited_has_saved_nothing) {
    Bench b;
    b.define = define;
    b.options.waiting_in_memory_max = 0;
    b.start().submit<int>("ask", 4, {.id = "a"}).result();
    EXPECT_EQ(b.run("a").saved, std::nullopt);
}

// ---- answers of other runs

TEST(Cache, the_same_key_is_answered_once_for_all_runs) {
    for (const auto seed : kSeeds) {
        Bench b(seed);
        b.define = define;
        calls = 0;
        Engine& engine = b.start();
        EXPECT_EQ(engine.submit<int>("cached", 4, {.id = "a"}).result(), 40);
        EXPECT_EQ(engine.submit<int>("cached", 4, {.id = "b"}).result(), 40);
        EXPECT_EQ(engine.submit<int>("cached", 5, {.id = "c"}).result(), 50);

        EXPECT_EQ(calls, 2);
        EXPECT_EQ(b.stage("b", "1").message, "answered from the cache");
        EXPECT_EQ(model::cost_of(b.stages("b")).tokens_in, 0);
        EXPECT_EQ(model::saved_by_cache(b.stage("b", "1")).cost.tokens_in, 1000);
        EXPECT_EQ(b.counters().steps_cached, 1);
    }
}

TEST(Cache, one_works_it_out_while_the_others_wait) {
    for (const auto seed : kSeeds) {
        Bench b(seed);
        b.define = define;
        calls = 0;
        auto runs = b.start().submit_many<int>("cached", std::vector<int>(20, 7));
        for (auto& run : runs) EXPECT_EQ(run.result(), 70);
        EXPECT_EQ(calls, 1);
    }
}

TEST(Cache, another_organization_and_another_day_ask_anew) {
    Bench b;
    b.define = define;
    calls = 0;
    Engine& engine = b.start();
    engine.submit<int>("cached", 4, {.id = "a", .organization_id = "acme"}).result();
    engine.submit<int>("cached", 4, {.id = "b", .organization_id = "umbrella"}).result();
    EXPECT_EQ(calls, 2);
    engine.submit<int>("cached", 4, {.id = "c", .delay = 25h, .organization_id = "acme"}).result();
    EXPECT_EQ(calls, 3);
}

TEST(Cache, an_answer_outlives_its_process) {
    Bench b;
    b.define = define;
    calls = 0;
    b.start().submit<int>("cached", 4, {.id = "a"}).result();
    EXPECT_EQ(b.restart().submit<int>("cached", 4, {.id = "b"}).result(), 40);
    EXPECT_EQ(calls, 1);
}

TEST(Cache, each_branch_of_a_map_has_its_own_key) {
    Bench b;
    b.define = define;
    calls = 0;
    Engine& engine = b.start();
    EXPECT_EQ(engine.submit<int>("cached_map", std::vector<int>{1, 2, 3}).result(), 60);
    EXPECT_EQ(engine.submit<int>("cached_map", std::vector<int>{3, 2, 4}).result(), 90);
    EXPECT_EQ(calls, 4);
}

TEST(Cache, failures_are_not_kept) {
    Bench b;
    b.define = define;
    calls = 0;
    Engine& engine = b.start();
    EXPECT_THROW(engine.submit<int>("cached_failure", {.id = "a"}).result(), Error);
    EXPECT_THROW(engine.submit<int>("cached_failure", {.id = "b"}).result(), Error);
    EXPECT_EQ(calls, 2);
}

TEST(Cache, a_run_that_dies_in_the_air_lets_the_others_take_off) {
    for (const auto seed : kSeeds) {
        Bench b(seed);
        b.define = define;
        Engine& engine = b.start();
        auto runs = engine.submit_many<int>("cached", std::vector<int>(5, 7));
        b.faults().fail_commit(b.faults().commits() + 1, store::Fault::Unavailable);
        for (auto& run : runs) EXPECT_EQ(run.result(), 70);
    }
}

// ---- runs that go

TEST(Retention, a_run_goes_when_its_time_is_over_and_its_id_stays_taken) {
    Bench b;
    b.define = define;
    Engine& engine = b.start();
    EventStream events = engine.watch();
    engine.submit<int>("short", 1, {.id = "a"}).result();
    const auto before = b.reader.ledger({});
    ASSERT_TRUE(b.run_until([&] { return !b.reader.find_run("a"); }));

    EXPECT_GE(b.sim.clock().now() - before.front().day, 1h);
    EXPECT_EQ(b.reader.ledger({}), before);
    EXPECT_EQ(code_of([&] { engine.submit<int>("short", 1, {.id = "a"}); }), ErrorCode::RunDeleted);
    EXPECT_EQ(code_of([&] { engine.find("a"); }), ErrorCode::NotFound);
    bool told = false;
    while (const auto event = events.next()) told = told || event->type == "run_deleted";
    EXPECT_TRUE(told);
    EXPECT_EQ(b.counters().runs_deleted, 1);
}

TEST(Retention, what_an_earlier_process_left_goes_at_the_start) {
    Bench b;
    b.define = define;
    b.start().submit<int>("short", 1, {.id = "a"}).result();
    b.crash();
    b.sim.clock().advance(2h);
    b.start();
    EXPECT_TRUE(b.run_until([&] { return !b.reader.find_run("a"); }));
}

TEST(Retention, a_child_stays_until_its_parent_is_over) {
    Bench b;
    b.define = define;
    auto run = b.start().submit<int>("parent", 1, {.id = "p"});
    ASSERT_TRUE(b.run_until("the_child", RunStatus::Succeeded));
    ASSERT_TRUE(b.run_until("p", RunStatus::Succeeded));
    EXPECT_TRUE(b.reader.find_run("the_child"));
    EXPECT_EQ(run.result(), 2);
}

TEST(Retention, remove_deletes_what_is_over_and_refuses_what_is_not) {
    Bench b;
    b.define = define;
    Engine& engine = b.start();
    engine.submit<int>("cached", 1, {.id = "a"}).result();
    engine.submit<int>("ask", 1, {.id = "busy"});
    ASSERT_TRUE(b.run_until("busy", RunStatus::Waiting));

    engine.remove("a");
    EXPECT_FALSE(b.reader.find_run("a"));
    EXPECT_EQ(code_of([&] { engine.remove("a"); }), ErrorCode::NotFound);
    EXPECT_EQ(code_of([&] { engine.remove("busy"); }), ErrorCode::InvalidArgument);
    EXPECT_NE(message_of([&] { engine.remove("busy"); }).find("only a run that is over"),
              std::string::npos);
}

}  // namespace
}  // namespace belay::engine
