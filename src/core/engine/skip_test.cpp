// skip_test.cpp — a stage that is said to be skipped: recorded with its reason, replayed, forgotten by a retry.
#include <belay/skip.hpp>

#include <gtest/gtest.h>

#include <belay/belay.hpp>

#include "core/engine/engine_bench.hpp"

namespace belay::engine {
namespace {

using namespace std::chrono_literals;

bool broken = true;

int read_it() {
    if (broken) throw NonRetryable("it is torn");
    return 1;
}
int add_it(int value) { return value + 1; }

// Fails as it must, but not before it has said what did not happen.
Task<int> paper(Context& ctx) {
    std::exception_ptr error;
    int read = 0;
    try {
        read = co_await ctx.step("read", read_it);
    } catch (const StepFailed&) {
        error = std::current_exception();
    }
    if (error) {
        co_await skip(ctx, "add", "`read` failed");
        co_await ctx.sleep(1h);
        std::rethrow_exception(error);
    }
    co_return co_await ctx.step("add", add_it, read);
}

void use(Bench& b) {
    b.define = [](Engine& engine) { engine.define("paper", paper); };
}

TEST(Skip, it_is_a_record_with_its_reason_and_survives_a_crash) {
    for (const auto seed : kSeeds) {
        SCOPED_TRACE(seed);
        broken = true;
        Bench b(seed);
        use(b);
        b.start().submit<int>("paper", {.id = "july"});
        ASSERT_TRUE(b.run_until("july", RunStatus::Waiting));
        EXPECT_EQ(b.stage("july", "2").status, StageStatus::Skipped);
        EXPECT_EQ(b.stage("july", "2").message, "`read` failed");

        b.restart();
        ASSERT_TRUE(b.run_until("july", RunStatus::Failed));

        EXPECT_EQ(b.stage("july", "2").status, StageStatus::Skipped);
        EXPECT_EQ(b.run("july").failure->stage, "read");
    }
}

TEST(Skip, a_retry_forgets_it_and_runs_the_stage) {
    broken = true;
    Bench b;
    use(b);
    b.start().submit<int>("paper", {.id = "july"});
    ASSERT_TRUE(b.run_until("july", RunStatus::Failed));

    broken = false;
    b.engine().retry("july");

    EXPECT_EQ(b.engine().find<int>("july").result(), 2);
    EXPECT_EQ(b.stage("july", "2").status, StageStatus::Succeeded);
}

}  // namespace
}  // namespace belay::engine
