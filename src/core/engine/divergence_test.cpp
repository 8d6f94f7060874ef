// Code that changed under a run: the run is paused with both names, and goes on when the code is put right.
#include <gtest/gtest.h>

#include <boost/describe.hpp>

#include "core/engine/engine_bench.hpp"

namespace belay::engine {
namespace {

using namespace std::chrono_literals;

int g_calls = 0;
int counted() { return ++g_calls; }
std::string texted() { return "text"; }

Task<int> right(Context& ctx) {
    co_await ctx.step("a", counted);
    co_await ctx.step("b", counted);
    co_await ctx.sleep(1h);
    co_return g_calls;
}

using Code = Task<int> (*)(Context&);

struct Change {
    const char* what;
    Code code;
    std::vector<std::string> says;
};

const std::vector<Change>& changes() {
    static const std::vector<Change> all{
        {"a step is renamed",
         [](Context& ctx) -> Task<int> {
             co_await ctx.step("a", counted);
             co_await ctx.step("bb", counted);
             co_await ctx.sleep(1h);
             co_return 0;
         },
         {"`b`", "`bb`", "position 2"}},
        {"a step is removed",
         [](Context& ctx) -> Task<int> {
             co_await ctx.step("b", counted);
             co_await ctx.sleep(1h);
             co_return 0;
         },
         {"`a`", "`b`", "position 1"}},
        {"a step is added in the middle",
         [](Context& ctx) -> Task<int> {
             co_await ctx.step("a", counted);
             co_await ctx.step("new", counted);
             co_await ctx.step("b", counted);
             co_await ctx.sleep(1h);
             co_return 0;
         },
         {"`b`", "`new`"}},
        {"a step becomes a transaction",
         [](Context& ctx) -> Task<int> {
             co_await ctx.step("a", counted);
             co_await ctx.transaction("b", [](Tx&) { return 1; });
             co_await ctx.sleep(1h);
             co_return 0;
         },
         {"step `b`", "transaction `b`"}},
        {"a step becomes a scope",
         [](Context& ctx) -> Task<int> {
             co_await ctx.scope("a", [](Context& inner) -> Task<int> {
                 co_return co_await inner.step("a", counted);
             });
             co_return 0;
         },
         {"step `a`", "scope `a`"}},
        {"a step gives another type",
         [](Context& ctx) -> Task<int> {
             co_await ctx.step("a", texted);
             co_await ctx.step("b", counted);
             co_await ctx.sleep(1h);
             co_return 0;
         },
         {"`a`", "position 1", "does not fit"}},
        {"the code ends early",
         [](Context& ctx) -> Task<int> {
             co_await ctx.step("a", counted);
             co_return 0;
         },
         {"the code ended", "`b`"}},
        {"the code throws early",
         [](Context& ctx) -> Task<int> {
             co_await ctx.step("a", counted);
             throw std::runtime_error("changed my mind");
         },
         {"the code ended", "`b`"}},
    };
    return all;
}

TEST(Divergence, pauses_the_run_with_both_names_and_the_right_code_goes_on) {
    for (const Change& change : changes()) {
        SCOPED_TRACE(change.what);
        g_calls = 0;
        Bench b;
        b.define = [](Engine& engine) { engine.define("wf", right); };
        b.start().submit<int>("wf", {.id = "july"});
        ASSERT_TRUE(b.run_until("july", RunStatus::Waiting));
        const std::string recorded = b.history("july");

        b.define = [&](Engine& engine) { engine.define("wf", change.code); };
        const auto run = b.restart().find<int>("july");
        const std::string message = message_of([&] { run.result(); });

        EXPECT_EQ(code_of([&] { run.result(); }), ErrorCode::RunPaused);
        for (const std::string& text : change.says)
            EXPECT_NE(message.find(text), std::string::npos) << message;
        EXPECT_EQ(g_calls, 2);
        EXPECT_EQ(b.history("july"), recorded);

        b.define = [](Engine& engine) { engine.define("wf", right); };
        b.restart().resume("july");
        EXPECT_EQ(b.engine().find<int>("july").result(), 2);
    }
}

TEST(Divergence, a_scope_that_asks_for_less_than_is_recorded_is_noticed_when_it_is_left) {
    g_calls = 0;
    const auto code = [](int steps) {
        return [steps](Engine& engine) {
            engine.define("wf", [steps](Context& ctx) -> Task<int> {
                co_await ctx.scope("group", [steps](Context& inner) -> Task<int> {
                    for (int i = 0; i < steps; ++i) co_await inner.step("page", counted);
                    co_await inner.sleep(1h);
                    co_return 0;
                });
                co_await ctx.step("after", counted);
                co_return g_calls;
            });
        };
    };
    Bench b;
    b.define = code(3);
    b.start().submit<int>("wf", {.id = "july"});
    ASSERT_TRUE(b.run_until("july", RunStatus::Waiting));

    b.define = code(2);
    const auto run = b.restart().find<int>("july");

    EXPECT_EQ(code_of([&] { run.result(); }), ErrorCode::RunPaused);
    EXPECT_EQ(g_calls, 3);
    b.define = code(3);
    b.restart().resume("july");
    EXPECT_EQ(b.engine().find<int>("july").result(), 4);
}

TEST(Divergence, steps_added_at_the_end_are_no_divergence) {
    g_calls = 0;
    Bench b;
    b.define = [](Engine& engine) { engine.define("wf", right); };
    b.start().submit<int>("wf", {.id = "july"});
    ASSERT_TRUE(b.run_until("july", RunStatus::Waiting));

    b.define = [](Engine& engine) {
        engine.define("wf", [](Context& ctx) -> Task<int> {
            co_await ctx.step("a", counted);
            co_await ctx.step("b", counted);
            co_await ctx.sleep(1h);
            co_return co_await ctx.step("c", counted);
        });
    };

    EXPECT_EQ(b.restart().find<int>("july").result(), 3);
}

struct Page {
    std::string text;
    int number = 0;
};
BOOST_DESCRIBE_STRUCT(Page, (), (text, number))
struct OldPage {
    std::string text;
    std::string number;
};
BOOST_DESCRIBE_STRUCT(OldPage, (), (text, number))

int g_reads = 0;
OldPage read_old_page(int) {
    ++g_reads;
    return {"hello", "seven"};
}
Page read_page(int) {
    ++g_reads;
    return {"hello", 7};
}

template <auto read>
void define_reader(Engine& engine) {
    engine.define("reader", [](Context& ctx) -> Task<std::string> {
        co_await ctx.step("count", counted);
        const auto page = co_await ctx.step("page", read, 1);
        co_await ctx.sleep(1h);
        co_return page.text;
    });
}

// A run whose code now wants another type than is recorded at position 2.
void make_unreadable(Bench& b) {
    g_reads = g_calls = 0;
    b.define = define_reader<read_old_page>;
    b.start().submit<std::string>("reader", {.id = "july"});
    ASSERT_TRUE(b.run_until([&] { return b.stage("july", "3").status == StageStatus::Running; }));
    b.define = define_reader<read_page>;
    b.restart();
    ASSERT_TRUE(b.run_until("july", RunStatus::Paused));
}

TEST(Divergence, a_record_that_cannot_be_read_says_which_field) {
    Bench b;
    make_unreadable(b);
    const model::Failure why = *b.run("july").failure;
    EXPECT_EQ(why.code, "BadValue");
    EXPECT_EQ(why.path, "2");
    EXPECT_NE(why.message.find("`page`"), std::string::npos) << why.message;
    EXPECT_NE(why.message.find("number"), std::string::npos) << why.message;
}

TEST(Divergence, a_retry_of_a_record_that_cannot_be_read_makes_it_again_and_nothing_before_it) {
    Bench b;
    make_unreadable(b);

    b.engine().retry("july");

    EXPECT_EQ(b.engine().find<std::string>("july").result(), "hello");
    EXPECT_EQ(g_reads, 2);
    EXPECT_EQ(g_calls, 1);
    EXPECT_EQ(b.stage("july", "2").output, R"({"text":"hello","number":7})");
}

TEST(Divergence, a_fork_from_a_record_that_cannot_be_read_makes_it_again) {
    Bench b;
    make_unreadable(b);

    b.engine().fork<std::string>("july", {.from = "page", .id = "august"});

    EXPECT_EQ(b.engine().find<std::string>("august").result(), "hello");
    EXPECT_EQ(g_reads, 2);
    EXPECT_EQ(g_calls, 1);
}

TEST(Divergence, only_what_cannot_be_read_is_retried_while_it_is_paused) {
    Bench b;
    b.define = define_reader<read_page>;
    b.start().submit<std::string>("reader", {.id = "july"});
    b.engine().pause("july");
    ASSERT_TRUE(b.run_until("july", RunStatus::Paused));

    EXPECT_NE(message_of([&] { b.engine().retry("july"); }).find("the run is paused"),
              std::string::npos);
}

}  // namespace
}  // namespace belay::engine
