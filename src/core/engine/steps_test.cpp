// Steps: what they return, what they are given, what is recorded of them.
#include "core/engine/steps.hpp"

#include <gtest/gtest.h>

#include <belay/async.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "core/base/limits.hpp"
#include "core/engine/engine_bench.hpp"

namespace belay::engine {
namespace {

using namespace std::chrono_literals;

struct Doc {
    std::string title;
    std::vector<int> pages;
    friend bool operator==(const Doc&, const Doc&) = default;
};
BOOST_DESCRIBE_STRUCT(Doc, (), (title, pages))

int add(int a, int b) { return a + b; }
Doc renamed(const Doc& doc, const std::string& title) { return {title, doc.pages}; }

TEST(Step, gives_what_its_function_returned_and_records_it) {
    Bench b;
    b.define = [](Engine& engine) {
        engine.define("sum", [](Context& ctx, int n) -> Task<int> {
            const int once = co_await ctx.step("add", add, n, 1);
            co_return co_await ctx.step("add again", add, once, 10);
        });
    };

    const int result = b.start().submit<int>("sum", 4, {.id = "july"}).result();

    EXPECT_EQ(result, 15);
    EXPECT_EQ(b.history("july"), "1 add succeeded, 2 add again succeeded");
    EXPECT_EQ(b.stage("july", "1").output, "5");
    EXPECT_EQ(b.run("july").status, RunStatus::Succeeded);
    EXPECT_EQ(b.run("july").result, "15");
}

TEST(Step, owns_its_arguments_and_takes_text_as_a_string) {
    Bench b;
    b.define = [](Engine& engine) {
        engine.define("rename", [](Context& ctx, Doc doc) -> Task<Doc> {
            std::string title = "new";
            auto step = ctx.step("rename", renamed, doc, title.c_str());
            title = "changed after the step was made";
            doc.pages.clear();
            co_return co_await std::move(step);
        });
    };

    const Doc result = b.start().submit<Doc>("rename", Doc{"old", {1, 2}}).result();

    EXPECT_EQ(result, (Doc{"new", {1, 2}}));
}

TEST(Step, that_returns_nothing_is_recorded_and_not_run_again) {
    for (const auto seed : kSeeds) {
        SCOPED_TRACE(seed);
        Bench b(seed);
        int calls = 0;
        b.define = [&](Engine& engine) {
            engine.define("touch", [&](Context& ctx) -> Task<> {
                co_await ctx.step("touch", [&] { ++calls; });
                co_await ctx.sleep(1h);
            });
        };

        b.start().submit<void>("touch", {.id = "july"});
        ASSERT_TRUE(b.run_until("july", RunStatus::Waiting));
        b.restart().find<void>("july").result();

        EXPECT_EQ(calls, 1);
        EXPECT_EQ(b.stage("july", "1").output, "null");
    }
}

TEST(Step, a_closure_may_refer_to_the_workflows_own_variables) {
    Bench b;
    b.define = [](Engine& engine) {
        engine.define("total", [](Context& ctx, std::vector<int> lines) -> Task<int> {
            int seen = 0;
            const int total = co_await ctx.step("total", [&] {
                int sum = 0;
                for (const int line : lines) sum += line;
                seen = static_cast<int>(lines.size());
                return sum;
            });
            co_return total * 100 + seen;
        });
    };

    EXPECT_EQ(b.start().submit<int>("total", std::vector{1, 2, 3}).result(), 603);
}

TEST(Step, tells_its_attempt_who_it_is_and_the_key_stays_the_same) {
    Bench b;
    std::vector<int> numbers;
    std::set<std::string> keys;
    b.define = [&](Engine& engine) {
        engine.define("ask", [&](Context& ctx) -> Task<std::string> {
            co_await ctx.step("before", add, 1, 1);
            const StepOptions patient{
                .retry = {.attempts_max = 4, .first_delay = 1h, .longest_delay = 5h}};
            co_return co_await ctx.step("ask", patient, [&](Attempt& attempt) {
                numbers.push_back(attempt.number());
                keys.insert(attempt.idempotency_key());
                EXPECT_EQ(attempt.run_id(), "july");
                EXPECT_EQ(attempt.stage(), "ask");
                EXPECT_TRUE(attempt.stop_token().stop_possible());
                EXPECT_FALSE(attempt.stop_token().stop_requested());
                if (attempt.number() < 3) throw std::runtime_error("busy");
                return std::string("done");
            });
        });
    };

    b.start().submit<std::string>("ask", {.id = "july"});
    ASSERT_TRUE(b.run_until([&] { return numbers.size() == 1; }));
    ASSERT_TRUE(b.run_until("july", RunStatus::Waiting));
    const auto result = b.restart().find<std::string>("july").result();

    EXPECT_EQ(result, "done");
    EXPECT_EQ(numbers, (std::vector{1, 2, 3}));
    EXPECT_EQ(keys.size(), 1u);
}

TEST(Step, progress_is_durable_with_the_next_checkpoint) {
    Bench b;
    b.define = [](Engine& engine) {
        engine.define("pages", [](Context& ctx) -> Task<> {
            co_await ctx.step("page", [](Attempt& attempt) { attempt.progress(3, 10, "page 3"); });
            co_await ctx.sleep(1h);
            ctx.progress(10, 10);
        });
    };

    b.start().submit<void>("pages", {.id = "july"});
    ASSERT_TRUE(b.run_until("july", RunStatus::Waiting));

    EXPECT_EQ(b.run("july").progress, (model::Progress{3, 10, "page 3"}));
    b.engine().find<void>("july").result();
    EXPECT_EQ(b.run("july").progress, (model::Progress{10, 10, ""}));
}

TEST(Step, a_result_above_the_limit_fails_at_once_and_says_what_to_do) {
    Bench b;
    int calls = 0;
    b.define = [&](Engine& engine) {
        engine.define("big", [&](Context& ctx) -> Task<> {
            co_await ctx.step("big", [&] {
                ++calls;
                return std::string(base::kPayloadBytesMax, 'x');
            });
        });
    };

    const auto run = b.start().submit<void>("big", {.id = "july"});

    EXPECT_NE(message_of([&] { run.result(); }).find("Keep large data in a file"),
              std::string::npos);
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(b.attempts("july").at(0).error_code, "PayloadTooLarge");
}

TEST(Step, a_transactions_result_above_the_limit_fails_at_once_too) {
    Bench b;
    b.define = [](Engine& engine) {
        engine.define("big", [](Context& ctx) -> Task<> {
            co_await ctx.transaction("big",
                                     [](Tx&) { return std::string(base::kPayloadBytesMax, 'x'); });
        });
    };

    const auto run = b.start().submit<void>("big", {.id = "july"});

    EXPECT_EQ(code_of([&] { run.result(); }), ErrorCode::RunFailed);
    EXPECT_EQ(b.attempts("july").at(0).error_code, "PayloadTooLarge");
}

TEST(Step, an_empty_or_too_long_name_is_an_error_where_it_is_awaited_even_if_optional) {
    Bench b;
    b.define = [](Engine& engine) {
        engine.define("names", [](Context& ctx) -> Task<int> {
            int refused = 0;
            const std::string names[] = {"", std::string(base::kStepNameCharsMax + 1, 'n')};
            for (const std::string& name : names) {
                try {
                    co_await ctx.step(name, add, 1, 1).optional();
                } catch (const Error& error) {
                    if (error.code() == ErrorCode::InvalidArgument) ++refused;
                }
            }
            const std::string longest(base::kStepNameCharsMax, 'n');
            co_await ctx.step(longest, add, 1, 1);
            co_return refused;
        });
    };

    EXPECT_EQ(b.start().submit<int>("names", {.id = "july"}).result(), 2);
    EXPECT_EQ(b.stages("july").size(), 1u);
}

// ---- optional

TEST(OptionalStep, its_failure_is_recorded_and_is_no_exception) {
    for (const auto seed : kSeeds) {
        SCOPED_TRACE(seed);
        Bench b(seed);
        int calls = 0;
        b.define = [&](Engine& engine) {
            engine.define("maybe", [&](Context& ctx) -> Task<std::string> {
                const StepOptions once{.retry = {.attempts_max = 1}};
                const auto lost = co_await ctx
                                      .step("lost", once,
                                            [&]() -> int {
                                                ++calls;
                                                throw std::runtime_error("no luck");
                                            })
                                      .optional();
                const auto found = co_await ctx.step("found", add, 1, 2).optional();
                const bool lost_void = co_await ctx
                                           .step("lost void", once,
                                                 [&] {
                                                     ++calls;
                                                     throw std::runtime_error("no luck");
                                                 })
                                           .optional();
                const bool found_void =
                    co_await ctx.step("found void", [&] { ++calls; }).optional();
                co_await ctx.sleep(1h);
                co_return std::string(lost ? "lost " : "") + (found ? std::to_string(*found) : "") +
                    (lost_void ? " lost" : "") + (found_void ? " found" : "");
            });
        };

        b.start().submit<std::string>("maybe", {.id = "july"});
        ASSERT_TRUE(b.run_until("july", RunStatus::Waiting));
        const auto result = b.restart().find<std::string>("july").result();

        EXPECT_EQ(result, "3 found");
        EXPECT_EQ(calls, 3);
        EXPECT_EQ(b.stage("july", "1").status, StageStatus::Failed);
        EXPECT_EQ(b.stage("july", "1").message, "no luck");
    }
}

// ---- async

boost::asio::awaitable<int> doubled(const int& n) { co_return n * 2; }

boost::asio::awaitable<int> doubled_later(Attempt& attempt, int n) {
    boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor, 1ms);
    co_await timer.async_wait(boost::asio::use_awaitable);
    co_return n * 2 + attempt.number() - 1;
}

boost::asio::awaitable<void> fails_once(Attempt& attempt) {
    if (attempt.number() == 1) throw std::runtime_error("not yet");
    co_return;
}

boost::asio::awaitable<void> never_ends() {
    boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor,
                                    std::chrono::hours(24));
    co_await timer.async_wait(boost::asio::use_awaitable);
}

