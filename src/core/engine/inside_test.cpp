// Calls of an engine from inside its own work, which would wait for themselves.
#include "core/engine/inside.hpp"

#include <gtest/gtest.h>

#include "core/engine/engine_bench.hpp"

namespace belay::engine {
namespace {

TEST(Inside, workflow_code_that_asks_its_own_engine_is_told_to_use_a_step) {
    Bench b;
    b.define = [&](Engine& engine) {
        engine.define("wf", [&](Context& ctx) -> Task<> {
            co_await ctx.step("a", [] {});
            engine.submit<void>("wf", {.id = "another"});
        });
    };
    const auto run = b.start().submit<void>("wf", {.id = "july"});

    const std::string why = message_of([&] { run.result(); });

    EXPECT_NE(why.find("Engine::submit"), std::string::npos) << why;
    EXPECT_NE(why.find("co_await ctx.start"), std::string::npos) << why;
    EXPECT_NE(why.find("into a step"), std::string::npos) << why;
    EXPECT_EQ(b.run("july").failure->code, "InvalidArgument");
}

TEST(Inside, so_is_what_a_timer_woke) {
    Bench b;
    b.define = [&](Engine& engine) {
        engine.define("wf", [&](Context& ctx) -> Task<> {
            const StepOptions soon{.retry = {.first_delay = std::chrono::milliseconds(10)}};
            co_await ctx.step("a", soon, [](Attempt& attempt) {
                if (attempt.number() == 1) throw std::runtime_error("not yet");
            });
            engine.cancel("july");
        });
    };
    const auto run = b.start().submit<void>("wf", {.id = "july"});

    EXPECT_NE(message_of([&] { run.result(); }).find("Engine::cancel"), std::string::npos);
}

TEST(Inside, a_body_is_told_to_use_tx_submit) {
    Bench b;
    b.define = [&](Engine& engine) {
        engine.define("wf", [&](Context& ctx) -> Task<> {
            co_await ctx.transaction("save",
                                     [&](Tx&) { engine.submit<void>("wf", {.id = "another"}); });
        });
        engine.define("hooked", [](Context&) -> Task<> { co_return; },
                      {.on_start = [&](Tx&, const RunInfo&) { engine.resume("july"); }});
    };
    auto& engine = b.start();
    const auto run = engine.submit<void>("wf", {.id = "july"});
    const auto hooked = engine.submit<void>("hooked");

    EXPECT_NE(message_of([&] { run.result(); }).find("Tx::submit"), std::string::npos);
    EXPECT_NE(message_of([&] { hooked.result(); }).find("inside a transaction body"),
              std::string::npos);
}

TEST(Inside, another_engine_may_be_asked_and_after_it_everything_may_be) {
    const int one = 0;
    const int other = 0;
    {
        const Inside inside{&one, Inside::Where::Body};
        EXPECT_NO_THROW(Inside::refuse(&other, "Engine::submit"));
        const Inside deeper{&other, Inside::Where::Workflow};
        EXPECT_THROW(Inside::refuse(&one, "Engine::submit"), Error);
    }
    EXPECT_NO_THROW(Inside::refuse(&one, "Engine::submit"));
}

}  // namespace
}  // namespace belay::engine
