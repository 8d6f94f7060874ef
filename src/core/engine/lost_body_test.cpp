// Transactions, commit parts and hooks that meet a failure of the store: nothing of it reaches the workflow's
// code; the run is dropped, replayed and goes on when the store does (rule 2).
#include <gtest/gtest.h>

#include "core/engine/engine_bench.hpp"

namespace belay::engine {
namespace {

using namespace std::chrono_literals;

// A store that is full for as long as a test says so. The table's numbers are used up, which SQLite answers
// as it answers a full disk.
class FullStore : public Bench {
public:
    using Bench::Bench;

    bool is_full = false;
    int met = 0;     // how often a body met it
    int caught = 0;  // how often the workflow's code heard of it

    Engine& start_with_tables() {
        auto& engine = open();
        migrate(engine);
        engine.start();
        return engine;
    }
    static void migrate(Engine& engine) {
        engine.migrate("test", {"CREATE TABLE notes (text TEXT);"
                                "CREATE TABLE used_up (id INTEGER PRIMARY KEY AUTOINCREMENT);"
                                "INSERT INTO used_up VALUES (9223372036854775807)"});
    }
    void write(Tx& tx, const std::string& text) {
        tx.exec("INSERT INTO notes VALUES (?)", text);
        if (!is_full) return;
        ++met;
        tx.exec("INSERT INTO used_up VALUES (NULL)");
    }
    std::string notes() {
        std::string all;
        for (const auto& row : SqlRows{reader.query("SELECT text FROM notes ORDER BY rowid", {})}) {
            all += row.get<std::string>(0) + " ";
        }
        return all;
    }
    // The disk is full until it was met that often.
    void full_until_met(int times) {
        is_full = true;
        ASSERT_TRUE(run_until([&] { return met >= times; }));
        is_full = false;
    }
    void define_saving_workflow() {
        define = [this](Engine& engine) {
            engine.define("wf", [this](Context& ctx, std::string text) -> Task<std::string> {
                try {
                    co_await ctx.transaction("save", [&](Tx& tx) { write(tx, text); });
                    const int n = co_await ctx.step("slow", [&] { return 7; })
                                      .commit([this](Tx& tx, const int&) { write(tx, "slow"); });
                    co_return text + std::to_string(n);
                } catch (const std::exception& error) {
                    ++caught;
                    co_return error.what();
                }
            });
        };
    }
};

TEST(LostBody, a_transaction_and_a_commit_part_are_tried_again_without_the_code_hearing_of_it) {
    for (const auto seed : kSeeds) {
        SCOPED_TRACE(seed);
        FullStore b(seed);
        b.define_saving_workflow();
        auto& engine = b.start_with_tables();
        b.is_full = true;
        const auto run = engine.submit<std::string>("wf", std::string("july"), {.id = "july"});
        b.full_until_met(3);
        ASSERT_TRUE(
            b.run_until([&] { return b.stage("july", "1").status == StageStatus::Succeeded; }));
        b.met = 0;
        if (b.run("july").status == RunStatus::Running) {
            b.is_full = true;
            b.run_until([&] { return b.met >= 4 || b.run("july").status != RunStatus::Running; });
            b.is_full = false;
        }

        EXPECT_EQ(run.result(), "july7");

        EXPECT_EQ(b.caught, 0);
        EXPECT_EQ(b.notes(), "july slow ");
        EXPECT_TRUE(b.attempts("july").empty());
        EXPECT_GE(b.counters().bodies_lost.load(), 3);
        EXPECT_GE(b.counters().runs_evicted.load(), 3);
        EXPECT_GE(b.faults().reopens(), 3);
        EXPECT_TRUE(b.has_logged("body_lost"));
        EXPECT_EQ(b.counters().attempts_failed.load(), 0);
    }
}

TEST(LostBody, an_end_whose_hook_meets_it_is_recorded_later) {
    for (const auto seed : kSeeds) {
        SCOPED_TRACE(seed);
        FullStore b(seed);
        b.define = [&](Engine& engine) {
            engine.define("wf",
                          [](Context& ctx) -> Task<int> {
                              co_return co_await ctx.step("a", [] { return 1; });
                          },
                          {.on_end = [&](Tx& tx, const RunInfo& run) {
                              b.write(tx, std::string(to_string(run.status)));
                          }});
        };
        auto& engine = b.start_with_tables();
        b.is_full = true;
        const auto run = engine.submit<int>("wf", {.id = "july"});
        b.full_until_met(8);  // more often than a hook that throws is tried

        EXPECT_EQ(run.result(), 1);

        EXPECT_EQ(b.notes(), "succeeded ");
        EXPECT_EQ(b.ran_again, 0);
        EXPECT_FALSE(b.has_logged("hook_failed"));
    }
}

TEST(LostBody, a_submission_whose_start_hook_meets_it_is_told_and_may_be_asked_again) {
    FullStore b;
    b.define = [&](Engine& engine) {
        engine.define("wf", [](Context&) -> Task<int> { co_return 1; },
                      {.on_start = [&](Tx& tx, const RunInfo&) { b.write(tx, "started"); }});
    };
    auto& engine = b.start_with_tables();
    b.is_full = true;

    EXPECT_EQ(code_of([&] { engine.submit<int>("wf", {.id = "july"}); }),
              ErrorCode::StoreUnavailable);
    EXPECT_FALSE(b.reader.find_run("july").has_value());

    b.is_full = false;
    EXPECT_EQ(engine.submit<int>("wf", {.id = "july"}).result(), 1);
    EXPECT_EQ(b.notes(), "started ");
}

TEST(LostBody, a_queued_run_whose_start_hook_meets_it_starts_later_and_does_not_fail) {
    for (const auto seed : kSeeds) {
        SCOPED_TRACE(seed);
        FullStore b(seed);
        b.define = [&](Engine& engine) {
            engine.define("wf", [](Context&) -> Task<int> { co_return 1; },
                          {.on_start = [&](Tx& tx, const RunInfo&) { b.write(tx, "started"); }});
        };
        auto& engine = b.start_with_tables();
        b.is_full = true;
        const auto run = engine.submit<int>("wf", {.id = "july", .delay = 1min});
        b.full_until_met(3);
        EXPECT_EQ(b.run("july").status, RunStatus::Queued);

        EXPECT_EQ(run.result(), 1);
        EXPECT_EQ(b.notes(), "started ");
    }
}

TEST(LostBody, a_start_hook_that_took_too_long_is_called_again_and_its_run_does_not_fail) {
    for (const auto seed : kSeeds) {
        SCOPED_TRACE(seed);
        FullStore b(seed);
        int calls = 0;
        b.define = [&](Engine& engine) {
            engine.define("wf", [](Context&) -> Task<int> { co_return 1; },
                          {.on_start = [&](Tx& tx, const RunInfo&) {
                              b.write(tx, "started");
                              // As the stores say it, when the machine stood still in the middle of it.
                              if (++calls < 5)
                                  throw Error(ErrorCode::Overloaded, "longer than its limit");
                          }});
        };

        EXPECT_EQ(b.start_with_tables().submit<int>("wf", {.id = "july"}).result(), 1);

        EXPECT_EQ(b.notes(), "started ");
        EXPECT_FALSE(b.has_logged("body_lost")) << "the store is well";
    }
}

TEST(LostBody, a_start_hook_that_is_always_too_slow_fails_its_run_in_the_end) {
    FullStore b;
    int calls = 0;
    b.define = [&](Engine& engine) {
        engine.define("wf", [](Context&) -> Task<int> { co_return 1; },
                      {.on_start = [&](Tx&, const RunInfo&) {
                          ++calls;
                          throw Error(ErrorCode::Overloaded, "longer than its limit");
                      }});
    };

    const auto run = b.start_with_tables().submit<int>("wf", {.id = "july"});

    EXPECT_EQ(code_of([&] { run.result(); }), ErrorCode::RunFailed);
    EXPECT_EQ(calls, 5);
    EXPECT_EQ(b.run("july").failure->code, "TransactionRefused");
    EXPECT_NE(b.run("july").failure->message.find("too slow 5 times"), std::string::npos);
}

TEST(LostBody, a_cancel_whose_end_hook_meets_it_is_told_and_may_be_asked_again) {
    FullStore b;
    b.define = [&](Engine& engine) {
        engine.define("wf", [](Context& ctx) -> Task<> { co_await ctx.sleep(1h); },
                      {.on_end = [&](Tx& tx, const RunInfo&) { b.write(tx, "ended"); }});
    };
    auto& engine = b.start_with_tables();
    const auto run = engine.submit<void>("wf", {.id = "july"});
    ASSERT_TRUE(b.run_until("july", RunStatus::Waiting));
    b.is_full = true;

    EXPECT_EQ(code_of([&] { engine.cancel("july"); }), ErrorCode::StoreUnavailable);
    EXPECT_EQ(b.run("july").status, RunStatus::Waiting);

    b.is_full = false;
    engine.cancel("july");
    EXPECT_EQ(code_of([&] { run.result(); }), ErrorCode::RunCanceled);
    EXPECT_EQ(b.notes(), "ended ");
}

TEST(LostBody, a_body_that_keeps_meeting_it_does_not_hold_up_its_neighbours) {
    FullStore b;
    b.define = [&](Engine& engine) {
        engine.define("greedy", [&](Context& ctx) -> Task<> {
            co_await ctx.transaction("save", [&](Tx& tx) { b.write(tx, "greedy"); });
        });
        engine.define("modest", [](Context& ctx, int n) -> Task<int> {
            int sum = 0;
            for (int i = 0; i < 100; ++i) {
                const StepOptions slow{};
                sum += co_await ctx.step("add", slow, [&] { return n; });
                co_await ctx.sleep(10ms);
            }
            co_return sum;
        });
    };
    auto& engine = b.start_with_tables();
    b.is_full = true;
    const auto greedy = engine.submit<void>("greedy", {.id = "greedy"});
    const Time begun = b.sim.clock().now();

    EXPECT_EQ(engine.submit<int>("modest", 2).result(), 200);

    EXPECT_LT(b.sim.clock().now(), begun + 1500ms);
    EXPECT_LT(b.met, 20);
    b.is_full = false;
    greedy.result();
}

}  // namespace
}  // namespace belay::engine
