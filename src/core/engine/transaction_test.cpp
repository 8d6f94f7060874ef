// SQL in the transaction of a checkpoint: transaction(), step().commit(), Tx::submit and hooks.
#include <gtest/gtest.h>

#include "core/engine/engine_bench.hpp"

namespace belay::engine {
namespace {

using namespace std::chrono_literals;

class Tables : public Bench {
public:
    using Bench::Bench;

    Engine& start_with_table() {
        auto& engine = open();
        engine.migrate("test", {"CREATE TABLE notes (text TEXT NOT NULL)"});
        engine.start();
        return engine;
    }
    std::string notes() {
        std::string all;
        for (const auto& row : SqlRows{reader.query("SELECT text FROM notes ORDER BY rowid", {})}) {
            all += (all.empty() ? "" : ",") + row.get<std::string>(0);
        }
        return all;
    }
};

std::int64_t note(Tx& tx, const std::string& text) {
    return tx.exec("INSERT INTO notes VALUES (?)", text);
}

TEST(Transaction, its_rows_and_its_record_commit_together_and_once) {
    for (const auto seed : kSeeds) {
        SCOPED_TRACE(seed);
        Tables b(seed);
        b.define = [](Engine& engine) {
            engine.define("save", [](Context& ctx, std::string text) -> Task<std::int64_t> {
                const auto changed = co_await ctx.transaction("save", note, text);
                co_await ctx.sleep(1h);
                co_return changed;
            });
        };
        b.start_with_table().submit("save", "july", {.id = "july"});
        ASSERT_TRUE(b.run_until("july", RunStatus::Waiting));

        b.crash();
        EXPECT_EQ(b.start_with_table().find<std::int64_t>("july").result(), 1);

        EXPECT_EQ(b.notes(), "july");
    }
}

TEST(Transaction, the_commit_part_of_a_step_gets_its_result) {
    Tables b;
    int slow = 0;
    b.define = [&](Engine& engine) {
        engine.define("save", [&](Context& ctx) -> Task<int> {
            const int pages =
                co_await ctx.step("split", [&] { return ++slow; }).commit([](Tx& tx, const int& n) {
                    note(tx, std::to_string(n));
                });
            co_await ctx.step("nothing", [&] { ++slow; }).commit([&](Tx& tx) {
                note(tx, "nothing");
            });
            co_return pages;
        });
    };

    EXPECT_EQ(b.start_with_table().submit<int>("save").result(), 1);
    EXPECT_EQ(b.notes(), "1,nothing");
    EXPECT_EQ(slow, 2);
}

TEST(Transaction, a_body_that_throws_leaves_nothing_is_retried_and_harms_no_neighbour) {
    for (const auto seed : kSeeds) {
        SCOPED_TRACE(seed);
        Tables b(seed);
        int tries = 0;
        b.define = [&](Engine& engine) {
            engine.define("flaky", [&](Context& ctx) -> Task<int> {
                co_return co_await ctx.transaction("save", [&](Tx& tx) {
                    note(tx, "half done");
                    if (++tries < 3) throw std::runtime_error("not yet");
                    return tries;
                });
            });
            engine.define("good", [](Context& ctx, int n) -> Task<> {
                co_await ctx.transaction("save", note, "good " + std::to_string(n));
            });
        };
        auto& engine = b.start_with_table();

        const auto good = engine.submit_many<void>("good", std::vector{1, 2, 3});
        const auto flaky = engine.submit<int>("flaky", {.id = "july"});
        for (const auto& run : good) run.result();

        EXPECT_EQ(flaky.result(), 3);
        EXPECT_EQ(
            SqlRows{b.reader.query("SELECT text FROM notes WHERE text = 'half done'", {})}.size(),
            1u);
        EXPECT_EQ(SqlRows{b.reader.query("SELECT text FROM notes", {})}.size(), 4u);
        EXPECT_EQ(b.attempts("july").size(), 2u);
        EXPECT_EQ(b.stage("july", "1").attempt, 3);
    }
}

TEST(Transaction, what_a_body_must_not_do_fails_at_once) {
    Tables b;
    b.define = [](Engine& engine) {
        engine.define("bad", [](Context& ctx) -> Task<> {
            co_await ctx.transaction("save", [](Tx& tx) {
                note(tx, "x");
                tx.exec("COMMIT");
            });
        });
    };

    const auto run = b.start_with_table().submit<void>("bad", {.id = "july"});

    EXPECT_EQ(code_of([&] { run.result(); }), ErrorCode::RunFailed);
    EXPECT_EQ(b.attempts("july").size(), 1u);
    EXPECT_EQ(b.attempts("july")[0].error_code, "TransactionRefused");
    EXPECT_EQ(b.notes(), "");
}

TEST(Transaction, a_body_that_took_too_long_is_tried_again) {
    Tables b;
    int calls = 0;
    b.define = [&](Engine& engine) {
        engine.define("slow", [&calls](Context& ctx) -> Task<> {
            co_await ctx.transaction("save", [&calls](Tx& tx) {
                note(tx, "x");
                // As the stores say it, when the machine stood still in the middle of it.
                if (++calls == 1) throw Error(ErrorCode::Overloaded, "longer than its limit");
            });
        });
    };

    b.start_with_table().submit<void>("slow", {.id = "july"}).result();

    EXPECT_EQ(b.attempts("july").size(), 1u);
    EXPECT_EQ(b.notes(), "x");
}

TEST(Transaction, a_run_submitted_in_it_exists_if_and_only_if_it_commits) {
    for (const auto seed : kSeeds) {
        SCOPED_TRACE(seed);
        Tables b(seed);
        int tries = 0;
        b.define = [&](Engine& engine) {
            engine.define("child", [](Context& ctx, int n) -> Task<int> {
                co_return n + co_await ctx.step("add", [] { return 1; });
            });
            engine.define("parent", [&](Context& ctx) -> Task<std::string> {
                co_return co_await ctx.transaction("start", [&](Tx& tx) {
                    const std::string id = tx.submit("child", 41);
                    tx.submit("child", 1);
                    if (++tries < 2) throw std::runtime_error("not yet");
                    EXPECT_EQ(tx.run_id(), "july");
                    return id;
                });
            });
            engine.define("never", [](Context& ctx) -> Task<> {
                co_await ctx.transaction("start", [](Tx& tx) {
                    tx.submit("child", 41, {.id = "never"});
                    throw NonRetryable("no");
                });
            });
        };
        auto& engine = b.start_with_table();

        const auto id = engine.submit<std::string>("parent", {.id = "july"}).result();
        EXPECT_EQ(code_of([&] { engine.submit<void>("never").result(); }), ErrorCode::RunFailed);

        EXPECT_EQ(id, "july/1:start/1");
        EXPECT_EQ(engine.find<int>(id).result(), 42);
        EXPECT_EQ(engine.find<int>("july/1:start/2").result(), 2);
        EXPECT_FALSE(b.reader.find_run("never").has_value());
    }
}

TEST(Transaction, ids_of_runs_that_start_runs_do_not_grow_without_end) {
    Tables b;
    b.define = [](Engine& engine) {
        engine.define("chain", [](Context& ctx, int left) -> Task<> {
            if (left > 0)
                co_await ctx.transaction("next", [&](Tx& tx) { tx.submit("chain", left - 1); });
        });
    };
    b.start_with_table().submit("chain", 60, {.id = "july"});

    while (b.sim.run_one()) {
    }

    const auto counts = b.reader.count_runs();
    EXPECT_EQ(counts.succeeded, 61);
    EXPECT_EQ(counts.failed, 0);
}

TEST(Transaction, a_delayed_run_submitted_in_it_waits) {
    Tables b;
    b.define = [](Engine& engine) {
        engine.define("child", [](Context& ctx) -> Task<> { co_await ctx.step("x", [] {}); });
        engine.define("parent", [](Context& ctx) -> Task<> {
            co_await ctx.transaction("start", [](Tx& tx) {
                tx.submit("child", Nothing{}, {.id = "child", .delay = 2h});
            });
        });
    };
    const Time begun = b.sim.clock().now();

    b.start_with_table().submit<void>("parent").result();
    EXPECT_EQ(b.run("child").status, RunStatus::Queued);
    b.engine().find<void>("child").result();

    EXPECT_EQ(b.sim.clock().now(), begun + 2h);
}

// ---- hooks

TEST(Hook, start_and_end_commit_with_the_change_of_state) {
    for (const bool before_start : {false, true}) {
        Tables b;
        std::vector<RunInfo> told;
        b.define = [&](Engine& engine) {
            const Hook hook = [&](Tx& tx, const RunInfo& info) {
                told.push_back(info);
                note(tx, info.id + " " + std::string(to_string(info.status)));
            };
            engine.define("wf",
                          [](Context& ctx, int n) -> Task<int> {
                              co_return co_await ctx.step("x", [&] {
                                  if (n < 0) throw NonRetryable("negative");
                                  return n;
                              });
                          },
                          {.on_start = hook, .on_end = hook});
        };
        auto& engine = b.open();
        engine.migrate("test", {"CREATE TABLE notes (text TEXT NOT NULL)"});
        if (!before_start) engine.start();
        const auto good = engine.submit<int>("wf", 1, {.id = "good", .file_id = "f"});
        if (before_start) engine.start();
        good.result();
        EXPECT_EQ(code_of([&] { engine.submit<int>("wf", -1, {.id = "bad"}).result(); }),
                  ErrorCode::RunFailed);

        EXPECT_EQ(b.notes(), "good running,good succeeded,bad running,bad failed");
        ASSERT_EQ(told.size(), 4u);
        EXPECT_EQ(told[1].result, "1");
        EXPECT_EQ(told[1].input, "1");
        EXPECT_EQ(told[1].file_id, "f");
        EXPECT_EQ(told[3].error_stage, "x");
        EXPECT_NE(told[3].error.find("negative"), std::string::npos);
    }
}

TEST(Hook, that_starts_with_a_throw_fails_the_run_with_its_message) {
    for (const auto seed : kSeeds) {
        SCOPED_TRACE(seed);
        Tables b(seed);
        int ran = 0;
        b.define = [&](Engine& engine) {
            engine.define("wf",
                          [&](Context& ctx) -> Task<> { co_await ctx.step("x", [&] { ++ran; }); },
                          {.on_start = [](Tx& tx, const RunInfo&) {
                              note(tx, "half");
                              throw std::runtime_error("no such file");
                          }});
        };

        const auto run = b.start_with_table().submit<void>("wf", {.id = "july"});

        EXPECT_NE(message_of([&] { run.result(); }).find("no such file"), std::string::npos);
        EXPECT_EQ(b.run("july").status, RunStatus::Failed);
        EXPECT_EQ(ran, 0);
        EXPECT_EQ(b.notes(), "");
    }
}

TEST(Hook, that_throws_at_the_end_is_tried_again_and_then_pauses_the_run) {
    for (const int failures : {3, 99}) {
        Tables b;
        int tries = 0;
        int ran = 0;
        bool fixed = false;
        b.define = [&](Engine& engine) {
            engine.define("wf",
                          [&](Context& ctx) -> Task<int> {
                              co_return co_await ctx.step("x", [&] { return ++ran; });
                          },
                          {.on_end = [&](Tx& tx, const RunInfo&) {
                              note(tx, "end");
                              if (++tries <= failures && !fixed)
                                  throw std::runtime_error("no table");
                          }});
        };
        const auto run = b.start_with_table().submit<int>("wf", {.id = "july"});

        const auto code = code_of([&] { run.result(); });

        if (failures == 3) {
            EXPECT_EQ(code, std::nullopt);
            EXPECT_EQ(tries, 4);
        } else {
            EXPECT_EQ(code, ErrorCode::RunPaused);
            EXPECT_NE(b.run("july").failure->message.find("no table"), std::string::npos);
            EXPECT_EQ(b.notes(), "");
            fixed = true;
            b.engine().resume("july");
            EXPECT_EQ(run.result(), 1);
        }
        EXPECT_EQ(ran, 1);
        EXPECT_EQ(b.notes(), "end");
    }
}

TEST(Hook, a_run_that_is_retried_may_start_another_run_at_its_next_end) {
    Tables b;
    int tries = 0;
    b.define = [&](Engine& engine) {
        engine.define("tell",
                      [](Context& ctx, std::string) -> Task<> { co_await ctx.step("x", [] {}); });
        engine.define(
            "wf",
            [&](Context& ctx) -> Task<> {
                co_await ctx.step(
                    "x", [&] { throw NonRetryable("failure " + std::to_string(++tries)); });
            },
            {.on_end = [](Tx& tx, const RunInfo& info) { tx.submit("tell", info.error); }});
    };
    const auto run = b.start_with_table().submit<void>("wf", {.id = "july"});
    EXPECT_EQ(code_of([&] { run.result(); }), ErrorCode::RunFailed);

    b.engine().retry("july");

    EXPECT_EQ(code_of([&] { run.result(); }), ErrorCode::RunFailed);
    EXPECT_EQ(b.reader.list_runs({.workflow_key = "tell"}).runs.size(), 2u);
}

TEST(Hook, the_end_by_a_cancel_is_told_too_whether_it_runs_or_waits) {
    for (const bool waits : {true, false}) {
        Tables b;
        b.define = [](Engine& engine) {
            engine.define("wf", [](Context& ctx) -> Task<> { co_await ctx.sleep(1h); },
                          {.on_end = [](Tx& tx, const RunInfo& info) {
                              note(tx, std::string(to_string(info.status)) + " " + info.error);
                          }});
        };
        auto& engine = b.start_with_table();
        engine.submit<void>("wf", {.id = "july"});
        if (waits) {
            ASSERT_TRUE(b.run_until("july", RunStatus::Waiting));
        }

        engine.cancel("july", "enough");
        ASSERT_TRUE(b.run_until("july", RunStatus::Canceled));

        EXPECT_EQ(b.notes(), "canceled enough");
    }
}

TEST(Transact, a_program_writes_its_tables_and_starts_a_run_in_one_commit) {
    for (const auto seed : kSeeds) {
        SCOPED_TRACE(seed);
        Tables b(seed);
        b.define = [](Engine& engine) {
            engine.define("greet", [](Context&, std::string name) -> Task<std::string> {
                co_return "hi " + name;
            });
        };
        auto& engine = b.start_with_table();

        const std::string id = engine.transact([](Tx& tx) {
            note(tx, "a file");
            return tx.submit("greet", "july", {.id = "july"});
        });

        EXPECT_EQ(id, "july");
        EXPECT_EQ(engine.find<std::string>("july").result(), "hi july");
        EXPECT_EQ(b.notes(), "a file");
        EXPECT_EQ(b.run("july").organization_id, "default");
    }
}

TEST(Transact, what_throws_leaves_nothing) {
    Tables b;
    b.define = [](Engine& engine) {
        engine.define("greet", [](Context&) -> Task<> { co_return; });
    };
    auto& engine = b.start_with_table();

    EXPECT_THROW(engine.transact([](Tx& tx) {
        note(tx, "half");
        tx.submit("greet", Nothing{}, {.id = "july"});
        throw std::runtime_error("the file is gone");
    }),
                 std::runtime_error);

    EXPECT_EQ(b.notes(), "");
    EXPECT_FALSE(b.reader.find_run("july"));
}

TEST(Transact, a_store_that_cannot_write_is_told_and_the_next_one_works) {
    Tables b;
    auto& engine = b.start_with_table();
    b.faults().fail_commit(b.faults().commits() + 1, store::Fault::Unavailable);

    EXPECT_EQ(code_of([&] { engine.transact([](Tx& tx) { note(tx, "first"); }); }),
              ErrorCode::StoreUnavailable);
    engine.transact([](Tx& tx) { note(tx, "second"); });

    EXPECT_EQ(b.notes(), "second");
}

TEST(Transaction, a_run_that_a_body_submits_again_is_retried_if_it_says_so) {
    Bench b;
    bool fails = true;
    b.define = [&](Engine& engine) {
        engine.define("child", [&](Context& ctx, int) -> Task<int> {
            const StepOptions once{.retry = {.attempts_max = 1}};
            co_return co_await ctx.step("work", once, [&] {
                if (fails) throw std::runtime_error("not today");
                return 7;
            });
        });
        engine.define("parent", [](Context& ctx, bool retry) -> Task<> {
            co_await ctx.transaction("start", [&](Tx& tx) {
                tx.submit("child", 0, SubmitOptions{.id = "child", .retry = retry});
            });
        });
    };
    auto& engine = b.start();
    engine.submit<void>("parent", false).result();
    EXPECT_EQ(code_of([&] { engine.find<int>("child").result(); }), ErrorCode::RunFailed);
    fails = false;

    engine.submit<void>("parent", false).result();
    EXPECT_EQ(b.run("child").status, RunStatus::Failed);
    engine.submit<void>("parent", true).result();

    EXPECT_EQ(engine.find<int>("child").result(), 7);
}

}  // namespace
}  // namespace belay::engine
