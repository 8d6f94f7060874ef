// attempt_trace_test.cpp — the trace that a step is given: its own attempt's, on whichever thread it goes on.
#include "core/engine/attempt_trace.hpp"

#include <gtest/gtest.h>

#include <belay/async.hpp>
#include <belay/trace.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "core/engine/engine_bench.hpp"
#include "core/store/trace_of.hpp"

namespace belay::engine {
namespace {

using namespace std::chrono_literals;

const std::string kTrace = "0af7651916cd43dd8448eb211c80319c";
const std::string kGiven = "00-" + kTrace + "-b7ad6b7169203331-01";

SubmitOptions traced(const std::string& id) {
    SubmitOptions options;
    options.id = id;
    options.labels = traced_by(kGiven, "vendor=1");
    return options;
}

std::string headers_of_attempt(Attempt& attempt) {
    return traceparent(attempt) + " " + tracestate(attempt) + " " + traceparent();
}

boost::asio::awaitable<std::string> headers_after_a_wait(Attempt& attempt) {
    boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor, 1ms);
    co_await timer.async_wait(boost::asio::use_awaitable);
    co_return traceparent(attempt) + " " + tracestate(attempt);
}

TEST(AttemptTrace, a_step_is_given_its_attempts_span_in_the_trace_of_its_run) {
    Bench b;
    b.define = [](Engine& engine) {
        engine.define("ask", [](Context& ctx) -> Task<std::string> {
            co_return co_await ctx.step("ask", headers_of_attempt);
        });
    };

    const auto said = b.start().submit<std::string>("ask", traced("july")).result();

    const std::string own =
        "00-" + kTrace + "-" + store::attempt_span(b.run("july"), "july/1:ask", 1) + "-01";
    EXPECT_EQ(said, own + " vendor=1 " + own);
}

TEST(AttemptTrace, an_async_step_asks_its_attempt_wherever_it_goes_on) {
    Bench b;
    b.define = [](Engine& engine) {
        engine.define("ask", [](Context& ctx) -> Task<std::string> {
            co_return co_await ctx.step("ask", headers_after_a_wait);
        });
    };

    const auto said = b.start().submit<std::string>("ask", traced("july")).result();

    EXPECT_EQ(said, "00-" + kTrace + "-" + store::attempt_span(b.run("july"), "july/1:ask", 1) +
                        "-01 vendor=1");
}

TEST(AttemptTrace, one_that_is_made_again_after_a_crash_has_the_same_span_and_the_next_another) {
    Bench b;
    std::vector<std::string> seen;
    bool dies = true;
    b.define = [&](Engine& engine) {
        engine.define("ask", [&](Context& ctx) -> Task<> {
            static const StepOptions twice{.retry = {.attempts_max = 2}};
            co_await ctx.step("ask", twice, [&] {
                seen.push_back(traceparent());
                if (std::exchange(dies, false)) b.die();
                if (seen.size() == 2) throw std::runtime_error("not yet");
            });
        });
    };
    b.start().submit<void>("ask", traced("july"));
    b.run_until([&] { return !seen.empty(); });

    b.restart().find<void>("july").result();

    ASSERT_EQ(seen.size(), 3U);
    EXPECT_EQ(seen[0], seen[1]);
    EXPECT_NE(seen[1], seen[2]);
    EXPECT_EQ(seen[2].substr(3, 32), kTrace);
}

TEST(AttemptTrace, a_child_passes_on_the_trace_of_its_parent) {
    Bench b;
    b.define = [](Engine& engine) {
        engine.define("child", [](Context& ctx) -> Task<std::string> {
            co_return co_await ctx.step("ask", [] { return traceparent(); });
        });
        engine.define("parent", [](Context& ctx) -> Task<std::string> {
            co_return co_await ctx.child<std::string>("child");
        });
    };

    const auto said = b.start().submit<std::string>("parent", traced("july")).result();

    EXPECT_EQ(said.substr(3, 32), kTrace);
}

TEST(AttemptTrace, where_nobody_traces_there_is_none) {
    Bench b;
    b.define = [](Engine& engine) {
        engine.define("ask", [](Context& ctx) -> Task<std::string> {
            co_return co_await ctx.step("ask", headers_of_attempt);
        });
    };

    EXPECT_EQ(b.start().submit<std::string>("ask", {.id = "july"}).result(), "  ");
    EXPECT_EQ(traceparent(), "");
}

}  // namespace
}  // namespace belay::engine
