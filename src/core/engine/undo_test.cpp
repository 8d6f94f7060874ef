// Steps that are taken back when their run does not succeed (docs/undo.md).
#include <gtest/gtest.h>

#include "core/engine/engine_bench.hpp"
#include "core/model/undo.hpp"

namespace belay::engine {
namespace {

using namespace std::chrono_literals;

// What the steps did to the world, in order; theirs because an undo captures nothing.
std::vector<std::string> g_did;  // NOLINT
int g_refunds_fail = 0;          // NOLINT: so many attempts
std::string did() { return fmt::format("{}", fmt::join(g_did, " ")); }

struct Order {
    std::string item;
    int pieces = 0;
};
BOOST_DESCRIBE_STRUCT(Order, (), (item, pieces))

int reserve(const std::string& item) {
    g_did.push_back("reserve:" + item);
    return 7;
}
void release(const int& place, const std::string& item) {
    g_did.push_back("release:" + item + std::to_string(place));
}
std::string charge(const Order& order) {
    g_did.push_back("charge:" + order.item);
    return "card-" + order.item;
}
void refund(Attempt& attempt, const std::string& card, const Order& order) {
    if (g_refunds_fail > 0) {
        --g_refunds_fail;
        throw std::runtime_error("the bank is closed");
    }
    g_did.push_back("refund:" + card + "*" + std::to_string(order.pieces));
    EXPECT_EQ(attempt.stage(), "undo/charge");
}
void notify(const std::string& item) { g_did.push_back("notify:" + item); }
void apologize(bool happened, const std::string& item) {
    g_did.push_back((happened ? "apologize:" : "perhaps:") + item);
}
void explode(const std::string&) { throw NonRetryable("no ship"); }
std::string call_bank(const Attempt&, const std::string& item) {
    g_did.push_back("call:" + item);
    throw NonRetryable("no answer");
}
void hang_up(std::optional<std::string> said, const std::string& item) {
    g_did.push_back("hang_up:" + item + (said ? "" : "?"));
}

constexpr const char* kNoShip = "step `ship` failed after 1 attempt: no ship";

Task<void> sells(Context& ctx, Order order) {
    co_await ctx.step("reserve", reserve, order.item).undo(release);
    co_await ctx.step("charge", charge, order).undo(refund);
    co_await ctx.step("ship", explode, order.item);
}

class Undo : public ::testing::Test {
protected:
    Undo() {
        g_did.clear();
        g_refunds_fail = 0;
    }
    static std::vector<std::string> undos(Bench& b, const std::string& id) {
        std::vector<std::string> names;
        for (const model::Stage& stage : b.stages(id)) {
            if (model::is_undo(stage)) names.push_back(stage.stage_key);
        }
        return names;
    }
};

TEST_F(Undo, a_run_that_fails_is_undone_in_reverse_and_then_fails_as_it_would_have) {
    for (const auto seed : kSeeds) {
        g_did.clear();
        Bench b(seed);
        b.define = [](Engine& engine) { engine.define("sells", sells); };
        auto& engine = b.start();
        const auto run = engine.submit("sells", Order{"rope", 3}, {.id = "july"});

        EXPECT_EQ(code_of([&] { run.result(); }), ErrorCode::RunFailed);

        EXPECT_EQ(did(), "reserve:rope charge:rope refund:card-rope*3 release:rope7");
        EXPECT_EQ(b.history("july"),
                  "1 reserve succeeded, 2 charge succeeded, 3 ship failed, undo:2 undo/charge "
                  "succeeded, undo:1 undo/reserve succeeded");
        EXPECT_EQ(b.run("july").failure->message, kNoShip);
        EXPECT_EQ(b.run("july").failure->stage, "ship");
    }
}

TEST_F(Undo, a_run_that_succeeds_undoes_nothing) {
    Bench b;
    b.define = [](Engine& engine) {
        engine.define("sells", [](Context& ctx) -> Task<int> {
            co_return co_await ctx.step("reserve", reserve, "rope").undo(release);
        });
    };
    EXPECT_EQ(b.start().submit<int>("sells", {.id = "july"}).result(), 7);
    EXPECT_EQ(did(), "reserve:rope");
    EXPECT_EQ(b.run("july").undo, model::UndoState::Ready);
}

TEST_F(Undo, a_run_without_undos_does_not_mention_them) {
    Bench b;
    b.define = [](Engine& engine) {
        engine.define("sells", [](Context& ctx) -> Task<void> {
            co_await ctx.step("reserve", reserve, "rope");
            co_await ctx.step("ship", explode, "rope");
        });
    };
    const auto run = b.start().submit("sells", {.id = "july"});
    EXPECT_EQ(code_of([&] { run.result(); }), ErrorCode::RunFailed);
    EXPECT_EQ(b.run("july").undo, model::UndoState::None);
    EXPECT_EQ(b.run("july").epoch, 1);
}

TEST_F(Undo, a_step_that_was_begun_is_undone_if_its_undo_asks_for_it) {
    Bench b;
    b.define = [](Engine& engine) {
        engine.define("sells", [](Context& ctx) -> Task<void> {
            co_await ctx.step("notify", notify, "rope").undo(apologize);
            co_await ctx.step("call", call_bank, "rope").undo(hang_up).optional();
            co_await ctx.step("ship", explode, "rope").undo(apologize);
        });
    };
    const auto run = b.start().submit("sells", {.id = "july"});

    EXPECT_EQ(code_of([&] { run.result(); }), ErrorCode::RunFailed);

    EXPECT_EQ(did(), "notify:rope call:rope perhaps:rope hang_up:rope? apologize:rope");
}

// What may have happened is on disk before it can happen.
TEST_F(Undo, that_such_a_step_begins_is_durable_before_it_does) {
    Bench b;
    b.define = [&b](Engine& engine) {
        engine.define("sells", [&b](Context& ctx) -> Task<void> {
            co_await ctx
                .step("call",
                      [&b](const Attempt&) {
                          EXPECT_EQ(b.stage("july", "1").status, StageStatus::Running);
                          EXPECT_EQ(b.run("july").undo, model::UndoState::Ready);
                          b.die();
                      })
                .undo([](bool happened) { g_did.push_back(happened ? "sure" : "perhaps"); });
        });
    };
    b.start().submit("sells", {.id = "july"});
    b.run_until([&] { return b.is_dead(); });
    b.define = [](Engine& engine) {
        engine.define("sells", [](Context& ctx) -> Task<void> {
            co_await ctx.step("call", [](const Attempt&) { throw NonRetryable("no"); })
                .undo([](bool happened) { g_did.push_back(happened ? "sure" : "perhaps"); });
        });
    };

    b.restart();

    EXPECT_TRUE(b.run_until("july", RunStatus::Failed));
    EXPECT_EQ(did(), "perhaps");
}

TEST_F(Undo, an_undo_is_tried_again_and_one_that_cannot_work_pauses_the_run_for_a_person) {
    Bench b;
    b.define = [](Engine& engine) { engine.define("sells", sells); };
    g_refunds_fail = 4;
    auto& engine = b.start();
    const auto run = engine.submit("sells", Order{"rope", 3}, {.id = "july"});

    EXPECT_EQ(code_of([&] { run.result(); }), ErrorCode::UndoFailed);

    EXPECT_EQ(b.run("july").status, RunStatus::Paused);
    EXPECT_NE(b.run("july").failure->message.find(
                  "step `undo/charge` failed after 3 attempts: the bank is closed; put it"),
              std::string::npos)
        << b.run("july").failure->message;
    EXPECT_EQ(b.attempts("july").size(), 4U);  // of ship, and three of the refund
    EXPECT_EQ(did(), "reserve:rope charge:rope");
    EXPECT_EQ(code_of([&] { engine.cancel("july"); }), ErrorCode::InvalidArgument);

    engine.resume("july");

    EXPECT_EQ(code_of([&] { run.result(); }), ErrorCode::RunFailed);
    EXPECT_EQ(did(), "reserve:rope charge:rope refund:card-rope*3 release:rope7");
    EXPECT_EQ(b.stage("july", "undo:2").attempt, 5);
}

// ---- cancel and deadlines

Task<void> sells_slowly(Context& ctx, Order order) {
    co_await ctx.step("reserve", reserve, order.item).undo(release);
    co_await ctx.step("charge", charge, order).undo(refund);
    co_await ctx.sleep(100h);
}

TEST_F(Undo, a_cancel_undoes_whether_the_run_waits_is_queued_or_paused) {
    for (const std::string how : {"waiting", "parked", "queued", "paused", "stopped"}) {
        SCOPED_TRACE(how);
        g_did.clear();
        Bench b;
        if (how == "parked") b.options.waiting_in_memory_max = 0;
        b.define = [](Engine& engine) { engine.define("sells", sells_slowly); };
        b.start().submit("sells", Order{"rope", 3}, {.id = "july"});
        ASSERT_TRUE(b.run_until("july", RunStatus::Waiting));
        if (how == "queued") {
            b.engine().pause("july");
            b.open();
            b.engine().resume("july");
        }
        if (how == "paused") b.engine().pause("july");
        if (how == "stopped") b.open();

        b.engine().cancel("july", "changed my mind");
        if (how == "stopped" || how == "queued") b.engine().start();

        EXPECT_TRUE(b.run_until("july", RunStatus::Canceled)) << b.history("july");
        EXPECT_EQ(did(), "reserve:rope charge:rope refund:card-rope*3 release:rope7");
        EXPECT_EQ(b.run("july").failure->message, "changed my mind");
        EXPECT_LT(b.sim.clock().now() - b.run("july").created_at, 1h);
    }
}

TEST_F(Undo, a_cancel_with_undo_false_leaves_it_as_it_is_and_the_run_can_be_retried) {
    Bench b;
    b.define = [](Engine& engine) { engine.define("sells", sells_slowly); };
    auto& engine = b.start();
    engine.submit("sells", Order{"rope", 3}, {.id = "july"});
    ASSERT_TRUE(b.run_until("july", RunStatus::Waiting));

    engine.cancel("july", {.reason = "by hand", .undo = false});

    EXPECT_EQ(b.run("july").status, RunStatus::Canceled);
    engine.retry("july");
    ASSERT_TRUE(b.run_until("july", RunStatus::Waiting));
    EXPECT_EQ(did(), "reserve:rope charge:rope");
    engine.cancel("july");
    EXPECT_TRUE(b.run_until("july", RunStatus::Canceled));
    EXPECT_EQ(did(), "reserve:rope charge:rope refund:card-rope*3 release:rope7");
}

TEST_F(Undo, a_cancel_with_undo_false_ends_what_is_being_undone_as_it_would_have_ended) {
    Bench b;
    b.define = [](Engine& engine) { engine.define("sells", sells); };
    g_refunds_fail = 3;
    auto& engine = b.start();
    const auto run = engine.submit("sells", Order{"rope", 3}, {.id = "july"});
    EXPECT_EQ(code_of([&] { run.result(); }), ErrorCode::UndoFailed);

    engine.cancel("july", {.undo = false});

    EXPECT_EQ(code_of([&] { run.result(); }), ErrorCode::RunFailed);
    EXPECT_EQ(b.run("july").failure->message, kNoShip);
    EXPECT_EQ(did(), "reserve:rope charge:rope");
}

TEST_F(Undo, a_deadline_undoes_and_is_off_meanwhile) {
    Bench b;
    b.define = [](Engine& engine) { engine.define("sells", sells_slowly); };
    g_refunds_fail = 2;
    b.start().submit("sells", Order{"rope", 3}, {.id = "july", .deadline = 1h});

    EXPECT_TRUE(b.run_until("july", RunStatus::Failed));

    EXPECT_EQ(b.run("july").failure->code, "DeadlineExceeded");
    EXPECT_EQ(did(), "reserve:rope charge:rope refund:card-rope*3 release:rope7");
}

TEST_F(Undo, a_pause_stops_the_undoing_and_a_resume_goes_on_with_it) {
    Bench b;
    b.define = [](Engine& engine) { engine.define("sells", sells); };
    g_refunds_fail = 1;
    auto& engine = b.start();
    engine.submit("sells", Order{"rope", 3}, {.id = "july"});
    ASSERT_TRUE(b.run_until([&] { return g_refunds_fail == 0; }));
    engine.pause("july", "wait");
    ASSERT_TRUE(b.run_until("july", RunStatus::Paused));
    EXPECT_EQ(b.run("july").failure->message, "wait");
    EXPECT_EQ(did(), "reserve:rope charge:rope");

    engine.resume("july");

    EXPECT_TRUE(b.run_until("july", RunStatus::Failed));
    EXPECT_EQ(did(), "reserve:rope charge:rope refund:card-rope*3 release:rope7");
}

TEST_F(Undo, a_pause_does_not_swallow_a_cancel) {
    for (const auto seed : kSeeds) {
        g_did.clear();
        Bench b(seed);
        b.define = [](Engine& engine) { engine.define("sells", sells_slowly); };
        auto& engine = b.start();
        engine.submit("sells", Order{"rope", 3}, {.id = "july"});
        ASSERT_TRUE(b.run_until("july", RunStatus::Waiting));
        engine.cancel("july");
        for (std::uint64_t i = 0; i < seed; ++i) b.sim.run_one();
        static_cast<void>(code_of([&] { engine.pause("july"); }));

        b.run_until([&] { return b.run("july").status == RunStatus::Paused; });
        if (b.run("july").status == RunStatus::Paused) engine.resume("july");

        EXPECT_TRUE(b.run_until("july", RunStatus::Canceled)) << seed;
        EXPECT_EQ(did(), "reserve:rope charge:rope refund:card-rope*3 release:rope7") << seed;
    }
}

// ---- branches, scopes, losers

Task<int> branch(Context& ctx, std::string item) {
    co_await ctx.step("notify", notify, item).undo(apologize);
    co_return co_await ctx.step("reserve", reserve, item).undo(release);
}
Task<int> late(Context& ctx, std::string item) {
    co_await ctx.step("notify", notify, item).undo(apologize);
    co_await ctx.sleep(1h);
    co_return 1;
}

TEST_F(Undo, what_scopes_and_branches_did_is_undone_the_newest_first) {
    Bench b;
    b.define = [](Engine& engine) {
        engine.define("sells", [](Context& ctx) -> Task<void> {
            co_await ctx.scope("group", branch, std::string("a"));
            const std::vector<std::string> items{"b", "c"};
            const FanOptions in_turn{.width = 1};
            co_await ctx.map("each", in_turn, items, branch);
            co_await ctx.step("ship", explode, "rope");
        });
    };
    b.start().submit("sells", {.id = "july"});

    EXPECT_TRUE(b.run_until("july", RunStatus::Failed)) << b.history("july");

    EXPECT_EQ(did(),
              "notify:a reserve:a notify:b reserve:b notify:c reserve:c "
              "release:c7 apologize:c release:b7 apologize:b release:a7 apologize:a");
}

TEST_F(Undo, what_the_losers_of_a_race_did_is_undone_at_the_end_of_the_run) {
    for (const bool restarts : {false, true}) {
        g_did.clear();
        Bench b;
        b.define = [](Engine& engine) {
            engine.define("sells", [](Context& ctx) -> Task<void> {
                co_await ctx.race("first", ctx.scope("slow", late, std::string("slow")),
                                  ctx.sleep(1min));
                co_await ctx.step("after", notify, "after");
                co_await ctx.sleep(1h);
                co_await ctx.step("ship", explode, "rope");
            });
        };
        b.start().submit("sells", {.id = "july"});
        if (restarts) {
            ASSERT_TRUE(b.run_until([&] { return did() == "notify:slow notify:after"; }));
            ASSERT_TRUE(b.run_until("july", RunStatus::Waiting));
            b.restart();
        }

        EXPECT_TRUE(b.run_until("july", RunStatus::Failed)) << b.history("july");

        EXPECT_EQ(did(), "notify:slow notify:after apologize:slow");
    }
}

TEST_F(Undo, a_commit_step_is_undone_and_the_end_hook_comes_last) {
    Bench b;
    b.define = [](Engine& engine) {
        engine.migrate("t", {"CREATE TABLE sold (place INTEGER)"});
        engine.define(
            "sells",
            [](Context& ctx) -> Task<void> {
                co_await ctx.step("reserve", reserve, "rope")
                    .undo(release)
                    .commit([](Tx& tx, const int& place) {
                        tx.exec("INSERT INTO sold VALUES (?)", place);
                    });
                co_await ctx.step("ship", explode, "rope");
            },
            {.on_end = [](Tx&, const RunInfo& info) { g_did.push_back("end:" + info.error); }});
    };
    b.start().submit("sells", {.id = "july"});

    EXPECT_TRUE(b.run_until("july", RunStatus::Failed));

    EXPECT_EQ(did(), std::string("reserve:rope release:rope7 end:") + kNoShip);
    EXPECT_EQ(b.engine().query("SELECT count(*) FROM sold")[0].get<int>(0), 1);
}

// ---- children

TEST_F(Undo, open_children_are_canceled_and_awaited_before_the_first_undo) {
    for (const auto seed : kSeeds) {
        g_did.clear();
        Bench b(seed);
        b.define = [](Engine& engine) {
            engine.define("child", sells_slowly);
            engine.define("sells", [](Context& ctx) -> Task<void> {
                co_await ctx.step("notify", notify, "parent").undo(apologize);
                const Order order{"rope", 3};
                co_await ctx.all("both", ctx.child<void>("child", order),
                                 ctx.scope("bad", [](Context& inner) -> Task<void> {
                                     co_await inner.sleep(1h);
                                     co_await inner.step("ship", explode, "rope");
                                 }));
            });
        };
        b.start().submit("sells", {.id = "july"});

        EXPECT_TRUE(b.run_until("july", RunStatus::Failed)) << b.history("july");

        EXPECT_EQ(did(),
                  "notify:parent reserve:rope charge:rope refund:card-rope*3 release:rope7 "
                  "apologize:parent")
            << seed;
    }
}

// ---- what is refused

TEST_F(Undo, a_retry_is_refused_with_the_step_to_fork_from_and_a_fork_from_behind_it_too) {
    Bench b;
    b.define = [](Engine& engine) { engine.define("sells", sells); };
    auto& engine = b.start();
    engine.submit("sells", Order{"rope", 3}, {.id = "july"});
    ASSERT_TRUE(b.run_until("july", RunStatus::Failed));

    const std::string why = message_of([&] { engine.retry("july"); });
    EXPECT_NE(why.find("fork it from before `reserve`"), std::string::npos) << why;
    const std::string fork = message_of([&] { engine.fork("july", {.from = "ship"}); });
    EXPECT_NE(fork.find("has to begin at it or before"), std::string::npos) << fork;
    engine.fork("july", {.from = "reserve", .id = "again"});

    EXPECT_TRUE(b.run_until("again", RunStatus::Failed));
    EXPECT_EQ(undos(b, "again").size(), 2U);
}

TEST_F(Undo, a_cached_step_has_no_undo) {
    Bench b;
    b.define = [](Engine& engine) {
        engine.define("sells", [](Context& ctx) -> Task<void> {
            const StepOptions cached{.cache = {.key = "k"}};
            co_await ctx.step("reserve", cached, reserve, "rope").undo(release);
        });
    };
    b.start().submit("sells", {.id = "july"});
    EXPECT_TRUE(b.run_until("july", RunStatus::Failed));
    EXPECT_NE(b.run("july").failure->message.find("is cached and has an undo"), std::string::npos);
}

TEST_F(Undo, code_that_lost_its_undo_pauses_the_run_with_both_names) {
    Bench b;
    b.define = [](Engine& engine) { engine.define("sells", sells); };
    g_refunds_fail = 3;
    b.start().submit("sells", Order{"rope", 3}, {.id = "july"});
    ASSERT_TRUE(b.run_until("july", RunStatus::Paused));
    b.define = [](Engine& engine) {
        engine.define("sells", [](Context& ctx, Order order) -> Task<void> {
            co_await ctx.step("reserve", reserve, order.item).undo(release);
            co_await ctx.step("charge", charge, order);
            co_await ctx.step("ship", explode, order.item);
        });
    };
    b.restart();

    b.engine().resume("july");

    ASSERT_TRUE(b.run_until("july", RunStatus::Paused));
    EXPECT_EQ(b.run("july").failure->code, "Nondeterminism");
    EXPECT_NE(b.run("july").failure->message.find("`charge`"), std::string::npos);
    b.define = [](Engine& engine) { engine.define("sells", sells); };
    b.restart();
    b.engine().resume("july");
    EXPECT_TRUE(b.run_until("july", RunStatus::Failed));
    EXPECT_EQ(did(), "reserve:rope charge:rope refund:card-rope*3 release:rope7");
}

}  // namespace
}  // namespace belay::engine
