// What becomes of the runs that a run has begun when it ends: canceled, left, waited for.
#include <gtest/gtest.h>

#include "core/engine/engine_bench.hpp"

namespace belay::engine {
namespace {

using namespace std::chrono_literals;

Task<int> slow(Context& ctx, int n) {
    co_await ctx.sleep(1h);
    if (n < 0) throw NonRetryable("broken");
    co_return n;
}

class ParentEnds : public testing::TestWithParam<std::uint64_t> {
protected:
    // A workflow that begins `slow` and then returns, or throws.
    void define(WhenParentEnds then, bool awaits = false, int input = 1, bool throws = false) {
        b.define = [=](Engine& engine) {
            engine.define("slow", slow);
            engine.define("parent", [=](Context& ctx) -> Task<int> {
                const ChildOptions options{.id = "child", .when_parent_ends = then};
                if (awaits) co_return co_await ctx.child<int>("slow", input, options);
                co_await ctx.start("slow", input, options);
                const int seven = co_await ctx.step("seven", [] { return 7; });
                if (throws) throw NonRetryable("the parent is broken");
                co_return seven;
            });
        };
    }
    bool ends(const std::string& id) {
        return b.run_until([&] {
            const auto run = b.reader.find_run(id);
            return run && is_finished(run->status);
        });
    }
    RunStatus status(const std::string& id) { return b.run(id).status; }

