// ctx.patch: changed code under runs that began with the old one.
#include <gtest/gtest.h>

#include "core/engine/engine_bench.hpp"

namespace belay::engine {
namespace {

using namespace std::chrono_literals;

int one() { return 1; }

Task<std::string> old_code(Context& ctx) {
    co_await ctx.step("first", one);
    co_await ctx.step("second", one);
    co_await ctx.sleep(1h);
    co_return "old";
}

Task<std::string> new_code(Context& ctx) {
    co_await ctx.step("first", one);
    const bool patched = ctx.patch("vat");
    if (patched) {
        co_await ctx.step("new second", one);
    } else {
        co_await ctx.step("second", one);
    }
    co_await ctx.sleep(1h);
    const bool twice = ctx.patch("vat 2");
    co_return std::string(patched ? "new" : "old") + (twice ? " 2" : "");
}

void use(Bench& b, Task<std::string> (*code)(Context&)) {
    b.define = [code](Engine& engine) { engine.define("tax", code); };
}

TEST(Patch, a_new_run_takes_the_new_way_and_stays_on_it) {
    for (const auto seed : kSeeds) {
        SCOPED_TRACE(seed);
        Bench b(seed);
        use(b, new_code);
        b.start().submit<std::string>("tax", {.id = "july"});
        ASSERT_TRUE(b.run_until("july", RunStatus::Waiting));

        EXPECT_EQ(b.restart().find<std::string>("july").result(), "new 2");
        EXPECT_EQ(b.stage("july", "patch:vat").status, StageStatus::Succeeded);
    }
}

TEST(Patch, a_run_that_passed_the_point_stays_on_the_old_way) {
    Bench b;
    use(b, old_code);
    b.start().submit<std::string>("tax", {.id = "july"});
    ASSERT_TRUE(b.run_until("july", RunStatus::Waiting));

    use(b, new_code);
    b.restart();
    ASSERT_TRUE(b.run_until([&] { return b.counters().steps_replayed.load() >= 2; }));
    b.restart();

    EXPECT_EQ(b.engine().find<std::string>("july").result(), "old 2");
    EXPECT_EQ(b.stage("july", "patch:vat").path, "");
}

TEST(Patch, a_run_that_stood_exactly_before_the_point_takes_the_new_way) {
    Bench b;
    use(b, old_code);
    auto& engine = b.start();
    b.faults().after_commit = [&](std::int64_t, const store::Batch&) {
        if (b.stages("july").size() == 1 && b.stage("july", "1").status == StageStatus::Succeeded)
            b.executor().kill();
    };
    EXPECT_EQ(code_of([&] { engine.submit<std::string>("tax", {.id = "july"}).result(); }),
              ErrorCode::Stopped);
    ASSERT_EQ(b.history("july"), "1 first succeeded");

    use(b, new_code);

    EXPECT_EQ(b.restart().find<std::string>("july").result(), "new 2");
}

TEST(Patch, in_a_loop_what_was_said_first_holds_for_the_whole_run) {
    Bench b;
    const auto loop = [](bool patched) {
        return [patched](Engine& engine) {
            engine.define("loop", [patched](Context& ctx) -> Task<std::string> {
                std::string way;
                for (int i = 0; i < 3; ++i) {
                    const bool is_new = patched && ctx.patch("new");
                    way += is_new ? "n" : "o";
                    co_await ctx.step(is_new ? "new" : "old", one);
                    co_await ctx.sleep(1h);
                }
                co_return way;
            });
        };
    };
    b.define = loop(false);
    b.start().submit<std::string>("loop", {.id = "july"});
    ASSERT_TRUE(b.run_until("july", RunStatus::Waiting));

    b.define = loop(true);
    b.restart();
    ASSERT_TRUE(b.run_until([&] { return b.stages("july").size() >= 5; }));

    EXPECT_EQ(b.restart().find<std::string>("july").result(), "ooo");
}

TEST(Patch, works_inside_a_scope) {
    Bench b;
    b.define = [](Engine& engine) {
        engine.define("scoped", [](Context& ctx) -> Task<std::string> {
            co_return co_await ctx.scope("group", [](Context& inner) -> Task<std::string> {
                const bool is_new = inner.patch("inner");
                co_await inner.step(is_new ? "new" : "old", one);
                co_await inner.sleep(1h);
                co_return is_new ? "new" : "old";
            });
        });
    };
    b.start().submit<std::string>("scoped", {.id = "july"});
    ASSERT_TRUE(b.run_until("july", RunStatus::Waiting));

    EXPECT_EQ(b.restart().find<std::string>("july").result(), "new");
}

}  // namespace
}  // namespace belay::engine
