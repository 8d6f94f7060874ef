// One id, one run (P3), and what a caller hears of it.
#include <gtest/gtest.h>

#include "core/base/limits.hpp"
#include "core/engine/engine_bench.hpp"

namespace belay::engine {
namespace {

using namespace std::chrono_literals;

// "wf" sleeps an hour and gives its input, or fails while `broken`.
struct Wf {
    explicit Wf(Bench& b) {
        b.define = [this](Engine& engine) {
            engine.define("wf", [this](Context& ctx, int n) -> Task<int> {
                co_await ctx.step("before", [&] { ++before; });
                co_await ctx.sleep(1h);
                const StepOptions once{.retry = {.attempts_max = 1}};
                co_return co_await ctx.step("work", once, [&] {
                    ++worked;
                    if (broken) throw std::runtime_error("broken");
                    return n;
                });
            });
            engine.define("other", [](Context& ctx, int n) -> Task<int> {
                co_return co_await ctx.step("x", [&] { return n; });
            });
        };
    }
    bool broken = false;
    int before = 0;
    int worked = 0;
};

TEST(Submit, the_same_id_again_joins_the_run_and_after_success_gives_its_result) {
    for (const auto seed : kSeeds) {
        SCOPED_TRACE(seed);
        Bench b(seed);
        Wf wf(b);
        auto& engine = b.start();

        const auto first = engine.submit<int>("wf", 7, {.id = "july"});
        const auto second = engine.submit<int>("wf", 7, {.id = "july"});
        EXPECT_EQ(first.result(), 7);
        EXPECT_EQ(second.result(), 7);
        const auto third = engine.submit<int>("wf", 7, {.id = "july", .retry = true});

        EXPECT_EQ(third.result(), 7);
        EXPECT_EQ(wf.worked, 1);
        EXPECT_EQ(b.reader.count_runs().succeeded, 1);
    }
}

TEST(Submit, another_input_or_another_workflow_is_an_error) {
    Bench b;
    Wf wf(b);
    auto& engine = b.start();
    engine.submit<int>("wf", 7, {.id = "july"});

    EXPECT_EQ(code_of([&] { engine.submit<int>("wf", 8, {.id = "july"}); }),
              ErrorCode::InputMismatch);
    EXPECT_EQ(code_of([&] { engine.submit<int>("other", 7, {.id = "july"}); }),
              ErrorCode::InputMismatch);
    EXPECT_EQ(engine.find<int>("july").result(), 7);
    EXPECT_EQ(code_of([&] { engine.submit<int>("wf", 8, {.id = "july", .retry = true}); }),
              ErrorCode::InputMismatch);
}

TEST(Submit, after_a_failure_gives_the_failure_unless_a_retry_is_asked_for) {
    for (const auto seed : kSeeds) {
        SCOPED_TRACE(seed);
        Bench b(seed);
        Wf wf(b);
        wf.broken = true;
        auto& engine = b.start();
        EXPECT_EQ(code_of([&] { engine.submit<int>("wf", 7, {.id = "july"}).result(); }),
                  ErrorCode::RunFailed);
        wf.broken = false;

        EXPECT_NE(message_of([&] {
                      engine.submit<int>("wf", 7, {.id = "july"}).result();
                  }).find("broken"),
                  std::string::npos);
        EXPECT_EQ(wf.worked, 1);
        EXPECT_EQ(engine.submit<int>("wf", 7, {.id = "july", .retry = true}).result(), 7);

        EXPECT_EQ(wf.worked, 2);
        EXPECT_EQ(wf.before, 1);
        EXPECT_EQ(b.run("july").attempts, 2);
    }
}

TEST(Submit, of_a_canceled_run_gives_the_cancel_unless_a_retry_is_asked_for) {
    Bench b;
    Wf wf(b);
    auto& engine = b.start();
    const auto run = engine.submit<int>("wf", 7, {.id = "july"});
    ASSERT_TRUE(b.run_until("july", RunStatus::Waiting));
    engine.cancel("july", "enough");

    EXPECT_NE(message_of([&] { run.result(); }).find("enough"), std::string::npos);
    EXPECT_EQ(code_of([&] { engine.submit<int>("wf", 7, {.id = "july"}).result(); }),
              ErrorCode::RunCanceled);
    EXPECT_EQ(engine.submit<int>("wf", 7, {.id = "july", .retry = true}).result(), 7);
}

TEST(Submit, of_a_paused_run_says_that_it_is_paused) {
    Bench b;
    Wf wf(b);
    auto& engine = b.start();
    engine.submit<int>("wf", 7, {.id = "july"});
    ASSERT_TRUE(b.run_until("july", RunStatus::Waiting));
    engine.pause("july", "audit");

    EXPECT_NE(
        message_of([&] { engine.submit<int>("wf", 7, {.id = "july"}).result(); }).find("audit"),
        std::string::npos);
    engine.resume("july");
    EXPECT_EQ(engine.find<int>("july").result(), 7);
}

TEST(Submit, many_at_once_get_an_id_each_and_run) {
    for (const auto seed : kSeeds) {
        Bench b(seed);
        Wf wf(b);
        std::vector<int> inputs;
        for (int i = 0; i < 100; ++i) inputs.push_back(i);

        const auto runs = b.start().submit_many<int>("wf", inputs);

        std::set<std::string> ids;
        for (int i = 0; i < 100; ++i) {
            ids.insert(runs[static_cast<std::size_t>(i)].id());
            EXPECT_EQ(runs[static_cast<std::size_t>(i)].result(), i);
        }
        EXPECT_EQ(ids.size(), 100u);
        EXPECT_TRUE(b.engine().submit_many<int>("wf", std::vector<int>{}).empty());
    }
}

TEST(Submit, what_can_never_work_is_told_at_once) {
    Bench b;
    Wf wf(b);
    auto& engine = b.start();

    EXPECT_EQ(code_of([&] { engine.submit<int>("nope", 1); }), ErrorCode::UnknownWorkflow);
    EXPECT_NE(message_of([&] { engine.submit<int>("nope", 1); }).find("other, wf"),
              std::string::npos);
    const std::string longest(base::kRunIdCharsMax, 'x');
    EXPECT_EQ(code_of([&] { engine.submit<int>("wf", 1, {.id = longest + "x"}); }),
              ErrorCode::InvalidArgument);
    EXPECT_EQ(engine.submit<int>("wf", 1, {.id = longest}).id(), longest);
    EXPECT_NE(message_of([&] {
                  engine.submit<int>("wf", 1, {.id = "bad\nid"});
              }).find("control characters"),
              std::string::npos);
    EXPECT_EQ(code_of([&] { engine.submit<int>("wf", 1, {.id = "caf\xFF"}); }),
              ErrorCode::InvalidArgument);
    EXPECT_EQ(engine.submit<int>("wf", 1, {.id = "a name/€"}).id(), "a name/€");
    EXPECT_EQ(code_of([&] { engine.submit<int>("wf", std::string(base::kPayloadBytesMax, 'x')); }),
              ErrorCode::PayloadTooLarge);
    EXPECT_EQ(code_of([&] { engine.find("nope"); }), ErrorCode::NotFound);
    EXPECT_EQ(code_of([&] { engine.define("late", [](Context&) -> Task<> { co_return; }); }),
              ErrorCode::InvalidArgument);
}

// Engine::submit would refuse it: a body is believed.
Run<int> submit_unread(Engine& engine, const std::string& input) {
    return engine.find<int>(engine.transact([&](Tx& tx) { return tx.submit("wf", input); }));
}

TEST(Submit, an_input_that_does_not_fit_fails_the_run) {
    Bench b;
    Wf wf(b);

    const auto run = submit_unread(b.start(), "seven");

    EXPECT_EQ(code_of([&] { run.result(); }), ErrorCode::RunFailed);
    EXPECT_TRUE(b.run(run.id()).failure->message.starts_with("the input of wf: expected"))
        << b.run(run.id()).failure->message;
}

TEST(Submit, an_input_that_its_hooks_cannot_read_is_named_once) {
    Bench b;
    const Hook read = [](Tx&, const RunInfo& run) { from_json<int>(run.input); };
    b.define = [&](Engine& engine) {
        engine.define("wf", [](Context&, int n) -> Task<int> { co_return n; },
                      {.on_start = read, .on_end = read});
    };

    const auto run = submit_unread(b.start(), "seven");

    EXPECT_THROW(run.result(), Error);
    EXPECT_EQ(b.run(run.id()).failure->message,
              "the input of wf: expected an integer, found a string (its on_end hook failed the "
              "same way)");
}

TEST(Submit, before_the_start_waits_for_it_and_with_a_delay_for_its_time) {
    Bench b;
    Wf wf(b);
    auto& engine = b.open();
    const Time begun = b.sim.clock().now();

    const auto run = engine.submit<int>("other", 1, {.id = "july"});
    EXPECT_EQ(run.status(), RunStatus::Queued);
    engine.start();
    EXPECT_EQ(run.result(), 1);
    EXPECT_EQ(b.sim.clock().now(), begun);
    EXPECT_EQ(engine.submit<int>("other", 1, {.id = "later", .delay = 2h}).result(), 1);

    EXPECT_EQ(b.sim.clock().now(), begun + 2h);
    EXPECT_EQ(b.run("later").started_at, begun + 2h);
}

TEST(Submit, after_the_stop_says_stopped_and_so_does_every_other_request) {
    Bench b;
    Wf wf(b);
    auto& engine = b.start();
    const auto run = engine.submit<int>("wf", 7, {.id = "july"});
    engine.stop();
    engine.stop();

    EXPECT_EQ(code_of([&] { engine.submit<int>("wf", 7); }), ErrorCode::Stopped);
    EXPECT_EQ(code_of([&] { run.result(); }), ErrorCode::Stopped);
    EXPECT_EQ(code_of([&] { engine.cancel("july"); }), ErrorCode::Stopped);
    EXPECT_NE(run.status(), RunStatus::Running);
}

TEST(Submit, waiting_for_a_while_tells_whether_the_run_has_ended) {
    Bench b;
    Wf wf(b);
    const auto run = b.start().submit<int>("wf", 7);

    EXPECT_FALSE(run.wait_for(10min));
    EXPECT_TRUE(run.wait_for(2h));
    EXPECT_TRUE(run.wait_for(0ms));
}

TEST(Submit, never_may_be_said_as_the_longest_time_there_is) {
    Bench b;
    b.define = [](Engine& engine) {
        engine.define("sleepy",
                      [](Context& ctx) -> Task<> { co_await ctx.sleep(Duration::max()); });
        engine.define("patient", [](Context& ctx) -> Task<int> {
            const StepOptions forever{.timeout = Duration::max()};
            co_return co_await ctx.step("a", forever, [] { return 1; });
        });
    };
    auto& engine = b.start();
    engine.submit<void>("sleepy", {.id = "sleepy"});
    engine.submit<int>("patient", {.id = "never", .delay = Duration::max()});

    EXPECT_EQ(engine.submit<int>("patient", {.id = "now"}).result(), 1);
    EXPECT_TRUE(engine.find<int>("now").wait_for(Duration::max()));
    ASSERT_TRUE(b.run_until("sleepy", RunStatus::Waiting));
    EXPECT_GT(*b.run("sleepy").wake_at, b.sim.clock().now() + std::chrono::hours(24 * 365 * 100));
    EXPECT_EQ(b.run("never").status, RunStatus::Queued);
}

TEST(Submit, a_handle_that_outlives_its_engine_says_stopped_and_holds_nothing) {
    Bench b;
    Wf wf(b);
    const auto run = b.start().submit<int>("wf", 7, {.id = "july"});
    b.engine().stop();
    EXPECT_EQ(code_of([&] { run.status(); }), std::nullopt);

    b.close();

    EXPECT_EQ(code_of([&] { run.status(); }), ErrorCode::Stopped);
    EXPECT_EQ(code_of([&] { run.result(); }), ErrorCode::Stopped);
}

TEST(Submit, waiting_for_a_run_that_does_not_exist_leaves_nobody_waiting) {
    Bench b;
    Wf wf(b);
    b.start();
    const belay::Run<int> nobody{b.port(), "nobody"};

    EXPECT_EQ(code_of([&] { nobody.result(); }), ErrorCode::NotFound);
    EXPECT_EQ(b.core().callers_waiting(), 0u);
}

}  // namespace
}  // namespace belay::engine
