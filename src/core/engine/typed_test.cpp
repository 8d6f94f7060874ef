// Workflows by handles (belay/workflow.hpp), and what a submission by text is told of its types.
#include <gtest/gtest.h>

#include "core/engine/engine_bench.hpp"

namespace belay::engine {

// Described types have linkage.
struct TypedOrder {
    std::string item;
    int pieces = 1;
};
BOOST_DESCRIBE_STRUCT(TypedOrder, (), (item, pieces))

namespace {

inline constexpr belay::Workflow<TypedOrder, int> Sell{"SELL"};
inline constexpr belay::Workflow<void, std::string> Nightly{"NIGHTLY"};
inline constexpr belay::Workflow<TypedOrder, std::vector<std::string>> Everything{"EVERYTHING"};

Task<int> sell(Context& ctx, TypedOrder order) {
    co_return co_await ctx.step("count", [&] { return order.pieces; });
}
Task<std::string> nightly(Context&) { co_return "done"; }
Task<std::vector<std::string>> everything(Context& ctx, TypedOrder order) {
    std::vector<std::string> said;
    const ChildOptions named{.id = "named"};
    said.push_back(std::to_string(co_await ctx.child(Sell, order)));
    said.push_back(co_await ctx.child(Nightly));
    said.push_back(co_await ctx.child<std::string>("NIGHTLY", named));
    said.push_back(co_await ctx.child<std::string>("NIGHTLY"));
    said.push_back(co_await ctx.start(Sell, order));
    said.push_back(co_await ctx.start("NIGHTLY"));
    const auto submitted = co_await ctx.transaction("submit", [&](Tx& tx) {
        std::vector<std::string> ids{tx.submit(Sell, order)};
        ids.push_back(tx.submit(Nightly));
        ids.push_back(tx.submit("NIGHTLY"));
        ids.push_back(tx.submit("NIGHTLY", {.id = "with options"}));
        return ids;
    });
    said.insert(said.end(), submitted.begin(), submitted.end());
    co_return said;
}

void define_all(Engine& engine) {
    engine.define(Sell, sell);
    engine.define(Nightly, nightly);
    engine.define(Everything, everything);
}

TEST(Typed, a_handle_defines_submits_finds_and_awaits) {
    Bench b;
    b.define = define_all;
    auto& engine = b.start();

    const belay::Run<int> run = engine.submit(Sell, {"rope", 3}, {.id = "july"});
    const belay::Run<std::string> without = engine.submit(Nightly);
    const std::vector<belay::Run<int>> many = engine.submit_many(Sell, {{"a", 1}, {"b", 2}});

    EXPECT_EQ(run.result(), 3);
    EXPECT_EQ(without.result(), "done");
    EXPECT_EQ(many.at(1).result(), 2);
    EXPECT_EQ(engine.find(Sell, "july").result(), 3);
    EXPECT_EQ(b.run("july").workflow_key, "SELL");
}

TEST(Typed, a_run_submitted_by_a_handle_is_joined_by_a_text) {
    Bench b;
    b.define = define_all;
    auto& engine = b.start();

    engine.submit(Sell, {"rope", 3}, {.id = "july"});
    const auto again = engine.submit<int>("SELL", TypedOrder{"rope", 3}, {.id = "july"});

    EXPECT_EQ(again.result(), 3);
    EXPECT_EQ(b.reader.count_runs().succeeded, 1);
}

TEST(Typed, runs_start_and_await_others_by_handle_and_without_input) {
    Bench b;
    b.define = define_all;
    auto& engine = b.start();

    const auto said = engine.submit(Everything, {"rope", 3}, {.id = "all"}).result();

    EXPECT_EQ(said, (std::vector<std::string>{"3", "done", "done", "done", "all/5:SELL/1",
                                              "all/6:NIGHTLY/1", "all/7:submit/1", "all/7:submit/2",
                                              "all/7:submit/3", "with options"}));
    for (std::size_t i = 4; i < said.size(); ++i)
        EXPECT_TRUE(b.run_until(said[i], RunStatus::Succeeded)) << said[i];
}

TEST(Typed, a_submission_by_text_with_another_input_is_refused_and_makes_no_run) {
    Bench b;
    b.define = define_all;
    auto& engine = b.start();

    EXPECT_EQ(code_of([&] { engine.submit<int>("SELL", 7, {.id = "july"}); }), ErrorCode::BadValue);
    EXPECT_EQ(message_of([&] { engine.submit<int>("SELL", 7); }),
              "the input of SELL: expected an object, found a number");
    EXPECT_EQ(code_of([&] { engine.submit_many<int>("SELL", std::vector<std::string>{"rope"}); }),
              ErrorCode::BadValue);
    EXPECT_FALSE(b.reader.find_run("july"));
}

TEST(Typed, a_submission_by_text_that_asks_for_another_result_is_refused_and_makes_no_run) {
    Bench b;
    b.define = define_all;
    auto& engine = b.start();

    EXPECT_EQ(message_of([&] {
                  engine.submit<std::string>("SELL", TypedOrder{"rope", 3}, {.id = "july"});
              }),
              "workflow SELL gives number, and its result is asked for as string: submit it as "
              "belay::Run of "
              "the type that it returns");
    EXPECT_FALSE(b.reader.find_run("july"));
}

TEST(Typed, types_that_are_read_from_the_same_json_are_let_in) {
    Bench b;
    b.define = define_all;
    auto& engine = b.start();

    EXPECT_EQ(engine.submit<double>("SELL", TypedOrder{"rope", 3}).result(), 3.0);
    EXPECT_EQ(
        engine.submit<long>("SELL", boost::json::value{{"item", "rope"}, {"pieces", 4}}).result(),
        4);
    EXPECT_EQ(engine.submit("SELL", TypedOrder{"rope", 5}).result(), boost::json::value(5));
    EXPECT_EQ(engine.submit<std::string>("NIGHTLY", boost::json::value()).result(), "done");
}

}  // namespace
}  // namespace belay::engine
