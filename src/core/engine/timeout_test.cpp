// Attempts that take too long: left behind if they own what they need, waited for if not (rule 4).
//
// A step that blocks drives the simulation meanwhile, as the other threads would go on.
#include <gtest/gtest.h>

#include "core/engine/engine_bench.hpp"

namespace belay::engine {
namespace {

using namespace std::chrono_literals;

// What a function without a closure reaches: a step that may be left behind has no other way.
Bench* g_bench = nullptr;
int g_calls = 0;
int g_first_returns_at =
    0;  // the first attempt returns when that many have begun, or by itself if zero
bool g_first_returned = false;
std::int64_t g_most_abandoned = 0;

int blocks_at_first(Attempt& attempt) {
    ++g_calls;
    if (attempt.number() == 1 && g_first_returns_at > 0) {
        g_bench->run_until([] {
            g_most_abandoned = std::max(g_most_abandoned, g_bench->counters().abandoned_now.load());
            return g_calls >= g_first_returns_at;
        });
        g_first_returned = true;
        EXPECT_TRUE(attempt.stop_token().stop_requested());
    }
    return attempt.number();
}

class Timeout : public testing::TestWithParam<std::uint64_t> {
protected:
    void SetUp() override {
        g_bench = &b;
        g_calls = 0;
        g_first_returns_at = 0;
        g_first_returned = false;
        g_most_abandoned = 0;
    }
    Bench b{GetParam()};
};

TEST_P(Timeout, an_attempt_that_owns_its_arguments_is_left_behind_and_its_late_result_refused) {
    g_first_returns_at = 2;
    b.define = [](Engine& engine) {
        engine.define("wf", [](Context& ctx) -> Task<int> {
            const StepOptions hasty{.retry = {.first_delay = 1s, .jitter = 0}, .timeout = 10s};
            co_return co_await ctx.step("ask", hasty, blocks_at_first);
        });
    };
    const Time begun = b.sim.clock().now();

    EXPECT_EQ(b.start().submit<int>("wf", {.id = "july"}).result(), 2);
    while (b.sim.run_one()) {
    }

    EXPECT_TRUE(g_first_returned);
    EXPECT_EQ(b.stage("july", "1").output, "2");
    EXPECT_EQ(b.stage("july", "1").finished_at, begun + 11s);
    EXPECT_EQ(b.attempts("july").at(0).error_code, "StepTimeout");
    EXPECT_EQ(b.counters().late_results.load(), 1);
    EXPECT_EQ(g_most_abandoned, 1);
    EXPECT_EQ(b.counters().abandoned_now.load(), 0);
}

TEST_P(Timeout, the_last_attempt_fails_the_step_with_its_own_code) {
    g_first_returns_at = 99;
    b.define = [](Engine& engine) {
        engine.define("wf", [](Context& ctx) -> Task<std::string> {
            const StepOptions once{.retry = {.attempts_max = 1}, .timeout = 10s};
            try {
                co_await ctx.step("ask", once, blocks_at_first);
            } catch (const StepFailed& error) {
                co_return std::string(to_string(error.code()));
            }
            co_return "";
        });
    };

    EXPECT_EQ(b.start().submit<std::string>("wf").result(), "StepTimeout");
}

TEST_P(Timeout, a_closure_is_asked_to_stop_and_waited_for) {
    int calls = 0;
    int inside = 0;
    Time asked{};
    b.define = [&](Engine& engine) {
        engine.define("wf", [&](Context& ctx) -> Task<int> {
            int local = 7;
            const StepOptions hasty{.retry = {.first_delay = 1s, .jitter = 0}, .timeout = 10s};
            co_return co_await ctx.step("ask", hasty, [&](Attempt& attempt) {
                ++calls;
                EXPECT_EQ(++inside, 1) << "one attempt at a time";
                if (attempt.number() == 1) {
                    b.run_until([&] { return attempt.stop_token().stop_requested(); });
                    asked = b.sim.clock().now();
                    b.run_until([&] { return b.sim.clock().now() >= asked + 1s; });
                }
                --inside;
                return local + attempt.number();
            });
        });
    };
    const Time begun = b.sim.clock().now();

    b.start();
    // Moves the time on while the step ignores that it was asked.
    b.executor().post_at(begun + 12s, env::Lane::Pool, [] {});
    EXPECT_EQ(b.engine().submit<int>("wf", {.id = "july"}).result(), 9);

    EXPECT_EQ(calls, 2);
    EXPECT_EQ(asked, begun + 10s);
    EXPECT_EQ(b.attempts("july").at(0).error_code, "StepTimeout");
    EXPECT_TRUE(b.has_logged("step_overdue"));
    EXPECT_EQ(b.counters().late_results.load(), 0);
}

// ---- steps whose answer another run may have worked out: the look for it is part of the attempt

Task<int> cached(Context& ctx) {
    const StepOptions hasty{.retry = {.first_delay = 1s, .jitter = 0},
                            .timeout = 10s,
                            .cache = {.key = "same", .keep_for = 1h}};
    co_return co_await ctx.step("ask", hasty, blocks_at_first);
}

TEST_P(Timeout, holds_for_a_cached_step_that_is_looked_at_while_it_looks_for_its_answer) {
    g_first_returns_at = 2;
    b.define = [](Engine& engine) { engine.define("wf", cached); };
    const Time begun = b.sim.clock().now();
    b.start();
    b.faults().before_find_cached = [&] {
        // Who is to be watched is looked at 5 ms after the start.
        b.executor().post_at(begun + 20ms, env::Lane::Pool, [] {});
        b.run_until([&] { return b.sim.clock().now() >= begun + 20ms; });
    };

    EXPECT_EQ(b.engine().submit<int>("wf", {.id = "july"}).result(), 2);

    ASSERT_EQ(b.attempts("july").size(), 1U);
    EXPECT_EQ(b.attempts("july").at(0).error_code, "StepTimeout");
    EXPECT_EQ(b.stage("july", "1").finished_at, begun + 11s);
}

TEST_P(Timeout, is_over_while_a_cached_step_looks_for_its_answer_and_its_function_never_begins) {
    b.define = [](Engine& engine) { engine.define("wf", cached); };
    const Time begun = b.sim.clock().now();
    b.start();
    int looks = 0;
    b.faults().before_find_cached = [&] {
        if (++looks == 1) b.run_until([&] { return looks == 2; });
    };

    EXPECT_EQ(b.engine().submit<int>("wf", {.id = "july"}).result(), 2);
    while (b.sim.run_one()) {
    }

    EXPECT_EQ(g_calls, 1);
    EXPECT_EQ(b.stage("july", "1").finished_at, begun + 11s);
    EXPECT_EQ(b.counters().late_results.load(), 1);
    EXPECT_EQ(b.counters().abandoned_now.load(), 0);
}

TEST_P(Timeout, an_answer_that_comes_too_late_from_the_cache_is_refused) {
    b.define = [](Engine& engine) { engine.define("wf", cached); };
    b.start();
    EXPECT_EQ(b.engine().submit<int>("wf", {.id = "first"}).result(), 1);
    int looks = 0;
    b.faults().before_find_cached = [&] {
        if (++looks == 1) b.run_until([&] { return looks == 2; });
    };

    EXPECT_EQ(b.engine().submit<int>("wf", {.id = "july"}).result(), 1);
    while (b.sim.run_one()) {
    }

    EXPECT_EQ(g_calls, 1);
    EXPECT_EQ(b.stage("july", "1").message, "answered from the cache");
    EXPECT_EQ(b.attempts("july").at(0).error_code, "StepTimeout");
    EXPECT_EQ(b.counters().late_results.load(), 1);
}

TEST_P(Timeout, there_is_a_default_and_zero_means_none) {
    for (const bool has_default : {true, false}) {
        SetUp();
        g_first_returns_at = has_default ? 2 : 0;
        b.define = [has_default](Engine& engine) {
            engine.define("wf", [has_default](Context& ctx) -> Task<int> {
                const StepOptions options =
                    has_default ? StepOptions{} : StepOptions{.timeout = 0ms};
                co_return co_await ctx.step("ask", options, [](Attempt& attempt) {
                    if (g_first_returns_at == 0) {
                        const Time until = g_bench->sim.clock().now() + 24h;
                        g_bench->executor().post_at(until, env::Lane::Pool, [] {});
                        g_bench->run_until([&] { return g_bench->sim.clock().now() >= until; });
                    }
                    return blocks_at_first(attempt);
                });
            });
        };
        const Time begun = b.sim.clock().now();

        EXPECT_EQ(b.start().submit<int>("wf").result(), has_default ? 2 : 1);

        if (has_default) {
            EXPECT_GE(b.sim.clock().now(), begun + 5min);
            EXPECT_LE(b.sim.clock().now(), begun + 6min);
        } else {
            EXPECT_EQ(b.sim.clock().now(), begun + 24h);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, Timeout, testing::ValuesIn(kSeeds));

}  // namespace
}  // namespace belay::engine