    Bench b{GetParam()};
};

TEST_P(ParentEnds, one_that_was_started_is_left_unless_it_is_said) {
    b.define = [](Engine& engine) {
        engine.define("slow", slow);
        engine.define("parent", [](Context& ctx) -> Task<void> {
            const ChildOptions options{.id = "child"};
            co_await ctx.start("slow", 1, options);
        });
    };
    b.start().submit("parent", {.id = "p"});

    ASSERT_TRUE(ends("child"));

    EXPECT_EQ(status("child"), RunStatus::Succeeded);
    EXPECT_EQ(status("p"), RunStatus::Succeeded);
    EXPECT_TRUE(b.run("child").parent_id.empty());
}

TEST_P(ParentEnds, one_that_was_started_to_be_canceled_does_not_outlive_its_parent) {
    define(WhenParentEnds::Cancel);
    b.start().submit("parent", {.id = "p"});

    ASSERT_TRUE(ends("child"));

    EXPECT_EQ(status("p"), RunStatus::Succeeded);
    EXPECT_EQ(status("child"), RunStatus::Canceled);
    EXPECT_EQ(b.run("child").parent_id, "p");
}

TEST_P(ParentEnds, one_that_is_awaited_and_left_hears_of_no_cancel) {
    define(WhenParentEnds::Leave, true);
    b.start().submit("parent", {.id = "p", .deadline = 10min});
    b.run_until("child", RunStatus::Waiting);
    b.engine().cancel("p", "enough");

    ASSERT_TRUE(ends("child"));

    EXPECT_EQ(status("p"), RunStatus::Canceled);
    EXPECT_EQ(status("child"), RunStatus::Succeeded);
    EXPECT_FALSE(b.run("child").deadline_at.has_value());
}

TEST_P(ParentEnds, one_that_is_awaited_and_left_gives_its_result) {
    define(WhenParentEnds::Leave, true, 5);
    EXPECT_EQ(b.start().submit<int>("parent", {.id = "p"}).result(), 5);
}

TEST_P(ParentEnds, a_parent_that_waits_ends_after_it_with_its_own_result) {
    define(WhenParentEnds::Wait);
    auto parent = b.start().submit<int>("parent", {.id = "p"});
    b.run_until("p", RunStatus::Waiting);
    EXPECT_EQ(b.history("p"), "1 slow succeeded, 2 seven succeeded, 3 slow running");

    EXPECT_EQ(parent.result(), 7);

    EXPECT_EQ(status("child"), RunStatus::Succeeded);
    EXPECT_EQ(b.stage("p", "3").output, "1");
    EXPECT_LE(*b.run("child").completed_at, *b.run("p").completed_at);
}

TEST_P(ParentEnds, how_the_one_it_waits_for_ends_changes_nothing_of_its_own_end) {
    define(WhenParentEnds::Wait, false, -1);
    EXPECT_EQ(b.start().submit<int>("parent", {.id = "p"}).result(), 7);
    EXPECT_EQ(status("child"), RunStatus::Failed);

    Bench other{GetParam()};
    define(WhenParentEnds::Wait, false, -1, true);
    other.define = b.define;
    auto failing = other.start().submit<int>("parent", {.id = "p"});
    EXPECT_EQ(code_of([&] { failing.result(); }), ErrorCode::RunFailed);
    EXPECT_EQ(other.run("child").status, RunStatus::Failed);
    EXPECT_NE(other.run("p").failure->message.find("the parent is broken"), std::string::npos);
    EXPECT_NE(other.run("p").failure->path, "3") << "what was waited for is not to blame";
}

TEST_P(ParentEnds, it_waits_also_after_a_crash_and_its_history_agrees_with_its_code) {
    define(WhenParentEnds::Wait);
    b.start().submit<int>("parent", {.id = "p"});
    b.run_until("p", RunStatus::Waiting);
    b.restart();
    EXPECT_TRUE(b.engine().replay(b.engine().history("p")).agrees);

    EXPECT_EQ(b.engine().find<int>("p").result(), 7);

    EXPECT_EQ(status("child"), RunStatus::Succeeded);
    const auto report = b.engine().replay(b.engine().history("p"));
    EXPECT_TRUE(report.agrees) << report.sentence;
}

TEST_P(ParentEnds, a_cancel_of_a_parent_that_waits_reaches_it) {
    define(WhenParentEnds::Wait);
    b.start().submit("parent", {.id = "p"});
    b.run_until("p", RunStatus::Waiting);
    b.engine().cancel("p", "enough");

    ASSERT_TRUE(ends("child"));

    EXPECT_EQ(status("p"), RunStatus::Canceled);
    EXPECT_EQ(status("child"), RunStatus::Canceled);
}

TEST_P(ParentEnds, inside_a_scope_nobody_is_started_to_be_waited_for) {
    b.define = [](Engine& engine) {
        engine.define("slow", slow);
        engine.define("parent", [](Context& ctx) -> Task<void> {
            co_await ctx.scope("inside", [](Context& inner) -> Task<void> {
                const ChildOptions options{.when_parent_ends = WhenParentEnds::Wait};
                co_await inner.start("slow", 1, options);
            });
        });
    };
    auto run = b.start().submit("parent", {.id = "p"});

    EXPECT_NE(message_of([&] { run.result(); }).find("inside a scope or a branch"),
              std::string::npos);
    EXPECT_EQ(b.reader.list_runs({.workflow_key = "slow", .limit = 10}).runs.size(), 0u);
}

// ---- a run that takes back what it did

std::vector<std::string> g_did;

int charge() { return 7; }
void refund(const int&) { g_did.push_back("refund"); }

class ParentIsUndone : public ParentEnds {
protected:
    ParentIsUndone() { g_did.clear(); }
    void define(WhenParentEnds then) {
        b.define = [then](Engine& engine) {
            engine.define("slow", slow);
            engine.define("parent", [then](Context& ctx) -> Task<int> {
                const ChildOptions options{.id = "child", .when_parent_ends = then};
                const int paid = co_await ctx.step("charge", charge).undo(refund);
                co_await ctx.start("slow", 1, options);
                co_await ctx.step("ship", [] { throw NonRetryable("no ship"); });
                co_return paid;
            });
        };
    }
};

TEST_P(ParentIsUndone, after_those_that_its_end_waits_for) {
    define(WhenParentEnds::Wait);
    b.start().submit("parent", {.id = "p"});
    b.run_until("p", RunStatus::Waiting);
    EXPECT_TRUE(g_did.empty());
    b.restart();

    ASSERT_TRUE(ends("p"));

    EXPECT_EQ(status("p"), RunStatus::Failed) << b.run("p").failure->message;
    EXPECT_EQ(status("child"), RunStatus::Succeeded);
    EXPECT_EQ(g_did, (std::vector<std::string>{"refund"}));
}

TEST_P(ParentIsUndone, when_those_that_are_canceled_with_it_are_over) {
    define(WhenParentEnds::Cancel);
    b.start().submit("parent", {.id = "p"});

    ASSERT_TRUE(ends("p"));

    EXPECT_EQ(status("p"), RunStatus::Failed) << b.run("p").failure->message;
    EXPECT_EQ(status("child"), RunStatus::Canceled);
    EXPECT_EQ(g_did, (std::vector<std::string>{"refund"}));
    EXPECT_LE(*b.run("child").completed_at, *b.stage("p", "undo:1").started_at);
}

TEST_P(ParentIsUndone, also_if_it_is_canceled_while_it_waits_for_them) {
    define(WhenParentEnds::Wait);
    b.start().submit("parent", {.id = "p"});
    b.run_until("p", RunStatus::Waiting);
    b.engine().cancel("p", "enough");

    ASSERT_TRUE(ends("p"));

    EXPECT_EQ(status("p"), RunStatus::Canceled) << b.run("p").failure->message;
    EXPECT_EQ(status("child"), RunStatus::Canceled);
    EXPECT_EQ(g_did, (std::vector<std::string>{"refund"}));
}

INSTANTIATE_TEST_SUITE_P(Seeds, ParentIsUndone, testing::ValuesIn(kSeeds));
INSTANTIATE_TEST_SUITE_P(Seeds, ParentEnds, testing::ValuesIn(kSeeds));

}  // namespace
}  // namespace belay::engine
