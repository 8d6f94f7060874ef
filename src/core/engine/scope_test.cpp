// Scopes, sleeps, and what a Context derives: the same after a crash.
#include <gtest/gtest.h>

#include "core/engine/engine_bench.hpp"

namespace belay::engine {
namespace {

using namespace std::chrono_literals;

int g_calls = 0;
int counted(int n) {
    ++g_calls;
    return n;
}

Task<int> leaf(Context& ctx, int n) {
    const int a = co_await ctx.step("a", counted, n);
    const int b = co_await ctx.step("b", counted, n);
    co_return a + b;
}

Task<int> branch(Context& ctx, int n) {
    const int inside = co_await ctx.scope("leaf", leaf, n);
    co_return inside + co_await ctx.step("c", counted, n);
}

// ---- scopes

TEST(Scope, numbers_its_steps_inside_its_own_place_and_has_a_row_of_its_own) {
    Bench b;
    b.define = [](Engine& engine) {
        engine.define("tree", [](Context& ctx, int n) -> Task<int> {
            co_await ctx.step("first", counted, n);
            const int inside = co_await ctx.scope("branch", branch, n);
            co_return inside + co_await ctx.step("last", counted, n);
        });
    };

    EXPECT_EQ(b.start().submit<int>("tree", 1, {.id = "july"}).result(), 4);

    EXPECT_EQ(b.history("july"),
              "1 first succeeded, 2 branch succeeded, 2.1 leaf succeeded, 2.1.1 a succeeded, 2.1.2 "
              "b succeeded, "
              "2.2 c succeeded, 3 last succeeded");
    EXPECT_EQ(b.stage("july", "2").output, "3");
    EXPECT_EQ(b.stage("july", "2").kind, model::StageKind::Scope);
}

TEST(Scope, its_own_records_and_those_of_a_fan_ride_along_and_cost_no_commit) {
    const auto commits_of = [](std::uint64_t seed, const auto& workflow) {
        Bench b(seed);
        b.define = [&](Engine& engine) { engine.define("tree", workflow); };
        Engine& engine = b.start();
        const auto before = b.faults().commits();
        engine.submit<int>("tree", {.id = "july"}).result();
        return b.faults().commits() - before;
    };
    for (const auto seed : kSeeds) {
        SCOPED_TRACE(seed);
        const auto plain = commits_of(seed, [](Context& ctx) -> Task<int> {
            const int a = co_await ctx.step("a", counted, 1);
            co_return a + co_await ctx.step("b", counted, 2);
        });
        const auto scoped = commits_of(seed, [](Context& ctx) -> Task<int> {
            const std::vector<int> numbers{1};
            const auto a = co_await ctx.map("a", numbers, counted);
            co_return a[0] + co_await ctx.scope("group", [](Context& inner) -> Task<int> {
                co_return co_await inner.step("b", counted, 2);
            });
        });
        EXPECT_EQ(scoped, plain);
    }
}

TEST(Scope, is_replayed_from_inside_and_from_after) {
    for (const auto seed : kSeeds) {
        for (const bool inside : {true, false}) {
            SCOPED_TRACE(seed);
            g_calls = 0;
            Bench b(seed);
            b.define = [inside](Engine& engine) {
                engine.define("tree", [inside](Context& ctx) -> Task<int> {
                    const int sum =
                        co_await ctx.scope("group", [inside](Context& inner) -> Task<int> {
                            const int a = co_await inner.step("a", counted, 1);
                            if (inside) co_await inner.sleep(1h);
                            co_return a + co_await inner.step("b", counted, 2);
                        });
                    if (!inside) co_await ctx.sleep(1h);
                    co_return sum + co_await ctx.step("c", counted, 3);
                });
            };

            b.start().submit<int>("tree", {.id = "july"});
            ASSERT_TRUE(b.run_until("july", RunStatus::Waiting));
            EXPECT_EQ(b.stage("july", "1").status,
                      inside ? StageStatus::Running : StageStatus::Succeeded);

            EXPECT_EQ(b.restart().find<int>("july").result(), 6);
            EXPECT_EQ(g_calls, 3);
        }
    }
}

TEST(Scope, what_it_throws_comes_out_unchanged_also_after_a_crash) {
    for (const auto seed : kSeeds) {
        SCOPED_TRACE(seed);
        Bench b(seed);
        std::vector<std::string> caught;
        int tried = 0;
        b.define = [&](Engine& engine) {
            engine.define("tree", [&](Context& ctx) -> Task<> {
                try {
                    co_await ctx.scope("group", [&](Context& inner) -> Task<> {
                        co_await inner.step("bad", [&] {
                            ++tried;
                            throw NonRetryable("no");
                        });
                    });
                } catch (const StepFailed& error) {
                    caught.push_back(error.path() + error.stage());
                }
                try {
                    co_await ctx.scope("own", [&](Context&) -> Task<> {
                        throw std::out_of_range("own error");
                        co_return;
                    });
                } catch (const std::out_of_range& error) {
                    caught.emplace_back(error.what());
                }
                co_await ctx.sleep(1h);
            });
        };

        b.start().submit<void>("tree", {.id = "july"});
        ASSERT_TRUE(b.run_until("july", RunStatus::Waiting));
        EXPECT_EQ(b.history("july"),
                  "1 group failed, 1.1 bad failed, 2 own failed, 3 sleep running");
        EXPECT_EQ(b.stage("july", "2").message, "own error");
        b.restart().find<void>("july").result();

        EXPECT_EQ(tried, 1);
        EXPECT_EQ(caught, (std::vector<std::string>{"1.1bad", "own error", "1.1bad", "own error"}));
    }
}

TEST(Scope, a_failure_inside_fails_the_run_at_the_step) {
    Bench b;
    b.define = [](Engine& engine) {
        engine.define("tree", [](Context& ctx) -> Task<> {
            co_await ctx.scope("group", [](Context& inner) -> Task<> {
                co_await inner.step("bad", [] { throw NonRetryable("no"); });
            });
        });
    };

    EXPECT_EQ(code_of([&] { b.start().submit<void>("tree", {.id = "july"}).result(); }),
              ErrorCode::RunFailed);
    EXPECT_EQ(b.run("july").failure->path, "1.1");
    EXPECT_EQ(b.history("july"), "1 group failed, 1.1 bad failed");
}

// ---- sleeping

TEST(Sleep, lasts_as_long_as_asked_and_holds_no_lease) {
    for (const Duration how_long : {Duration{1ms}, Duration{10s}, Duration{24h * 365}}) {
        Bench b;
        b.define = [how_long](Engine& engine) {
            engine.define("sleep",
                          [how_long](Context& ctx) -> Task<> { co_await ctx.sleep(how_long); });
        };
        const Time begun = b.sim.clock().now();

        const auto run = b.start().submit<void>("sleep", {.id = "july"});
        ASSERT_TRUE(b.run_until("july", RunStatus::Waiting));
        EXPECT_EQ(b.run("july").wake_at, begun + how_long);
        run.result();

        EXPECT_EQ(b.sim.clock().now(), begun + how_long);
    }
}

TEST(Sleep, goes_on_through_crashes_and_a_clean_stop_without_beginning_again) {
    for (const auto seed : kSeeds) {
        SCOPED_TRACE(seed);
        Bench b(seed);
        b.define = [](Engine& engine) {
            engine.define("sleep",
                          [](Context& ctx) -> Task<> { co_await ctx.sleep(10h, "night"); });
        };
        const Time begun = b.sim.clock().now();
        b.start().submit<void>("sleep", {.id = "july"});
        ASSERT_TRUE(b.run_until("july", RunStatus::Waiting));

        b.sim.clock().advance(2h);
        b.restart();
        b.sim.clock().advance(2h);
        b.stop_and_start().find<void>("july").result();

        EXPECT_EQ(b.sim.clock().now(), begun + 10h);
        EXPECT_EQ(b.history("july"), "1 night succeeded");
    }
}

TEST(Sleep, that_is_over_while_no_engine_runs_ends_at_the_start) {
    Bench b;
    b.define = [](Engine& engine) {
        engine.define("sleep", [](Context& ctx) -> Task<> { co_await ctx.sleep(1h); });
    };
    b.start().submit<void>("sleep", {.id = "july"});
    ASSERT_TRUE(b.run_until("july", RunStatus::Waiting));
    b.crash();
    b.sim.clock().advance(5h);
    const Time now = b.sim.clock().now();

    b.start().find<void>("july").result();

    EXPECT_EQ(b.sim.clock().now(), now);
}

TEST(Sleep, until_a_time_and_not_at_all_if_that_is_past) {
    Bench b;
    const Time begun = b.sim.clock().now();
    b.define = [begun](Engine& engine) {
        engine.define("sleep", [begun](Context& ctx) -> Task<> {
            co_await ctx.sleep_until(begun - 1h);
            co_await ctx.sleep(0ms);
            co_await ctx.sleep_until(begun + 3h);
        });
    };

    b.start().submit<void>("sleep").result();

    EXPECT_EQ(b.sim.clock().now(), begun + 3h);
}

TEST(Sleep, runs_above_the_limit_leave_memory_and_are_woken_all_the_same) {
    for (const auto seed : kSeeds) {
        SCOPED_TRACE(seed);
        g_calls = 0;
        Bench b(seed);
        b.options.waiting_in_memory_max = 3;
        b.define = [](Engine& engine) {
            engine.define("sleep", [](Context& ctx, int n) -> Task<int> {
                co_await ctx.step("before", counted, n);
                co_await ctx.sleep(1h);
                co_return co_await ctx.step("after", counted, n);
            });
        };

        const auto runs =
            b.start().submit_many<int>("sleep", std::vector{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
        for (std::size_t i = 0; i < runs.size(); ++i)
            EXPECT_EQ(runs[i].result(), static_cast<int>(i));

        EXPECT_EQ(b.counters().runs_parked.load(), 7);
        EXPECT_EQ(g_calls, 20);
    }
}

// ---- what a Context derives

TEST(Context, now_random_uuid_and_keys_are_the_same_after_a_crash) {
    for (const auto seed : kSeeds) {
        SCOPED_TRACE(seed);
        Bench b(seed);
        std::map<std::string, std::set<std::vector<std::string>>> seen;  // by place in the code
        b.define = [&](Engine& engine) {
            const auto draw = [&](const char* place, Context& from) {
                seen[place].insert({std::to_string(from.now().time_since_epoch().count()),
                                    std::to_string(from.random()), std::to_string(from.random()),
                                    from.uuid(), from.idempotency_key()});
            };
            engine.define("draw", [&b, draw](Context& ctx) -> Task<> {
                draw("start", ctx);
                co_await ctx.step("a", [&] { b.sim.clock().advance(7s); });
                draw("after a step", ctx);
                co_await ctx.scope("group", [&](Context& inner) -> Task<> {
                    draw("inside", inner);
                    co_await inner.step("a", [&] { b.sim.clock().advance(7s); });
                    draw("inside, after a step", inner);
                    co_await inner.sleep(1h);
                    draw("inside, after a sleep", inner);
                });
                draw("after the scope", ctx);
                co_await ctx.step("bad", [&] { throw NonRetryable("no"); }).optional();
                draw("after a failure", ctx);
                co_await ctx.sleep(1h);
                draw("after a sleep", ctx);
                co_await ctx.sleep(1h);
            });
        };

        b.start().submit<void>("draw", {.id = "july"});
        for (const std::size_t stages : {4u, 6u, 7u}) {
            ASSERT_TRUE(b.run_until([&] {
                return b.stages("july").size() == stages &&
                       b.run("july").status == RunStatus::Waiting;
            }));
            b.sim.clock().advance(5min);
            b.restart();
        }
        b.engine().find<void>("july").result();

        EXPECT_EQ(seen.size(), 8u);
        std::set<std::string> values;
        for (const auto& [place, draws] : seen) {
            EXPECT_EQ(draws.size(), 1u) << place;
            values.insert(draws.begin()->begin() + 1, draws.begin()->end());
        }
        EXPECT_EQ(values.size(), seen.size() * 4) << "each place draws numbers of its own";
    }
}

TEST(Context, now_is_the_time_of_the_last_record) {
    Bench b;
    std::vector<Time> seen;
    b.define = [&](Engine& engine) {
        engine.define("now", [&](Context& ctx) -> Task<> {
            seen.push_back(ctx.now());
            co_await ctx.step("a", [&] { b.sim.clock().advance(7s); });
            b.sim.clock().advance(1s);
            seen.push_back(ctx.now());
        });
    };
    b.start().submit<void>("now", {.id = "july"}).result();

    EXPECT_EQ(seen[0], b.run("july").started_at);
    EXPECT_EQ(seen[1], b.stage("july", "1").finished_at);
}

TEST(Context, other_runs_draw_other_numbers) {
    Bench b;
    b.define = [](Engine& engine) {
        engine.define("draw", [](Context& ctx) -> Task<std::string> { co_return ctx.uuid(); });
    };
    b.start();

    const auto july = b.engine().submit<std::string>("draw", {.id = "july"}).result();
    const auto june = b.engine().submit<std::string>("draw", {.id = "june"}).result();

    EXPECT_NE(july, june);
    EXPECT_EQ(july.size(), 36u);
    EXPECT_EQ(july[14], '4');
}

}  // namespace
}  // namespace belay::engine
