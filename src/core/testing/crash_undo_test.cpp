// crash_everywhere on runs that are undone: after a failure, a cancel and a deadline; in sequence, in a map, in a race, in
// scopes, with commit parts and children. What was done is undone, once, whatever died.
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <belay/belay.hpp>
#include <belay/testing.hpp>

namespace belay::testing {
namespace {

using namespace std::chrono_literals;

// The world: what holds now. A step is at-least-once and so is an undo: both put one value.
std::map<std::string, std::string> g_holds;  // NOLINT
std::vector<std::string> g_undone;           // NOLINT: in order, repetitions left out

int take(const std::string& item) {
    g_holds[item] = "taken";
    return static_cast<int>(item.size());
}
void give_back(const int& size, const std::string& item) {
    EXPECT_EQ(size, static_cast<int>(item.size()));
    g_holds[item] = "given back";
    if (g_undone.empty() || g_undone.back() != item) g_undone.push_back(item);
}
void give_back_begun(std::optional<int>, const std::string& item) {
    give_back(static_cast<int>(item.size()), item);
}
void breaks() { throw NonRetryable("it breaks"); }
void keep(Tx& tx, const int& n) { tx.exec("INSERT INTO kept (n) VALUES (?)", n); }

CrashOptions undoing() {
    CrashOptions options;
    options.may_fail = true;
    options.begin = [] {
        g_holds.clear();
        g_undone.clear();
    };
    options.effects = [] {
        std::string text;
        for (const auto& [item, state] : g_holds) text += item + " is " + state + "; ";
        for (const std::string& item : g_undone) text += item + " ";
        return text;
    };
    return options;
}

void expect_undone(const CrashReport& report, const std::string& how) {
    EXPECT_TRUE(report.passed()) << report.text();
    EXPECT_NE(report.ended.find(how), std::string::npos) << report.ended;
    EXPECT_FALSE(g_holds.empty());
    for (const auto& [item, state] : g_holds) EXPECT_EQ(state, "given back") << item;
}

// ---- what is done, in five shapes, before the run fails or waits for long

struct Case {
    std::string shape;
    bool fails = true;
};
BOOST_DESCRIBE_STRUCT(Case, (), (shape, fails))

Task<int> takes(Context& ctx, std::string item) {
    const std::string other = item + "+";
    co_await ctx.step("one", take, item).undo(give_back);
    co_return co_await ctx.step("other", take, other).undo(give_back_begun);
}
Task<int> takes_inside(Context& ctx) { co_return co_await ctx.scope("inner", takes, "b"); }
Task<int> takes_slowly(Context& ctx, std::string item) {
    co_await ctx.step("one", take, item).undo(give_back);
    co_await ctx.sleep(1h);
    co_return 1;
}

Task<void> does(Context& ctx, Case given) {
    const std::vector<std::string> items{"a", "b", "c"};
    const FanOptions in_turn{.width = 1};  // so that they begin in one order
    if (given.shape == "sequence") {
        co_await ctx.step("first", take, "first").undo(give_back);
        co_await ctx.step("second", take, "second").undo(give_back_begun);
    } else if (given.shape == "scopes") {
        co_await ctx.scope("group", takes, "a");
        co_await ctx.scope("outer", takes_inside);
    } else if (given.shape == "map") {
        co_await ctx.map("each", in_turn, items, takes);
    } else if (given.shape == "race") {
        co_await ctx.race("first", ctx.scope("slow", takes_slowly, "loser"), ctx.sleep(10s));
    } else if (given.shape == "commit") {
        co_await ctx.step("kept", take, "kept").undo(give_back).commit(keep);
    }
    if (given.fails) co_await ctx.step("breaks", breaks);
    co_await ctx.sleep(1h);
}

void define_does(Engine& engine) {
    engine.migrate("kept", {"CREATE TABLE kept (n INTEGER NOT NULL)"});
    engine.define("does", does);
}

class CrashUndo : public ::testing::TestWithParam<std::string> {};

TEST_P(CrashUndo, after_a_failure) {
    CrashOptions options = undoing();
    options.define = define_does;
    const Case failing{GetParam(), true};
    expect_undone(crash_everywhere(does, failing, options), "it breaks");
}

Task<int> cancels(Context& ctx, std::string shape) {
    const Case waiting{shape, false};
    co_await ctx.race("first", ctx.child<void>("does", waiting), ctx.sleep(1min));
    co_return 1;
}
TEST_P(CrashUndo, after_a_cancel) {
    CrashOptions options = undoing();
    options.define = define_does;
    expect_undone(crash_everywhere(cancels, GetParam(), options), "succeeded");
}

void submit_late(Tx& tx, const std::string& shape) {
    tx.submit("does", Case{shape, false}, {.id = "late", .deadline = 1min});
}
Task<int> is_late(Context& ctx, std::string shape) {
    co_await ctx.transaction("start", submit_late, shape);
    co_await ctx.sleep(10min);
    co_return 1;
}
TEST_P(CrashUndo, after_a_deadline) {
    CrashOptions options = undoing();
    options.define = define_does;
    expect_undone(crash_everywhere(is_late, GetParam(), options), "succeeded");
}

INSTANTIATE_TEST_SUITE_P(Shapes, CrashUndo,
                         ::testing::Values("sequence", "scopes", "map", "race", "commit"),
                         [](const auto& shape) { return shape.param; });

TEST(CrashUndoOrder, is_the_reverse_of_the_beginning) {
    CrashOptions options = undoing();
    options.define = define_does;
    const Case failing{"map", true};
    expect_undone(crash_everywhere(does, failing, options), "it breaks");
    EXPECT_EQ(g_undone, (std::vector<std::string>{"c+", "c", "b+", "b", "a+", "a"}));
}

// ---- children

Task<void> waits_long(Context& ctx) {
    co_await ctx.step("first", take, "child").undo(give_back);
    co_await ctx.sleep(1h);
}
Task<void> has_an_open_child(Context& ctx, int) {
    co_await ctx.step("first", take, "parent").undo(give_back);
    co_await ctx.all("both", ctx.child<void>("waits_long"),
                     ctx.scope("bad", [](Context& inner) -> Task<void> {
                         co_await inner.sleep(1min);
                         co_await inner.step("breaks", breaks);
                     }));
}
TEST(CrashUndoOrder, open_children_come_first) {
    CrashOptions options = undoing();
    options.define = [](Engine& engine) { engine.define("waits_long", waits_long); };
    expect_undone(crash_everywhere(has_an_open_child, 0, options), "it breaks");
    EXPECT_EQ(g_undone, (std::vector<std::string>{"child", "parent"}));
}

// ---- a person cancels, and something happens at each commit after that

class CancelWith : public ::testing::TestWithParam<Fault> {};

TEST_P(CancelWith, a_cancel_in_any_state_undoes_once) {
    for (const bool paused : {false, true}) {
        for (std::int64_t commit = 1; commit < 12; ++commit) {
            SCOPED_TRACE(::testing::Message() << "commit " << commit << ", paused " << paused);
            g_holds.clear();
            World world;
            world.engine().define("waits_long", waits_long);
            world.engine().start();
            world.engine().submit("waits_long", {.id = "july"});
            world.advance(1min);
            if (paused) world.engine().pause("july");

            world.fail_commit(commit, GetParam());
            for (int tries = 0; tries < 4; ++tries) {
                try {
                    const auto run = world.engine().find("july");
                    if (run.status() == RunStatus::Canceled) break;
                    world.engine().cancel("july");
                } catch (const Error& error) {
                    // It is being undone by now, or the store has just failed.
                    EXPECT_TRUE(world.crashed() || error.code() != ErrorCode::NotFound);
                }
                world.advance(1min);
                if (world.crashed()) world.restart();
                world.advance(1min);
            }
            EXPECT_EQ(to_string(world.engine().find("july").status()), "canceled");
            EXPECT_EQ(g_holds["child"], "given back");
        }
    }
}
INSTANTIATE_TEST_SUITE_P(Faults, CancelWith,
                         ::testing::Values(Fault::CrashBefore, Fault::CrashAfter, Fault::Refused,
                                           Fault::UnknownDone, Fault::UnknownNotDone));

}  // namespace
}  // namespace belay::testing
