// What happens to runs when the machine's clock is set back.
#include <unistd.h>

#include <filesystem>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <belay/belay.hpp>

#include "core/env/clock.hpp"
#include "core/library/host.hpp"

namespace belay::library {
namespace {

using namespace std::chrono_literals;

int doubled(int n) { return 2 * n; }
Task<int> twice(Context& ctx, int n) { co_return co_await ctx.step("double", doubled, n); }

TEST(ClockSetBack, a_run_that_was_submitted_before_is_due_after_a_restart) {
    const auto folder =
        std::filesystem::path(::testing::TempDir()) / fmt::format("belay-clock-{}", ::getpid());
    std::filesystem::create_directories(folder);
    const std::string file = (folder / "runs.db").string();
    EngineOptions quiet;
    quiet.log_to_stderr = false;
    {
        env::OffsetClock ahead{2h};
        Engine engine(make_core(sqlite(file), quiet, &ahead));
        engine.define("TWICE", twice);
        engine.submit<int>("TWICE", 21, {.id = "july"});  // nobody has started: it stays queued
    }

    Engine engine(sqlite(file), quiet);
    engine.define("TWICE", twice);
    engine.start();

    EXPECT_EQ(engine.find<int>("july").result(), 42);  // not in two hours
    engine.stop();
    std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace belay::library
