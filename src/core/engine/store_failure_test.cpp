// Commits that fail, or may have: at every one of them the runs still come to the right end (rule 2).
#include <gtest/gtest.h>

#include "core/engine/engine_bench.hpp"

namespace belay::engine {
namespace {

using namespace std::chrono_literals;
using store::Fault;

// One of everything: steps, a patch, scopes, a transaction that starts a run, a caught failure, a retry, a
// short wait and a long one.
class Everything : public Bench {
public:
    explicit Everything(std::uint64_t seed) : Bench(seed) {
        define = [this](Engine& engine) {
            engine.define("child", [](Context& ctx, int n) -> Task<int> {
                co_await ctx.sleep(10s);
                co_return co_await ctx.step("add", [&] { return n + 1; });
            });
            engine.define(
                "all",
                [this](Context& ctx, int n) -> Task<std::string> {
                    const int a = co_await ctx.step("a", [&] { return n + 1; });
                    const bool is_new = ctx.patch("new");
                    const int b =
                        co_await ctx.step(is_new ? "new b" : "old b", [&] { return a + 1; });
                    const int c = co_await ctx.scope("group", [&](Context& inner) -> Task<int> {
                        const int inside = co_await inner.step("c", [&] { return b + 1; });
                        co_await inner.transaction("note", [&](Tx& tx) {
                            tx.exec("INSERT INTO notes VALUES (?)", inside);
                            tx.submit("child", inside);
                        });
                        co_await inner.sleep(1s);
                        co_return inside;
                    });
                    std::string caught;
                    try {
                        co_await ctx.step("bad", [] { throw NonRetryable("no"); });
                    } catch (const StepFailed& error) {
                        caught = error.what();
                    }
                    const int d = co_await ctx.step("flaky", [&](Attempt& attempt) {
                        if (attempt.number() == 1) throw std::runtime_error("not yet");
                        return c + attempt.number();
                    });
                    co_await ctx.sleep(1h);
                    const int e = co_await ctx.step("saved", [&] { return d + 1; })
                                      .commit([](Tx& tx, const int& value) {
                                          tx.exec("INSERT INTO notes VALUES (?)", value);
                                      });
                    co_return std::to_string(e) + ctx.uuid().substr(0, 0) + caught;
                },
                {.on_start = [](Tx& tx,
                                const RunInfo&) { tx.exec("INSERT INTO notes VALUES (-1)"); },
                 .on_end = [](Tx& tx,
                              const RunInfo&) { tx.exec("INSERT INTO notes VALUES (-2)"); }});
        };
    }
    Engine& start_with_table() {
        auto& engine = open();
        engine.migrate("test", {"CREATE TABLE notes (n INTEGER)"});
        engine.start();
        return engine;
    }
    // Submits until it is accepted, and gives the result.
    std::string run_all() {
        while (true) {
            try {
                return engine().submit<std::string>("all", 1, {.id = "july"}).result();
            } catch (const Error& error) {
                if (error.code() != ErrorCode::StoreUnavailable &&
                    error.code() != ErrorCode::CommitUnknown)
                    throw;
                sim.run_one();
            }
        }
    }
    std::string notes() {
        std::string all;
        for (const auto& row : SqlRows{reader.query("SELECT n FROM notes ORDER BY n", {})}) {
            all += std::to_string(row.get<int>(0)) + " ";
        }
        return all;
    }
    void expect_the_right_end() {
        EXPECT_EQ(run_all(), "7step `bad` failed after 1 attempt: no");
        EXPECT_EQ(engine().find<int>("july/3.2:note/1").result(), 5);
        EXPECT_EQ(notes(), "-2 -1 4 7 ");
        EXPECT_EQ(ran_again, 0);
        EXPECT_EQ(history("july"),
                  "1 a succeeded, patch:new new succeeded, 2 new b succeeded, 3 group succeeded, "
                  "3.1 c succeeded, "
                  "3.2 note succeeded, 3.3 sleep succeeded, 4 bad failed, 5 flaky succeeded, 6 "
                  "sleep succeeded, "
                  "7 saved succeeded");
    }
};

TEST(StoreFailure, everything_comes_to_the_right_end_without_one) {
    for (const auto seed : kSeeds) {
        SCOPED_TRACE(seed);
        Everything b(seed);
        b.start_with_table();
        b.expect_the_right_end();
    }
}

class FailingCommit : public testing::TestWithParam<Fault> {};

TEST_P(FailingCommit, at_every_commit_the_run_comes_to_the_right_end) {
    for (const auto seed : kSeeds) {
        for (std::int64_t n = 1; n <= 40; ++n) {
            SCOPED_TRACE(testing::Message() << "seed " << seed << ", commit " << n);
            Everything b(seed);
            b.start_with_table();
            b.faults().fail_commit(n, GetParam());

            b.expect_the_right_end();

            if (testing::Test::HasFailure()) return;
            if (b.faults().commits() < n) break;
        }
    }
}

TEST_P(FailingCommit, every_few_commits_many_runs_come_to_their_ends) {
    for (const auto seed : kSeeds) {
        for (const int every : {2, 3, 5, 7}) {
            SCOPED_TRACE(testing::Message() << "seed " << seed << ", every " << every);
            Bench b(seed);
            b.options.runs_in_memory_max = 6;
            b.options.waiting_in_memory_max = 3;
            b.define = [](Engine& engine) {
                engine.define("wf", [](Context& ctx, int n) -> Task<int> {
                    int sum = 0;
                    for (int i = 0; i < 3; ++i) {
                        sum += co_await ctx.step("add", [&] { return n; });
                        if (ctx.patch("sleepy")) co_await ctx.sleep(std::chrono::seconds(n));
                    }
                    co_return sum;
                });
            };
            auto& engine = b.start();
            for (std::int64_t n = every; n < 400; n += every) b.faults().fail_commit(n, GetParam());

            std::vector<std::pair<int, belay::Run<int>>> runs;
            for (int i = 0; i < 12; ++i) {
                const std::string id = "run " + std::to_string(i);
                while (code_of(
                    [&] { runs.emplace_back(i, engine.submit<int>("wf", i, {.id = id})); })) {
                    b.sim.run_one();
                }
            }
            for (const auto& [n, run] : runs) EXPECT_EQ(run.result(), 3 * n);

            EXPECT_EQ(b.ran_again, 0);
            EXPECT_GT(b.counters().commits_failed.load(), 3);
            if (testing::Test::HasFailure()) return;
        }
    }
}

TEST_P(FailingCommit, a_control_is_carried_out_all_the_same) {
    for (const auto seed : kSeeds) {
        for (std::int64_t n = 1; n <= 8; ++n) {
            SCOPED_TRACE(testing::Message() << "seed " << seed << ", commit " << n);
            Bench b(seed);
            b.define = [](Engine& engine) {
                engine.define("wf", [](Context& ctx) -> Task<> { co_await ctx.sleep(1h); });
            };
            b.start().submit<void>("wf", {.id = "july"});
            b.faults().fail_commit(b.faults().commits() + n, GetParam());

            while (const auto code = code_of([&] { b.engine().cancel("july"); })) {
                // What was not done is told. What may have been done is found out, and is not refused then.
                ASSERT_EQ(code, ErrorCode::StoreUnavailable);
                b.sim.run_one();
            }

            EXPECT_TRUE(b.run_until("july", RunStatus::Canceled))
                << to_string(b.run("july").status);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Faults, FailingCommit,
                         testing::Values(Fault::Unavailable, Fault::UnknownApplied,
                                         Fault::UnknownLost),
                         [](const auto& info) {
                             return info.param == Fault::Unavailable      ? "unavailable"
                                    : info.param == Fault::UnknownApplied ? "unknown_applied"
                                                                          : "unknown_lost";
                         });

TEST(StoreFailure, a_submission_that_was_not_written_is_told) {
    Everything b(1);
    auto& engine = b.start_with_table();
    engine.submit<int>("child", 1).result();
    b.faults().fail_commit(b.faults().commits() + 1, Fault::Unavailable);

    EXPECT_EQ(code_of([&] { engine.submit<int>("child", 1, {.id = "july"}); }),
              ErrorCode::StoreUnavailable);

    EXPECT_FALSE(b.reader.find_run("july").has_value());
    EXPECT_EQ(engine.submit<int>("child", 1, {.id = "july"}).result(), 2);
}

// ---- whoever asks from outside a run, by whatever verb

struct Caller {
    std::string what;
    std::function<void(Bench& b)> ask;
    // What nobody may do twice: whether it was done the first time is not found out by asking again.
    bool once = false;
};

std::vector<Caller> callers() {
    return {
        {"submit", [](Bench& b) { b.engine().submit<int>("child", 1, {.id = "july"}); }},
        {"cancel", [](Bench& b) { b.engine().cancel("sleeper"); }},
        {"send", [](Bench& b) { b.engine().send("sleeper", "topic", 1); }},
        {"remove", [](Bench& b) { b.engine().remove("over"); }},
        {"queue", [](Bench& b) { b.engine().queue("narrow", {.concurrency = 1}); }},
        {"schedule",
         [](Bench& b) { b.engine().schedule("daily", "child", 1, {.cron = "0 6 * * *"}); }},
        {"transact",
         [](Bench& b) {
             b.engine().transact([](Tx& tx) { tx.exec("INSERT INTO notes VALUES (7)"); });
         },
         true},
    };
}

class Outside : public Everything {
public:
    explicit Outside(std::uint64_t seed) : Everything(seed) {
        auto& engine = start_with_table();
        engine.submit<int>("child", 1, {.id = "over"}).result();
        engine.submit<int>("child", 1, {.id = "sleeper"});
        run_until("sleeper", RunStatus::Waiting);
    }
};

TEST(StoreFailure, whoever_asks_is_told_at_once_that_the_disk_is_full) {
    for (const auto seed : kSeeds) {
        for (const Caller& caller : callers()) {
            SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << caller.what);
            Outside b(seed);
            const std::int64_t next = b.faults().commits() + 1;
            const Time begun = b.sim.clock().now();
            for (std::int64_t n = 0; n < 20; ++n)
                b.faults().fail_commit(next + n, Fault::Unavailable);

            EXPECT_EQ(code_of([&] { caller.ask(b); }), ErrorCode::StoreUnavailable);
            EXPECT_EQ(b.sim.clock().now(), begun);

            // And the next, who comes while it is known.
            EXPECT_EQ(code_of([&] { caller.ask(b); }), ErrorCode::StoreUnavailable);
            ASSERT_TRUE(b.run_until([&] { return b.faults().commits() > next + 20; }));
            ASSERT_TRUE(
                b.run_until([&] { return code_of([&] { caller.ask(b); }) == std::nullopt; }));
        }
    }
}

TEST(StoreFailure, whoever_asks_is_answered_though_nobody_knows_whether_the_first_commit_happened) {
    for (const auto seed : kSeeds) {
        for (const Fault fault : {Fault::UnknownApplied, Fault::UnknownLost}) {
            for (const Caller& caller : callers()) {
                SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << caller.what);
                Outside b(seed);
                b.faults().fail_commit(b.faults().commits() + 1, fault);

                EXPECT_EQ(code_of([&] { caller.ask(b); }),
                          caller.once ? std::optional(ErrorCode::CommitUnknown) : std::nullopt);
            }
        }
    }
}

TEST(StoreFailure, whoever_asked_of_a_store_that_stays_broken_is_told_that_nobody_knows) {
    for (const Caller& caller : callers()) {
        SCOPED_TRACE(caller.what);
        Outside b(1);
        b.faults().fail_commit(b.faults().commits() + 1, Fault::UnknownLost);
        b.faults().fail_reopens(1000);

        EXPECT_EQ(code_of([&] { caller.ask(b); }), ErrorCode::CommitUnknown);
    }
}

TEST(StoreFailure, what_another_process_asked_for_is_done_when_the_disk_has_room_again) {
    for (const auto seed : kSeeds) {
        SCOPED_TRACE(seed);
        Outside b(seed);
        const auto id = b.reader.ask({0, "cancel", "sleeper", "", b.sim.clock().now()});
        for (std::int64_t n = 1; n <= 3; ++n)
            b.faults().fail_commit(b.faults().commits() + n, Fault::Unavailable);

        b.run_until([&] { return b.reader.answer(id).has_value(); });

        EXPECT_TRUE(b.reader.answer(id).has_value());
    }
}

TEST(StoreFailure, a_store_that_stays_broken_is_reopened_until_it_works) {
    for (const auto seed : kSeeds) {
        SCOPED_TRACE(seed);
        Everything b(seed);
        b.start_with_table();
        b.faults().fail_commit(6, Fault::UnknownApplied);
        b.faults().fail_reopens(9);

        b.expect_the_right_end();

        EXPECT_EQ(b.faults().reopens(), 10);
        EXPECT_TRUE(b.has_logged("store_unavailable"));
        EXPECT_TRUE(b.has_logged("store_repaired"));
    }
}

TEST(StoreFailure, nobody_waits_for_a_store_that_stays_broken) {
    Everything b(1);
    auto& engine = b.start_with_table();
    const auto sleeper = engine.submit<int>("child", 1, {.id = "sleeper"});
    ASSERT_TRUE(b.run_until("sleeper", RunStatus::Waiting));
    b.faults().fail_commit(b.faults().commits() + 1, Fault::UnknownLost);
    b.faults().fail_reopens(1000);

    EXPECT_EQ(code_of([&] { engine.submit<int>("child", 1, {.id = "july"}); }),
              ErrorCode::CommitUnknown);
    EXPECT_EQ(code_of([&] { engine.submit<int>("child", 1, {.id = "july"}); }),
              ErrorCode::StoreUnavailable);
    EXPECT_EQ(code_of([&] { engine.cancel("sleeper"); }), ErrorCode::StoreUnavailable);
    EXPECT_NE(message_of([&] { engine.cancel("sleeper"); }).find("by order"), std::string::npos);

    b.faults().fail_reopens(0);
    EXPECT_EQ(sleeper.result(), 2);
    EXPECT_EQ(engine.submit<int>("child", 1, {.id = "july"}).result(), 2);
}

TEST(StoreFailure, a_cancel_that_was_done_without_our_hearing_of_it_leaves_nothing_in_memory) {
    for (const auto seed : kSeeds) {
        SCOPED_TRACE(seed);
        Everything b(seed);
        auto& engine = b.start_with_table();
        engine.submit<int>("child", 1, {.id = "july"});
        ASSERT_TRUE(b.run_until("july", RunStatus::Waiting));
        b.faults().fail_commit(b.faults().commits() + 1, Fault::UnknownApplied);

        EXPECT_EQ(code_of([&] { engine.cancel("july", "no longer wanted"); }), std::nullopt);

        EXPECT_EQ(b.run("july").status, RunStatus::Canceled);
        EXPECT_EQ(b.run("july").failure->message, "no longer wanted");
        EXPECT_EQ(b.core().runs_in_memory(), 0u);
    }
}

TEST(StoreFailure, a_stop_does_not_wait_for_a_store_that_stays_broken) {
    for (const auto seed : kSeeds) {
        SCOPED_TRACE(seed);
        Everything b(seed);
        auto& engine = b.start_with_table();
        b.faults().fail_reopens(1'000'000);
        b.faults().fail_commit(4, Fault::Unavailable);
        code_of([&] { engine.submit<std::string>("all", 1, {.id = "july"}); });
        b.run_until([&] { return b.has_logged("store_unavailable"); });

        engine.stop();

        EXPECT_TRUE(b.has_logged("stopped_unwritten") || b.core().runs_in_memory() == 0);
        b.start();
        b.faults().fail_reopens(0);
        if (b.reader.find_run("july")) b.expect_the_right_end();
    }
}

TEST(StoreFailure, a_disk_that_stays_full_is_not_tried_without_a_pause) {
    Everything b(1);
    b.start_with_table();
    const Time begun = b.sim.clock().now();
    for (std::int64_t n = 4; n < 24; ++n) b.faults().fail_commit(n, Fault::Unavailable);

    b.run_all();

    EXPECT_GT(b.sim.clock().now(), begun + 5s);
    EXPECT_EQ(b.ran_again, 0);
}

}  // namespace
}  // namespace belay::engine
