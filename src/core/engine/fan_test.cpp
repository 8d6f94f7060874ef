// Fan-out and fan-in: joined by a policy, replayed from the records of the branches, always ending.
#include <gtest/gtest.h>

#include <numeric>

#include "core/engine/engine_bench.hpp"

namespace belay::engine {
namespace {

using namespace std::chrono_literals;

int g_calls = 0;
int twice(int n) {
    ++g_calls;
    return 2 * n;
}
int twice_unless_odd(int n) {
    ++g_calls;
    if (n % 2 == 1) throw NonRetryable("odd: " + std::to_string(n));
    return 2 * n;
}

std::vector<int> numbers(int n) {
    std::vector<int> all(static_cast<std::size_t>(n));
    std::iota(all.begin(), all.end(), 0);
    return all;
}

Task<int> two_steps(Context& ctx, int n) {
    const int a = co_await ctx.step("a", twice, n);
    co_return co_await ctx.step("b", twice, a);
}

class FanTest : public ::testing::Test {
protected:
    void SetUp() override { g_calls = 0; }
};

// ---- map

TEST_F(FanTest, a_map_gives_its_results_in_order_and_names_its_branches) {
    Bench b;
    b.define = [](Engine& engine) {
        engine.define("fan", [](Context& ctx) -> Task<std::vector<int>> {
            const std::vector<int> pages{1, 2, 3};
            co_return co_await ctx.map("ocr_page", pages, twice);
        });
    };

    EXPECT_EQ(b.start().submit<std::vector<int>>("fan", {.id = "july"}).result(),
              (std::vector<int>{2, 4, 6}));

    EXPECT_EQ(b.history("july"),
              "1 ocr_page succeeded, 1.1 ocr_page_1 succeeded, 1.2 ocr_page_2 succeeded, "
              "1.3 ocr_page_3 succeeded");
    EXPECT_EQ(b.stage("july", "1").kind, model::StageKind::Fan);
}

TEST_F(FanTest, an_empty_map_and_one_of_one_behave_like_any_other) {
    for (const int size : {0, 1}) {
        Bench b;
        b.define = [size](Engine& engine) {
            engine.define("fan", [size](Context& ctx) -> Task<int> {
                const auto all = co_await ctx.map("page", numbers(size), twice);
                const auto kept = co_await ctx.map("kept", numbers(size), twice).collect();
                const auto some = co_await ctx.map("some", numbers(size), twice).at_least(0);
                co_return static_cast<int>(all.size() + kept.size() + some.size());
            });
        };

        EXPECT_EQ(b.start().submit<int>("fan", {.id = "july"}).result(), 3 * size);
        EXPECT_EQ(b.stage("july", "1").status, StageStatus::Succeeded);
    }
}

TEST_F(FanTest, a_coroutine_makes_each_branch_a_scope_with_steps_of_its_own) {
    Bench b;
    b.define = [](Engine& engine) {
        engine.define("fan", [](Context& ctx) -> Task<std::vector<int>> {
            const std::vector<int> items{1, 2};
            co_return co_await ctx.map("item", items, two_steps);
        });
    };

    EXPECT_EQ(b.start().submit<std::vector<int>>("fan", {.id = "july"}).result(),
              (std::vector<int>{4, 8}));
    EXPECT_EQ(b.stage("july", "1.2.1").stage_key, "a");
    EXPECT_EQ(b.stage("july", "1.2").kind, model::StageKind::Scope);
}

TEST_F(FanTest, no_recorded_branch_runs_again_whatever_the_moment_of_a_crash) {
    for (const auto seed : kSeeds) {
        for (int after = 1; after <= 12; ++after) {
            SCOPED_TRACE(testing::Message() << "seed " << seed << " after " << after);
            Bench b(seed);
            b.define = [](Engine& engine) {
                engine.define("fan", [](Context& ctx) -> Task<int> {
                    const auto plain = co_await ctx.map("page", numbers(5), twice);
                    const auto deep =
                        co_await ctx.map("item", FanOptions{.width = 2}, numbers(4), two_steps);
                    const int last = co_await ctx.step("last", twice, 1);
                    co_return std::accumulate(plain.begin(), plain.end(), 0) +
                        std::accumulate(deep.begin(), deep.end(), 0) + last;
                });
            };
            b.start().submit<int>("fan", {.id = "july"});
            for (int i = 0; i < after * 3; ++i) b.sim.run_one();
            EXPECT_EQ(b.restart().find<int>("july").result(), 20 + 24 + 2);
            EXPECT_EQ(b.ran_again, 0);
        }
    }
}

TEST_F(FanTest, width_bounds_how_many_are_under_way) {
    static int under_way, most;
    under_way = most = 0;
    Bench b;
    b.define = [](Engine& engine) {
        engine.define("fan", [](Context& ctx) -> Task<void> {
            co_await ctx.map("page", FanOptions{.width = 3}, numbers(20),
                             [](Context& inner, int) -> Task<int> {
                                 most = std::max(most, ++under_way);
                                 co_await inner.sleep(1s);
                                 --under_way;
                                 co_return 0;
                             });
        });
    };

    b.start().submit<void>("fan", {.id = "july"}).result();

    EXPECT_EQ(most, 3);
}

// ---- failures

TEST_F(FanTest, fail_fast_stops_the_others_and_says_which_failed) {
    Bench b;
    b.define = [](Engine& engine) {
        engine.define("fan", [](Context& ctx) -> Task<void> {
            const std::vector<int> pages{2, 4, 1};
            co_await ctx.map("page", pages, [](Context& inner, int n) -> Task<int> {
                if (n % 2 == 0) co_await inner.sleep(1h);
                co_return co_await inner.step("read", twice_unless_odd, n);
            });
        });
    };

    auto run = b.start().submit<void>("fan", {.id = "july"});
    const std::string message = message_of([&] { run.result(); });

    EXPECT_NE(message.find("1 of the 3 branches of `page` failed: page_3:"), std::string::npos)
        << message;
    EXPECT_NE(message.find("odd: 1"), std::string::npos) << message;
    EXPECT_EQ(b.stage("july", "1").status, StageStatus::Failed);
    EXPECT_EQ(b.stage("july", "1.1").status, StageStatus::Skipped);
    EXPECT_EQ(b.stage("july", "1.1.1").status, StageStatus::Skipped);
    EXPECT_EQ(b.stage("july", "1.3").status, StageStatus::Failed);
    EXPECT_EQ(g_calls, 1);
}

TEST_F(FanTest, wait_all_fails_with_every_error_and_a_retry_runs_only_the_failed_branches) {
    static bool broken;
    broken = true;
    Bench b;
    b.define = [](Engine& engine) {
        engine.define("fan", [](Context& ctx) -> Task<int> {
            const auto all = co_await ctx
                                 .map("page", numbers(6),
                                      [](int n) {
                                          ++g_calls;
                                          if (broken && n % 2 == 1)
                                              throw NonRetryable("odd " + std::to_string(n));
                                          return n;
                                      })
                                 .wait_all();
            co_return std::accumulate(all.begin(), all.end(), 0);
        });
    };

    auto run = b.start().submit<int>("fan", {.id = "july"});
    const std::string message = message_of([&] { run.result(); });
    EXPECT_NE(message.find("3 of the 6 branches"), std::string::npos) << message;
    for (const auto* each : {"odd 1", "odd 3", "odd 5"})
        EXPECT_NE(message.find(each), std::string::npos);
    EXPECT_EQ(g_calls, 6);

    broken = false;
    b.engine().retry("july");
    EXPECT_EQ(run.result(), 15);
    EXPECT_EQ(g_calls, 9);
    EXPECT_EQ(b.ran_again, 0);
}

TEST_F(FanTest, collect_gives_results_and_errors_the_same_after_a_crash) {
    for (const bool crash : {false, true}) {
        for (const bool deep : {false, true}) {
            Bench b;
            b.define = [deep](Engine& engine) {
                engine.define("fan", [deep](Context& ctx) -> Task<std::string> {
                    std::string text;
                    const auto add = [&text](const std::vector<Outcome<int>>& outcomes) {
                        for (const auto& outcome : outcomes) {
                            text += outcome ? std::to_string(*outcome.value)
                                            : outcome.code + " " + outcome.error;
                            text += "; ";
                        }
                    };
                    if (deep) {
                        add(co_await ctx
                                .map("page", numbers(4),
                                     [](Context& inner, int n) -> Task<int> {
                                         co_return co_await inner.step("read", twice_unless_odd, n);
                                     })
                                .collect());
                    } else {
                        add(co_await ctx.map("page", numbers(4), twice_unless_odd).collect());
                    }
                    co_await ctx.sleep(1h);
                    co_return text;
                });
            };
            b.start().submit<std::string>("fan", {.id = "july"});
            if (crash) {
                ASSERT_TRUE(b.run_until("july", RunStatus::Waiting));
                b.restart();
            }

            const std::string text = b.engine().find<std::string>("july").result();

            EXPECT_TRUE(text.starts_with("0; StepFailed ")) << text;
            EXPECT_NE(text.find("odd: 3"), std::string::npos) << text;
            EXPECT_EQ(b.ran_again, 0);
        }
    }
}

TEST_F(FanTest, at_least_n_ends_with_the_nth_success_and_skips_the_rest) {
    for (const bool crash : {false, true}) {
        Bench b;
        b.define = [](Engine& engine) {
            engine.define("fan", [](Context& ctx) -> Task<int> {
                const auto some = co_await ctx
                                      .map("page", numbers(5),
                                           [](Context& inner, int n) -> Task<int> {
                                               co_await inner.sleep(1min * (n + 1));
                                               co_return n;
                                           })
                                      .at_least(2);
                co_await ctx.sleep(1h);
                int sum = 0;
                for (const auto& value : some) sum += value ? 10 + *value : 0;
                co_return sum;
            });
        };
        b.start().submit<int>("fan", {.id = "july"});
        if (crash) {
            ASSERT_TRUE(
                b.run_until([&] { return b.stage("july", "1").status == StageStatus::Succeeded; }));
            b.restart();
        }

        EXPECT_EQ(b.engine().find<int>("july").result(), 21);
        EXPECT_EQ(b.stage("july", "1.3").status, StageStatus::Skipped);
        EXPECT_EQ(b.stage("july", "1.5.1").status, StageStatus::Skipped);
    }
}

TEST_F(FanTest, at_least_n_fails_as_soon_as_so_many_cannot_succeed) {
    Bench b;
    b.define = [](Engine& engine) {
        engine.define("fan", [](Context& ctx) -> Task<void> {
            const std::vector<int> pages{1, 3, 2};
            co_await ctx.map("page", pages, twice_unless_odd).at_least(2);
        });
    };

    auto run = b.start().submit<void>("fan", {.id = "july"});

    EXPECT_NE(message_of([&] { run.result(); }).find("at least 2 had to succeed"),
              std::string::npos);
}

TEST_F(FanTest, code_may_catch_a_failed_fan_and_goes_the_same_way_after_a_crash) {
    Bench b;
    b.define = [](Engine& engine) {
        engine.define("fan", [](Context& ctx) -> Task<std::string> {
            std::string text;
            try {
                co_await ctx.map("page", numbers(4), twice_unless_odd).wait_all();
            } catch (const FanFailed& error) {
                text = std::to_string(error.failed()) + " " + error.failures()[0].name;
            }
            co_await ctx.sleep(1h);
            co_return text + co_await ctx.step("after", [&] { return std::string("!"); });
        });
    };
    b.start().submit<std::string>("fan", {.id = "july"});
    ASSERT_TRUE(b.run_until("july", RunStatus::Waiting));

    EXPECT_EQ(b.restart().find<std::string>("july").result(), "2 page_2!");
}

// ---- all and race

TEST_F(FanTest, all_joins_branches_of_several_types) {
    for (const auto seed : kSeeds) {
        Bench b(seed);
        b.define = [](Engine& engine) {
            engine.define("fan", [](Context& ctx) -> Task<std::string> {
                const auto both = co_await ctx.all(
                    "both", ctx.step("number", twice, 4), ctx.scope("deep", two_steps, 1),
                    ctx.sleep(1h, "pause"), ctx.step("text", [&] { return std::string("x"); }));
                co_return std::to_string(std::get<0>(both)) + std::to_string(std::get<1>(both)) +
                    std::get<3>(both);
            });
        };
        b.start().submit<std::string>("fan", {.id = "july"});
        ASSERT_TRUE(b.run_until("july", RunStatus::Waiting));

        EXPECT_EQ(b.restart().find<std::string>("july").result(), "84x");
        EXPECT_EQ(b.stage("july", "1.3").stage_key, "pause");
        EXPECT_EQ(b.ran_again, 0);
    }
}

TEST_F(FanTest, all_takes_a_vector_of_steps) {
    Bench b;
    b.define = [](Engine& engine) {
        engine.define("fan", [](Context& ctx) -> Task<std::vector<int>> {
            std::vector<Step<int>> steps;
            for (int i = 0; i < 3; ++i)
                steps.push_back(ctx.step("step_" + std::to_string(i), twice, i));
            co_return co_await ctx.all("three", std::move(steps));
        });
    };

    EXPECT_EQ(b.start().submit<std::vector<int>>("fan", {.id = "july"}).result(),
              (std::vector<int>{0, 2, 4}));
}

TEST_F(FanTest, a_race_is_won_once_and_its_outcome_survives_a_crash) {
    for (const auto seed : kSeeds) {
        for (const bool crash : {false, true}) {
            SCOPED_TRACE(seed);
            Bench b(seed);
            b.define = [](Engine& engine) {
                engine.define("fan", [](Context& ctx) -> Task<std::string> {
                    const auto won = co_await ctx.race("first", ctx.sleep(1h, "late"),
                                                       ctx.step("quick", twice, 4));
                    const Time then = ctx.now();
                    co_await ctx.sleep(3h);
                    co_return std::to_string(won.index) + " " +
                        std::to_string(std::get<1>(won.value)) + " " +
                        (then == ctx.now() - 3h ? "same" : "other");
                });
            };
            b.start().submit<std::string>("fan", {.id = "july"});
            if (crash) {
                ASSERT_TRUE(b.run_until(
                    [&] { return b.stage("july", "1").status == StageStatus::Succeeded; }));
                b.restart();
            }

            EXPECT_TRUE(b.engine().find<std::string>("july").result().starts_with("1 8"));
            EXPECT_EQ(b.stage("july", "1.1").status, StageStatus::Skipped);
        }
    }
}

TEST_F(FanTest, a_race_waits_for_a_closure_that_refers_to_the_frame) {
    Bench b;
    b.define = [](Engine& engine) {
        engine.define("fan", [](Context& ctx) -> Task<std::string> {
            std::string local = "alive";
            const auto won =
                co_await ctx.race("first", ctx.step("slow", [&] { return local + "!"; }),
                                  ctx.step("other", [&] { return local; }));
            co_return std::to_string(won.index);
        });
    };
    for (const auto seed : kSeeds) {
        Bench each(seed);
        each.define = b.define;
        const std::string index = each.start().submit<std::string>("fan", {.id = "july"}).result();
        EXPECT_TRUE(index == "0" || index == "1");
    }
}

// ---- divergence

TEST_F(FanTest, another_number_of_branches_is_a_divergence_that_names_both) {
    static int size;
    size = 3;
    Bench b;
    b.define = [](Engine& engine) {
        engine.define("fan", [](Context& ctx) -> Task<void> {
            co_await ctx.map("page", numbers(size),
                             [](Context& inner, int) -> Task<void> { co_await inner.sleep(1h); });
        });
    };
    b.start().submit<void>("fan", {.id = "july"});
    ASSERT_TRUE(b.run_until("july", RunStatus::Waiting));

    size = 4;
    b.restart();
    ASSERT_TRUE(b.run_until("july", RunStatus::Paused));

    const std::string message = b.run("july").failure->message;
    EXPECT_NE(message.find("3 branches"), std::string::npos) << message;
    EXPECT_NE(message.find("4"), std::string::npos) << message;
}

TEST_F(FanTest, a_canceled_run_ends_with_its_branches_canceled) {
    Bench b;
    b.define = [](Engine& engine) {
        engine.define("fan", [](Context& ctx) -> Task<void> {
            co_await ctx.map("page", numbers(3),
                             [](Context& inner, int) -> Task<void> { co_await inner.sleep(1h); });
        });
    };
    b.start().submit<void>("fan", {.id = "july"});
    ASSERT_TRUE(b.run_until("july", RunStatus::Waiting));

    b.engine().cancel("july");

    EXPECT_EQ(b.run("july").status, RunStatus::Canceled);
    EXPECT_EQ(b.stage("july", "1.2.1").status, StageStatus::Canceled);
    EXPECT_EQ(b.stage("july", "1").status, StageStatus::Canceled);
}

TEST_F(FanTest, a_thousand_branches_join) {
    Bench b;
    b.define = [](Engine& engine) {
        engine.define("fan", [](Context& ctx) -> Task<std::int64_t> {
            const auto all = co_await ctx.map("page", numbers(1000), twice);
            co_return std::accumulate(all.begin(), all.end(), std::int64_t{0});
        });
    };

    EXPECT_EQ(b.start().submit<std::int64_t>("fan", {.id = "july"}).result(), 999'000);
}

}  // namespace
}  // namespace belay::engine