TEST(AsyncStep, gives_what_the_awaitable_gives_and_is_retried_when_it_throws) {
    for (const auto seed : kSeeds) {
        SCOPED_TRACE(seed);
        Bench b(seed);
        b.define = [](Engine& engine) {
            engine.define("async", [](Context& ctx) -> Task<int> {
                const int once = co_await ctx.step("doubled", doubled, 4);
                const int twice = co_await ctx.step("later", doubled_later, once);
                co_await ctx.step("fails once", fails_once);
                co_return twice;
            });
        };

        EXPECT_EQ(b.start().submit<int>("async", {.id = "july"}).result(), 16);
        EXPECT_EQ(b.stage("july", "3").attempt, 2);
        EXPECT_EQ(b.attempts("july").at(0).message, "not yet");
    }
}

TEST(AsyncStep, what_it_waits_for_is_canceled_at_its_timeout) {
    Bench b;
    b.define = [](Engine& engine) {
        engine.define("async", [](Context& ctx) -> Task<> {
            const StepOptions hasty{.retry = {.attempts_max = 1}, .timeout = 20ms};
            co_await ctx.step("never", hasty, never_ends);
        });
    };

    const auto run = b.start().submit<void>("async", {.id = "july"});

    EXPECT_NE(message_of([&] { run.result(); }).find("timeout"), std::string::npos);
    EXPECT_EQ(b.stage("july", "1").error_code, "StepTimeout");
}

