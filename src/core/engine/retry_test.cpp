// Attempts of a step: how many, when, and what is left of them after a crash.
#include <gtest/gtest.h>

#include "core/engine/engine_bench.hpp"

namespace belay::engine {
namespace {

using namespace std::chrono_literals;

bool only_busy(const std::exception& error) { return std::string_view(error.what()) == "busy"; }

// A workflow of one step that fails `failures` times with `error`, and notes when it ran.
struct Flaky {
    Bench& b;
    StepOptions options;
    int failures = 0;
    std::function<void()> fail = [] { throw std::runtime_error("busy"); };
    std::vector<Time> ran{};

    void define() {
        b.define = [this](Engine& engine) {
            engine.define("flaky", [this](Context& ctx) -> Task<int> {
                co_return co_await ctx.step("flaky", options, [this](Attempt& attempt) {
                    ran.push_back(b.sim.clock().now());
                    if (attempt.number() <= failures) fail();
                    return attempt.number();
                });
            });
        };
    }
    std::vector<Duration> waits() const {
        std::vector<Duration> out;
        for (std::size_t i = 1; i < ran.size(); ++i) out.push_back(ran[i] - ran[i - 1]);
        return out;
    }
};

TEST(Retry, the_delays_follow_the_policy) {
    for (const auto seed : kSeeds) {
        SCOPED_TRACE(seed);
        Bench b(seed);
        Flaky flaky{b,
                    {.retry = {.attempts_max = 5,
                               .first_delay = 1s,
                               .factor = 3,
                               .longest_delay = 10s,
                               .jitter = 0}},
                    4};
        flaky.define();

        EXPECT_EQ(b.start().submit<int>("flaky", {.id = "july"}).result(), 5);

        EXPECT_EQ(flaky.waits(), (std::vector<Duration>{1s, 3s, 9s, 10s}));
        EXPECT_EQ(b.stage("july", "1").attempt, 5);
        ASSERT_EQ(b.attempts("july").size(), 4u);
        EXPECT_EQ(b.attempts("july")[3].attempt, 4);
        EXPECT_EQ(b.attempts("july")[3].message, "busy");
        EXPECT_FALSE(b.attempts("july")[3].worker.empty());
    }
}

TEST(Retry, the_delays_vary_by_the_jitter) {
    std::set<Duration> seen;
    for (const auto seed : kSeeds) {
        Bench b(seed);
        Flaky flaky{b, {.retry = {.attempts_max = 2, .first_delay = 10s, .jitter = 0.2}}, 1};
        flaky.define();

        b.start().submit<int>("flaky").result();

        ASSERT_EQ(flaky.waits().size(), 1u);
        EXPECT_GE(flaky.waits()[0], 8s);
        EXPECT_LE(flaky.waits()[0], 12s);
        seen.insert(flaky.waits()[0]);
    }
    EXPECT_GT(seen.size(), 4u);
}

TEST(Retry, when_the_attempts_are_used_up_the_run_fails_with_the_last_message) {
    Bench b;
    Flaky flaky{b, {.retry = {.attempts_max = 3}}, 99};
    flaky.define();

    const auto run = b.start().submit<int>("flaky", {.id = "july"});

    EXPECT_EQ(message_of([&] { run.result(); }),
              "run `july` failed: step `flaky` failed after 3 attempts: busy");
    EXPECT_EQ(flaky.ran.size(), 3u);
    EXPECT_EQ(b.attempts("july").size(), 3u);
    EXPECT_EQ(
        b.run("july").failure,
        (model::Failure{"StepFailed", "step `flaky` failed after 3 attempts: busy", "flaky", "1"}));
    EXPECT_EQ(b.history("july"), "1 flaky failed");
}

TEST(Retry, one_attempt_means_no_retry) {
    Bench b;
    Flaky flaky{b, {.retry = {.attempts_max = 1}}, 99};
    flaky.define();

    EXPECT_EQ(code_of([&] { b.start().submit<int>("flaky").result(); }), ErrorCode::RunFailed);
    EXPECT_EQ(flaky.ran.size(), 1u);
}

TEST(Retry, an_error_that_says_it_cannot_be_helped_fails_at_once) {
    Bench b;
    Flaky flaky{b, {}, 99, [] { throw NonRetryable("wrong key"); }};
    flaky.define();

    EXPECT_EQ(code_of([&] { b.start().submit<int>("flaky").result(); }), ErrorCode::RunFailed);
    EXPECT_EQ(flaky.ran.size(), 1u);
}

TEST(Retry, retry_if_decides_which_errors_are_worth_it) {
    for (const bool busy : {true, false}) {
        Bench b;
        Flaky flaky{b, {.retry = {.retry_if = only_busy}}, 1, [busy] {
                        throw std::runtime_error(busy ? "busy" : "broken");
                    }};
        flaky.define();

        const auto code = code_of([&] { b.start().submit<int>("flaky").result(); });

        EXPECT_EQ(code.has_value(), !busy);
        EXPECT_EQ(flaky.ran.size(), busy ? 2u : 1u);
    }
}

TEST(Retry, an_error_that_says_when_to_come_back_is_obeyed) {
    Bench b;
    Flaky flaky{b, {}, 1, [] { throw RetryAfter("429", 42s); }};
    flaky.define();

    EXPECT_EQ(b.start().submit<int>("flaky").result(), 2);

    EXPECT_EQ(flaky.waits(), std::vector<Duration>{42s});
}

TEST(Retry, a_long_delay_gives_up_the_lease_and_a_short_one_keeps_it) {
    for (const bool is_long : {true, false}) {
        Bench b;
        Flaky flaky{b, {.retry = {.first_delay = is_long ? Duration{1h} : Duration{2s}}}, 1};
        flaky.define();
        bool waited = false;

        const auto run = b.start().submit<int>("flaky", {.id = "july"});
        b.run_until([&] {
            waited = waited || b.run("july").status == RunStatus::Waiting;
            return b.run("july").status == RunStatus::Succeeded;
        });

        EXPECT_EQ(waited, is_long);
        EXPECT_EQ(run.result(), 2);
        EXPECT_EQ(b.history("july"), "1 flaky succeeded");
    }
}

TEST(Retry, attempts_and_delay_go_on_after_a_crash) {
    for (const auto seed : kSeeds) {
        for (const Duration delay : {Duration{2s}, Duration{1h}}) {
            SCOPED_TRACE(seed);
            Bench b(seed);
            Flaky flaky{b,
                        {.retry = {.attempts_max = 3,
                                   .first_delay = delay,
                                   .factor = 1,
                                   .longest_delay = 2h,
                                   .jitter = 0}},
                        99};
            flaky.define();

            b.start().submit<int>("flaky", {.id = "july"});
            for (std::size_t died = 1; died <= 2; ++died) {
                ASSERT_TRUE(b.run_until([&] {
                    return flaky.ran.size() == died &&
                           b.stage("july", "1").status == StageStatus::Retrying &&
                           b.stage("july", "1").attempt == static_cast<int>(died);
                }));
                b.restart();
            }
            ASSERT_TRUE(b.run_until("july", RunStatus::Failed));

            EXPECT_EQ(flaky.ran.size(), 3u);
            EXPECT_EQ(flaky.waits(), (std::vector<Duration>{delay, delay}));
            EXPECT_EQ(b.attempts("july").size(), 3u);
        }
    }
}

TEST(Retry, a_workflow_may_catch_the_failure_and_go_on_another_way_also_after_a_crash) {
    for (const auto seed : kSeeds) {
        SCOPED_TRACE(seed);
        Bench b(seed);
        int tried = 0;
        std::vector<std::string> caught;
        b.define = [&](Engine& engine) {
            engine.define("either", [&](Context& ctx) -> Task<std::string> {
                bool failed = false;
                try {
                    co_await ctx.step("fast", [&] {
                        ++tried;
                        throw NonRetryable("no");
                    });
                } catch (const StepFailed& error) {
                    caught.push_back(std::string(error.what()) + error.stage() + error.path());
                    failed = true;
                }
                if (failed) co_await ctx.step("slow", [&] { ++tried; });
                co_await ctx.sleep(1h);
                co_return failed ? "slow" : "fast";
            });
        };

        b.start().submit<std::string>("either", {.id = "july"});
        ASSERT_TRUE(b.run_until("july", RunStatus::Waiting));
        const auto result = b.restart().find<std::string>("july").result();

        EXPECT_EQ(result, "slow");
        EXPECT_EQ(tried, 2);
        ASSERT_EQ(caught.size(), 2u);
        EXPECT_EQ(caught[0], caught[1]);
    }
}

TEST(Retry, an_exception_that_is_no_std_exception_is_a_failure_too) {
    Bench b;
    Flaky flaky{b, {.retry = {.attempts_max = 2}}, 99, [] { throw 42; }};
    flaky.define();

    EXPECT_EQ(code_of([&] { b.start().submit<int>("flaky", {.id = "july"}).result(); }),
              ErrorCode::RunFailed);
    EXPECT_EQ(b.attempts("july").size(), 2u);
}

TEST(Retry, the_fresh_attempts_of_a_retried_run_are_not_lost_in_a_crash) {
    Bench b;
    b.define = [&](Engine& engine) {
        engine.define("wf", [&](Context& ctx) -> Task<int> {
            const StepOptions three{
                .retry = {.attempts_max = 3, .first_delay = std::chrono::seconds(1)}};
            co_return co_await ctx.step("flaky", three, [&](Attempt& attempt) {
                if (attempt.number() < 6) throw std::runtime_error("not yet");
                return attempt.number();
            });
        });
    };
    const auto first = b.start().submit<int>("wf", {.id = "july"});
    EXPECT_EQ(code_of([&] { first.result(); }), ErrorCode::RunFailed);
    b.engine().retry("july");
    ASSERT_TRUE(b.run_until([&] {
        return b.stage("july", "1").status == StageStatus::Retrying &&
               b.stage("july", "1").attempt == 4;
    }));

    EXPECT_EQ(b.restart().find<int>("july").result(), 6);
}

}  // namespace
}  // namespace belay::engine
