// Which runs are in memory: limits, recovery, crash loops, a clean stop.
#include "core/engine/scheduler.hpp"

#include <gtest/gtest.h>

#include "core/engine/engine_bench.hpp"

namespace belay::engine {
namespace {

using namespace std::chrono_literals;

std::vector<int> numbers(int count) {
    std::vector<int> out;
    for (int i = 0; i < count; ++i) out.push_back(i);
    return out;
}

TEST(Scheduler, never_has_more_runs_in_memory_than_allowed_and_ends_them_all) {
    for (const auto seed : kSeeds) {
        for (const bool sleeps : {false, true}) {
            SCOPED_TRACE(seed);
            Bench b(seed);
            b.options.runs_in_memory_max = 4;
            std::int64_t most = 0;
            b.define = [&](Engine& engine) {
                engine.define("wf", [&, sleeps](Context& ctx, int n) -> Task<int> {
                    co_await ctx.step(
                        "a", [&] { most = std::max(most, b.reader.count_runs().running); });
                    if (sleeps) co_await ctx.sleep(1h);
                    co_await ctx.step(
                        "b", [&] { most = std::max(most, b.reader.count_runs().running); });
                    co_return n;
                });
            };

            const auto runs = b.start().submit_many<int>("wf", numbers(50));
            for (std::size_t i = 0; i < runs.size(); ++i)
                EXPECT_EQ(runs[i].result(), static_cast<int>(i));

            EXPECT_LE(most, 4);
            EXPECT_GT(most, 1);
        }
    }
}

TEST(Scheduler, a_room_taken_for_a_submission_that_joins_is_given_back) {
    Bench b;
    b.options.runs_in_memory_max = 2;
    b.define = [](Engine& engine) {
        engine.define("wf", [](Context& ctx, int n) -> Task<int> {
            co_return co_await ctx.step("a", [&] { return n; });
        });
    };
    auto& engine = b.start();

    for (int i = 0; i < 10; ++i) EXPECT_EQ(engine.submit<int>("wf", 1, {.id = "july"}).result(), 1);
    for (int i = 0; i < 10; ++i)
        EXPECT_NE(code_of([&] { engine.submit<int>("wf", 2, {.id = "july"}); }), std::nullopt);
    EXPECT_NE(code_of([&] { engine.submit<int>("nope", 2); }), std::nullopt);

    EXPECT_EQ(engine.submit<int>("wf", 3).result(), 3);
    EXPECT_EQ(b.run("july").epoch, 1);
}

TEST(Scheduler, a_thousand_runs_go_on_after_a_crash) {
    for (const std::uint64_t seed : {1u, 2u, 3u}) {
        SCOPED_TRACE(seed);
        Bench b(seed);
        int began = 0;
        b.define = [&](Engine& engine) {
            engine.define("wf", [&](Context& ctx, int n) -> Task<int> {
                const int a = co_await ctx.step("a", [&] {
                    ++began;
                    return n;
                });
                co_return a + co_await ctx.step("b", [&] { return 1; });
            });
        };
        b.start().submit_many<int>("wf", numbers(1000));
        ASSERT_TRUE(b.run_until([&] { return began == 500; }));

        b.restart();
        ASSERT_TRUE(b.run_until([&] { return b.reader.count_runs().succeeded == 1000; }));

        EXPECT_EQ(b.ran_again, 0);
        EXPECT_GT(b.counters().runs_recovered.load(), 0);
    }
}

TEST(Scheduler, a_clean_stop_puts_the_runs_back_and_the_next_start_goes_on) {
    for (const auto seed : kSeeds) {
        SCOPED_TRACE(seed);
        Bench b(seed);
        int began = 0;
        b.define = [&](Engine& engine) {
            engine.define("wf", [&](Context& ctx, int n) -> Task<int> {
                co_await ctx.step("a", [&] { ++began; });
                co_await ctx.step("flaky", [&](Attempt& attempt) {
                    if (attempt.number() == 1) throw std::runtime_error("not yet");
                });
                co_await ctx.sleep(1h);
                co_return co_await ctx.step("b", [&] { return n; });
            });
        };
        b.start().submit_many<int>("wf", numbers(20));
        ASSERT_TRUE(b.run_until([&] { return began == 10; }));

        b.engine().stop();
        EXPECT_EQ(b.reader.count_runs().running, 0);
        b.start();
        ASSERT_TRUE(b.run_until([&] { return b.reader.count_runs().succeeded == 20; }));

        EXPECT_EQ(b.counters().runs_recovered.load(), 0);
        EXPECT_EQ(b.ran_again, 0);
    }
}

TEST(Scheduler, a_stop_at_any_moment_leaves_no_run_running) {
    for (const auto seed : kSeeds) {
        // Before three jobs have run it has claimed nothing: what a dead process left stays as it is.
        for (int after = 3; after < 60; ++after) {
            SCOPED_TRACE(testing::Message() << "seed " << seed << ", after " << after);
            Bench b(seed);
            b.options.waiting_in_memory_max = 1;
            b.define = [&](Engine& engine) {
                engine.define("wf", [&](Context& ctx, int n) -> Task<int> {
                    co_await ctx.step("a", [] {});
                    co_await ctx.sleep(1s);
                    co_return co_await ctx.step("b", [&] { return n; });
                });
            };
            b.start().submit_many<int>("wf", numbers(4));
            b.restart();
            for (int i = 0; i < after; ++i) b.sim.run_one();

            b.engine().stop();

            EXPECT_EQ(b.reader.count_runs().running, 0);
        }
    }
}

// ---- crash loops

// Runs whose step kills the process, while `deadly`.
struct Deadly {
    explicit Deadly(Bench& b) {
        b.define = [this, &b](Engine& engine) {
            engine.define("deadly", [this, &b](Context& ctx, int n) -> Task<int> {
                if (n < 0) co_await ctx.step("progress", [] {});
                co_return co_await ctx.step("die", [&] {
                    ++tried[n];
                    if (deadly) b.die();
                    return n;
                });
            });
            engine.define("good", [](Context& ctx, int n) -> Task<int> {
                co_await ctx.sleep(1s);
                co_return co_await ctx.step("a", [&] { return n; });
            });
        };
    }
    bool deadly = true;
    std::map<int, int> tried;
};

// Lets the process die and starts the next one, until nothing dies any more.
void live_through(Bench& b) {
    for (int deaths = 0; deaths < 50; ++deaths) {
        while (b.sim.run_one()) {
        }
        const auto counts = b.reader.count_runs();
        if (counts.running + counts.queued + counts.waiting == 0) return;
        b.restart();
    }
    FAIL() << "it goes on dying";
}

TEST(CrashLoop, a_run_that_kills_its_process_again_and_again_is_paused_and_the_others_end) {
    for (const auto seed : kSeeds) {
        SCOPED_TRACE(seed);
        Bench b(seed);
        Deadly deadly(b);
        b.open().submit<int>("deadly", 1, {.id = "bad"});
        for (int i = 0; i < 5; ++i)
            b.engine().submit<int>("good", i, {.id = "good " + std::to_string(i)});
        b.engine().start();

        live_through(b);

        EXPECT_EQ(b.run("bad").status, RunStatus::Paused);
        EXPECT_NE(b.run("bad").failure->message.find("crash loop"), std::string::npos);
        EXPECT_EQ(code_of([&] { b.engine().find<int>("bad").result(); }), ErrorCode::CrashLoop);
        EXPECT_EQ(deadly.tried[1], 5) << "five deaths in its own code";
        EXPECT_EQ(b.reader.count_runs().succeeded, 5);
        EXPECT_EQ(b.reader.count_runs().paused, 1) << "the good ones are not blamed";

        deadly.deadly = false;
        b.restart().resume("bad");
        EXPECT_EQ(b.engine().find<int>("bad").result(), 1);
    }
}

TEST(CrashLoop, suspects_run_one_at_a_time_so_that_only_the_guilty_is_paused) {
    for (const auto seed : kSeeds) {
        SCOPED_TRACE(seed);
        Bench b(seed);
        std::map<int, int> died;
        b.define = [&](Engine& engine) {
            engine.define("wf", [&](Context& ctx, int n) -> Task<int> {
                co_return co_await ctx.step("a", [&] {
                    // Each is unlucky twice, which makes a suspect of it; one goes on.
                    if (died[n]++ < 2 || n == 3) b.die();
                    return n;
                });
            });
        };
        b.open();
        for (int i = 0; i < 6; ++i) b.engine().submit<int>("wf", i, {.id = std::to_string(i)});
        b.start();

        live_through(b);

        EXPECT_EQ(b.run("3").status, RunStatus::Paused);
        EXPECT_EQ(b.reader.count_runs().succeeded, 5);
    }
}

TEST(CrashLoop, runs_that_only_wait_their_turn_live_through_any_number_of_kills) {
    for (const auto seed : kSeeds) {
        SCOPED_TRACE(seed);
        Bench b(seed);
        b.define = [&](Engine& engine) {
            engine.define("wf", [&](Context& ctx, int n) -> Task<int> {
                co_return co_await ctx.step("a", [&] { return n; });
            });
        };
        b.open();
        for (int i = 0; i < 6; ++i) b.engine().submit<int>("wf", i, {.id = std::to_string(i)});
        for (int death = 0; death < 40; ++death) {
            b.start();
            ASSERT_TRUE(b.run_until([&] { return b.run("5").epoch == death + 1; }));
        }
        b.restart();

        ASSERT_TRUE(b.run_until([&] { return b.reader.count_runs().succeeded == 6; }));
        EXPECT_EQ(b.reader.deaths(b.run("3").no).size(), 40u);
        for (const model::Death& death : b.reader.deaths(b.run("3").no)) {
            EXPECT_FALSE(death.charged);
            EXPECT_EQ(death.reason, model::DeathReason::Killed);
        }
        EXPECT_TRUE(b.shelf->empty()) << "what is in the store is not kept beside it";
    }
}

TEST(CrashLoop, progress_clears_the_suspicion) {
    for (const auto seed : kSeeds) {
        SCOPED_TRACE(seed);
        Bench b(seed);
        int steps = 0;
        b.define = [&](Engine& engine) {
            engine.define("slow", [&](Context& ctx) -> Task<int> {
                for (int i = 0; i < 8; ++i) {
                    co_await ctx.step("step", [&] { ++steps; });
                    co_await ctx.step("deadly once", [&](Attempt&) {
                        if (++steps % 2 == 0) b.die();
                    });
                }
                co_return 1;
            });
            engine.define("sleepy", [&](Context& ctx) -> Task<int> {
                for (int i = 0; i < 8; ++i) co_await ctx.sleep(1h);
                co_return 1;
            });
        };
        b.start().submit<int>("slow", {.id = "slow"});
        live_through(b);
        EXPECT_EQ(b.run("slow").status, RunStatus::Succeeded);

        // One that only sleeps dies after each sleep, and is no crash loop either.
        b.start().submit<int>("sleepy", {.id = "sleepy"});
        for (std::size_t slept = 1; slept < 8; ++slept) {
            ASSERT_TRUE(b.run_until([&] {
                return b.stages("sleepy").size() > slept &&
                       b.run("sleepy").status == RunStatus::Running;
            }));
            b.restart();
        }
        EXPECT_EQ(b.engine().find<int>("sleepy").result(), 1);
    }
}

TEST(CrashLoop, a_suspect_that_waits_lets_the_next_one_in) {
    Bench b;
    std::map<int, int> died;
    b.define = [&](Engine& engine) {
        engine.define("wf", [&](Context& ctx, int n) -> Task<int> {
            if (died[n] < 2 && !b.is_dead()) {
                ++died[n];
                b.die();  // in the workflow's own code, between its steps
            }
            co_await ctx.sleep(10h);
            co_return n;
        });
    };
    b.open();
    for (int i = 0; i < 4; ++i) b.engine().submit<int>("wf", i, {.id = std::to_string(i)});
    for (int deaths = 0; deaths < 8; ++deaths) {
        b.start();
        while (b.sim.run_one()) {
        }
    }
    b.restart();

    ASSERT_TRUE(b.run_until([&] { return b.reader.count_runs().waiting == 4; }));
    EXPECT_LT(b.sim.clock().now(), b.run("0").wake_at);
}

TEST(Scheduler, an_engine_that_was_believed_dead_cannot_write) {
    Bench old_one(1);
    Bench new_one(2, old_one.disk);
    int calls = 0;
    const auto define = [&](Engine& engine) {
        engine.define("wf", [&](Context& ctx) -> Task<int> {
            co_return co_await ctx.step("a", [&] { return ++calls; });
        });
    };
    old_one.define = new_one.define = define;
    old_one.start().submit<int>("wf", {.id = "july"});

    new_one.start();
    ASSERT_TRUE(
        new_one.run_until([&] { return old_one.run("july").status == RunStatus::Succeeded; }));
    const auto ended = old_one.run("july");
    while (old_one.sim.run_one()) {
    }

    EXPECT_EQ(old_one.run("july").result, ended.result);
    EXPECT_GE(old_one.counters().writes_fenced.load(), 1);
}

}  // namespace
}  // namespace belay::engine
