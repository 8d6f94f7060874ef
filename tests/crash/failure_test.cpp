// failure_test.cpp — no failure is swallowed: each failed attempt is there to be read, by any process.
#include <stdexcept>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <belay/belay.hpp>

#include "core/library/host.hpp"
#include "support/temp_dir.hpp"

namespace belay::test {
namespace {

using namespace std::chrono_literals;

int print(const Attempt& attempt, int) {
    throw std::runtime_error(fmt::format("tray {} is empty", attempt.number()));
}
Task<int> report(Context& ctx, int n) {
    const StepOptions quick{.retry = {.attempts_max = 3, .first_delay = 1ms}};
    co_return co_await ctx.step("print", quick, print, n);
}

TEST(P7_no_failure_is_swallowed, every_failed_attempt_has_stage_number_message_and_time) {
    const TempDir dir;
    const auto before =
        std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
    {
        EngineOptions quiet;
        quiet.log_to_stderr = false;
        Engine engine{sqlite(dir.file("runs.db")), quiet};
        engine.define("report", report);
        engine.start();
        SubmitOptions options;
        options.id = "monthly";
        EXPECT_THROW(engine.submit<int>("report", 1, options).result(), Error);
    }
    const auto store = library::open_store(sqlite(dir.file("runs.db")), false);
    const auto run = store->find_run("monthly");
    ASSERT_TRUE(run.has_value());

    const auto attempts = store->attempts(run->no);
    ASSERT_EQ(attempts.size(), 3U);
    for (int n = 1; n <= 3; ++n) {
        const model::Attempt& attempt = attempts[static_cast<std::size_t>(n - 1)];
        EXPECT_EQ(attempt.path, "1");
        EXPECT_EQ(attempt.attempt, n);
        EXPECT_EQ(attempt.message, fmt::format("tray {} is empty", n));
        EXPECT_EQ(attempt.error_code, "StepFailed");
        EXPECT_FALSE(attempt.worker.empty());
        ASSERT_TRUE(attempt.started_at.has_value());
        EXPECT_GE(*attempt.started_at, before);
        EXPECT_GE(attempt.finished_at, *attempt.started_at);
    }
    const auto stages = store->stages(run->no);
    ASSERT_EQ(stages.size(), 1U);
    EXPECT_EQ(to_string(stages[0].status), "failed");
    EXPECT_EQ(stages[0].stage_key, "print");
    EXPECT_EQ(stages[0].message, "tray 3 is empty");
    EXPECT_EQ(to_string(run->status), "failed");
    ASSERT_TRUE(run->failure.has_value());
    EXPECT_EQ(run->failure->stage, "print");
    EXPECT_NE(run->failure->message.find("tray 3 is empty"), std::string::npos);
}

}  // namespace
}  // namespace belay::test