TEST(AsyncStep, what_it_waits_for_is_canceled_with_its_run) {
    Bench b;
    b.define = [](Engine& engine) {
        engine.define("async",
                      [](Context& ctx) -> Task<> { co_await ctx.step("never", never_ends); });
    };
    const auto run = b.start().submit<void>("async", {.id = "july"});
    ASSERT_TRUE(b.run_until([&] { return b.stage("july", "1").status == StageStatus::Running; }));

    b.engine().cancel("july", "no longer wanted");

    EXPECT_EQ(code_of([&] { run.result(); }), ErrorCode::RunCanceled);
    EXPECT_EQ(b.history("july"), "1 never canceled");
}

TEST(AsyncStep, one_that_is_made_again_after_a_death_shows_its_true_attempt) {
    Bench b;
    b.define = [](Engine& engine) {
        engine.define("async", [](Context& ctx) -> Task<> {
            const StepOptions twice{.retry = {.attempts_max = 2}};
            co_await ctx.step("never", twice, never_ends);
        });
    };
    b.start().submit<void>("async", {.id = "july"});
    for (int attempt = 1; attempt <= 4; ++attempt) {
        ASSERT_TRUE(b.run_until([&] {
            const auto stages = b.stages("july");
            return !stages.empty() && stages.front().status == StageStatus::Running &&
                   stages.front().attempt == attempt;
        })) << attempt;
        // Those that died are no failures of the step: the policy has both of its attempts still.
        EXPECT_EQ(b.stage("july", "1").attempts_before, attempt - 1);
        b.restart();
    }
}

}  // namespace
}  // namespace belay::engine
