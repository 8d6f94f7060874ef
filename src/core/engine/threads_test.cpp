// The engine on real threads, where threads matter. No test sleeps: each waits for a condition, and moves
// the clock by hand until it holds.
#include <atomic>
#include <latch>
#include <thread>

#include <gtest/gtest.h>

#include <belay/async.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "core/base/limits.hpp"
#include "core/engine/engine_bench.hpp"
#include "core/env/threads.hpp"

namespace belay::engine {
namespace {

using namespace std::chrono_literals;

class Threads : public testing::Test {
protected:
    Engine& open(env::ThreadLimits limits = {.pool_max = 8, .io_threads = 2}) {
        executor = std::make_unique<env::ThreadExecutor>(clock, limits);
        auto faulty =
            std::make_unique<store::FaultStore>(std::make_unique<store::MemoryStore>(disk));
        faults = faulty.get();
        EngineOptions options;
        options.log_to_stderr = false;
        core = std::make_shared<Core>(Parts{std::move(faulty),
                                            {clock, random, *executor},
                                            options,
                                            [this](const LogEntry& entry) {
                                                const std::lock_guard lock(mutex);
                                                log += std::string(entry.event) + ": " +
                                                       std::string(entry.message) + "\n";
                                            },
                                            nullptr,
                                            {}});
        engine = std::make_unique<Engine>(core);
        return *engine;
    }
    void TearDown() override {
        engine.reset();
        core.reset();
        executor.reset();
    }
    // Moves the clock in small steps until `what` holds.
    void pass_time_until(const std::function<bool()>& what, Duration step = 20ms) {
        while (!what()) {
            clock.advance(step);
            std::this_thread::yield();
        }
    }
    std::string logged() {
        const std::lock_guard lock(mutex);
        return log;
    }
    RunStatus status(const std::string& id) { return reader.find_run(id)->status; }

    env::ManualClock clock;
    env::SystemRandom random;
    std::shared_ptr<store::MemoryDisk> disk = store::make_memory_disk();
    store::MemoryStore reader{disk, false};
    store::FaultStore* faults = nullptr;
    std::unique_ptr<env::ThreadExecutor> executor;
    std::shared_ptr<Core> core;
    std::unique_ptr<Engine> engine;
    std::mutex mutex;
    std::string log;
};

std::atomic<int> g_begun{0};
std::atomic<bool> g_release{false};

std::string held_at_first(Attempt& attempt, const std::string& text) {
    ++g_begun;
    if (attempt.number() == 1) g_release.wait(false);
    return text + std::to_string(attempt.number());
}

void hold(Attempt&) {
    ++g_begun;
    g_release.wait(false);
}

void release() {
    g_release = true;
    g_release.notify_all();
}

TEST_F(Threads, many_runs_of_many_steps_come_to_their_ends) {
    open();
    engine->define("wf", [](Context& ctx, int n) -> Task<int> {
        int sum = 0;
        for (int i = 0; i < 10; ++i) sum += co_await ctx.step("add", [&] { return n; });
        co_return sum;
    });
    engine->start();
    std::vector<int> inputs;
    for (int i = 0; i < 200; ++i) inputs.push_back(i);

    const auto runs = engine->submit_many<int>("wf", inputs);

    for (int i = 0; i < 200; ++i) EXPECT_EQ(runs[static_cast<std::size_t>(i)].result(), 10 * i);
}

TEST_F(Threads, an_attempt_is_retried_while_the_thread_it_left_behind_still_runs) {
    g_begun = 0;
    g_release = false;
    open();
    engine->define("wf", [](Context& ctx, std::string text) -> Task<std::string> {
        const StepOptions hasty{.retry = {.first_delay = 10ms}, .timeout = 1s};
        co_return co_await ctx.step("ask", hasty, held_at_first, text);
    });
    engine->start();
    std::vector<std::string> inputs;
    for (int i = 0; i < 4; ++i) inputs.push_back("run " + std::to_string(i) + " attempt ");

    const auto runs = engine->submit_many<std::string>("wf", inputs);
    pass_time_until([&] { return core->counters().runs_ended.load() == 4; });
    EXPECT_EQ(core->counters().abandoned_now.load(), 4);
    release();

    for (std::size_t i = 0; i < runs.size(); ++i) EXPECT_EQ(runs[i].result(), inputs[i] + "2");
    pass_time_until([&] { return core->counters().abandoned_now.load() == 0; });
    EXPECT_EQ(core->counters().late_results.load(), 4);
}

TEST_F(Threads, waiting_for_a_thread_is_not_the_steps_own_time) {
    g_begun = 0;
    g_release = false;
    open({.pool_max = 1, .io_threads = 1});
    engine->define("holds", [](Context& ctx) -> Task<> {
        const StepOptions patient{.timeout = 0ms};
        co_await ctx.step("hold", patient, hold);
    });
    engine->define("waits", [](Context& ctx) -> Task<int> {
        const StepOptions once{.retry = {.attempts_max = 1}, .timeout = 1s};
        co_return co_await ctx.step("quick", once, [] { return 1; });
    });
    engine->start();
    const auto holds = engine->submit<void>("holds");
    pass_time_until([&] { return g_begun == 1; });

    const auto waits = engine->submit<int>("waits", {.id = "july"});
    // Its note as running shows that it is being watched; then ten times its timeout passes.
    pass_time_until([&] { return !reader.stages(reader.find_run("july")->no).empty(); });
    const Time until = clock.now() + 10s;
    pass_time_until([&] { return clock.now() >= until; }, 200ms);
    release();

    EXPECT_EQ(waits.result(), 1);
    holds.result();
}

TEST_F(Threads, a_step_that_waits_for_a_thread_is_queued_and_starts_when_one_takes_it) {
    g_begun = 0;
    g_release = false;
    open({.pool_max = 1, .io_threads = 1});
    engine->define("holds", [](Context& ctx) -> Task<> {
        const StepOptions patient{.timeout = 0ms};
        co_await ctx.step("hold", patient, hold);
    });
    engine->start();
    const auto first = engine->submit<void>("holds", {.id = "may"});
    pass_time_until([&] { return g_begun == 1; });

    const auto second = engine->submit<void>("holds", {.id = "june"});
    const auto stage = [&](std::string_view id) -> std::optional<model::Stage> {
        const auto stages = reader.stages(reader.find_run(id)->no);
        if (stages.empty()) return std::nullopt;
        return stages[0];
    };
    // Also one that was looked at just before a thread took it is noted as running in the end.
    pass_time_until([&] {
        return stage("may") && stage("may")->status == StageStatus::Running && stage("june");
    });
    EXPECT_TRUE(stage("may")->started_at);
    EXPECT_EQ(stage("june")->status, StageStatus::Queued);
    EXPECT_FALSE(stage("june")->started_at);

    // Ten seconds in line are none of its own, also when all is over.
    const Time until = clock.now() + 10s;
    pass_time_until([&] { return clock.now() >= until; }, 200ms);
    release();
    first.result();
    second.result();
    EXPECT_GE(*stage("june")->started_at, until);
}

TEST_F(Threads, code_that_blocks_between_steps_is_named) {
    g_release = false;
    open();
    engine->define("blocker", [](Context& ctx) -> Task<> {
        g_release.wait(false);
        co_await ctx.step("a", [] {});
    });
    engine->start();
    std::thread caller([&] { engine->submit<void>("blocker", {.id = "july"}).result(); });

    pass_time_until([&] { return core->counters().loop_blocked.load() > 0; });
    release();
    caller.join();

    EXPECT_NE(logged().find("loop_blocked: workflow blocker (run `july`)"), std::string::npos);
}

TEST_F(Threads, a_step_that_does_not_end_in_time_is_left_behind_by_the_stop) {
    g_begun = 0;
    g_release = false;
    open();
    // No timeout: time is passed faster here than the stop may be heard of.
    engine->define("wf", [](Context& ctx) -> Task<> {
        co_await ctx.step("hold", StepOptions{.timeout = 0ms}, hold);
    });
    engine->start();
    engine->submit<void>("wf", {.id = "july"});
    pass_time_until([&] { return g_begun == 1; });

    std::thread stopper([&] { engine->stop(); });
    pass_time_until([&] { return status("july") == RunStatus::Queued; }, 500ms);
    release();
    stopper.join();

    EXPECT_NE(logged().find("step_left_behind"), std::string::npos);
    EXPECT_EQ(status("july"), RunStatus::Queued);
}

TEST_F(Threads, a_stop_gives_the_store_back_before_it_waits_for_threads_that_do_not_end) {
    g_begun = 0;
    g_release = false;
    open();
    engine->define("wf", [](Context& ctx) -> Task<> {
        co_await ctx.step("hold", StepOptions{.timeout = 0ms}, [&] {
            ++g_begun;
            g_release.wait(false);
        });
    });
    engine->start();
    const auto run = engine->submit<void>("wf", {.id = "july"});
    pass_time_until([&] { return g_begun == 1; });

    std::thread stopper([&] { engine->stop(); });
    pass_time_until([&] { return code_of([&] { run.status(); }) == ErrorCode::Stopped; }, 500ms);
    EXPECT_EQ(status("july"), RunStatus::Queued);
    release();
    stopper.join();

    EXPECT_NE(logged().find("step_left_behind: step `hold` of run `july`"), std::string::npos)
        << logged();
    EXPECT_NE(logged().find("stop_waits"), std::string::npos);
}

TEST_F(Threads, a_stop_ends_although_a_record_waits_for_a_store_that_stays_broken) {
    g_begun = 0;
    g_release = false;
    open();
    engine->define("wf", [](Context& ctx) -> Task<> {
        co_await ctx.step("hold", StepOptions{.timeout = 0ms}, [&] {
            ++g_begun;
            g_release.wait(false);
        });
    });
    engine->start();
    engine->submit<void>("wf", {.id = "july"});
    pass_time_until([&] { return g_begun == 1; });
    faults->fail_reopens(1'000'000);
    for (std::int64_t n = 1; n < 50; ++n)
        faults->fail_commit(faults->commits() + n, store::Fault::Unavailable);
    release();
    pass_time_until([&] { return logged().find("store_unavailable") != std::string::npos; });

    std::thread stopper([&] { engine->stop(); });
    pass_time_until([&] { return logged().find("stopped_unwritten") != std::string::npos; }, 500ms);
    stopper.join();

    EXPECT_EQ(status("july"), RunStatus::Running);
}

TEST_F(Threads, when_too_many_threads_are_left_behind_further_steps_wait) {
    g_begun = 0;
    g_release = false;
    open();
    engine->define("stuck", [](Context& ctx) -> Task<> {
        const StepOptions hasty{.retry = {.attempts_max = 1}, .timeout = 1s};
        co_await ctx.step("hold", hasty, hold);
    });
    engine->define("fine", [](Context& ctx) -> Task<int> {
        co_return co_await ctx.step("a", [] { return 7; });
    });
    engine->start();
    const int most = static_cast<int>(base::kAbandonedThreadsMax);
    std::vector<belay::Run<void>> stuck;
    for (int i = 0; i < most; ++i) stuck.push_back(engine->submit<void>("stuck"));
    pass_time_until([&] { return core->counters().abandoned_now.load() == most; }, 100ms);

    const auto fine = engine->submit<int>("fine", {.id = "fine"});
    pass_time_until([&] { return logged().find("threads_used_up") != std::string::npos; });
    EXPECT_EQ(status("fine"), RunStatus::Running);
    release();

    EXPECT_EQ(fine.result(), 7);
    EXPECT_EQ(reader.attempts(reader.find_run("fine")->no).size(), 0u);
}

TEST_F(Threads, whoever_asks_while_the_engine_stops_gets_an_answer) {
    for (int round = 0; round < 20; ++round) {
        disk = store::make_memory_disk();
        open();
        engine->define("wf", [](Context& ctx, int n) -> Task<int> {
            co_return co_await ctx.step("a", [&] { return n; });
        });
        engine->start();
        std::atomic<int> answered{0};
        std::latch all_ready(5);
        std::vector<std::thread> callers;
        for (int t = 0; t < 4; ++t) {
            callers.emplace_back([&, t] {
                all_ready.arrive_and_wait();
                for (int i = 0; i < 50; ++i) {
                    const auto code = code_of([&] {
                        const auto run = engine->submit<int>("wf", i);
                        if (t == 0) code_of([&] { engine->cancel(run.id()); });
                        EXPECT_EQ(run.result(), i);
                    });
                    EXPECT_TRUE(!code || *code == ErrorCode::Stopped ||
                                *code == ErrorCode::RunCanceled)
                        << to_string(code.value_or(ErrorCode::NotFound));
                }
                ++answered;
            });
        }
        all_ready.arrive_and_wait();
        std::this_thread::yield();
        engine->stop();
        for (auto& caller : callers) caller.join();
        EXPECT_EQ(answered, 4);
        TearDown();
    }
}

TEST_F(Threads, too_many_writes_waiting_for_the_store_are_refused) {
    std::latch committing(1);
    g_release = false;
    open();
    engine->define("wf", [](Context&, int) -> Task<> { co_return; });
    faults->before_commit = [&](std::int64_t commit, const store::Batch&) {
        if (commit == 1) committing.count_down();
        g_release.wait(false);
    };
    const std::vector<int> inputs(base::kWriterQueueOpsMax + base::kBatchOpsMax + 2, 1);
    std::thread first([&] { engine->submit<void>("wf", 1); });
    committing.wait();
    std::thread many([&] { engine->submit_many<void>("wf", inputs); });
    while (core->verbs_waiting() <= base::kWriterQueueOpsMax) std::this_thread::yield();

    EXPECT_EQ(code_of([&] { engine->submit<void>("wf", 2); }), ErrorCode::Overloaded);

    release();
    first.join();
    many.join();
    EXPECT_EQ(reader.count_runs().queued, static_cast<std::int64_t>(inputs.size()) + 1);
}

boost::asio::awaitable<int> counts_down(Attempt& attempt) {
    for (int i = 0; i < 10; ++i) {
        boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor,
                                        std::chrono::microseconds(10));
        co_await timer.async_wait(boost::asio::use_awaitable);
    }
    co_return attempt.number();
}

boost::asio::awaitable<int> seven() { co_return 7; }

TEST_F(Threads, an_async_step_looks_for_its_cached_answer_on_the_pool_and_not_on_the_loop) {
    std::atomic<int> looks{0};
    std::atomic<int> loop_went_on{0};
    open();
    faults->before_find_cached = [&] {
        // A turn of the Loop can come while the store is being read, so long as the reader does not hold it up.
        ++looks;
        executor->post(env::Lane::Loop, [&] { ++loop_went_on; });
        for (int i = 0; i < 2'000'000 && loop_went_on < looks; ++i) std::this_thread::yield();
        EXPECT_EQ(loop_went_on, looks);
    };
    engine->define("wf", [](Context& ctx) -> Task<int> {
        const StepOptions once{.cache = {.key = "same", .keep_for = 1h}};
        co_return co_await ctx.step("ask", once, seven);
    });
    engine->start();

    EXPECT_EQ(engine->submit<int>("wf").result(), 7);
    EXPECT_EQ(engine->submit<int>("wf").result(), 7);

    EXPECT_EQ(core->counters().steps_cached.load(), 1);
    EXPECT_EQ(looks, 2);
}

int costs_a_token(Attempt& attempt) {
    Cost cost;
    cost.tokens_in = 1;
    attempt.cost(cost);
    ++g_begun;
    if (attempt.number() < 3) throw std::runtime_error("not yet");
    return attempt.number();
}

// Under the thread sanitizer: what an attempt cost is the thread's that ended it, also while the Loop notes the step
// as running.
TEST_F(Threads, steps_that_cost_something_end_while_they_are_noted_as_running) {
    g_begun = 0;
    open();
    engine->define("wf", [](Context& ctx, int n) -> Task<int> {
        const std::string key = std::to_string(n % 50);
        const StepOptions hasty{.retry = {.first_delay = 1ms}, .cache = {.key = key}};
        co_return co_await ctx.step("ask", hasty, costs_a_token);
    });
    engine->start();
    std::vector<int> inputs;
    for (int i = 0; i < 200; ++i) inputs.push_back(i);

    const auto runs = engine->submit_many<int>("wf", inputs);
    pass_time_until([&] { return core->counters().runs_ended.load() == 200; }, 1ms);

    for (const auto& run : runs) EXPECT_EQ(run.result(), 3);
}

TEST_F(Threads, async_steps_run_on_several_threads_and_are_canceled_on_theirs) {
    open();
    engine->define("wf", [](Context& ctx, int) -> Task<int> {
        co_return co_await ctx.step("count", counts_down);
    });
    engine->start();

    const auto runs = engine->submit_many<int>("wf", std::vector<int>(100));
    for (std::size_t i = 0; i < runs.size(); i += 2) code_of([&] { engine->cancel(runs[i].id()); });

    for (std::size_t i = 0; i < runs.size(); ++i) {
        const auto code = code_of([&] { EXPECT_EQ(runs[i].result(), 1); });
        EXPECT_TRUE(!code || (i % 2 == 0 && *code == ErrorCode::RunCanceled));
    }
}

}  // namespace
}  // namespace belay::engine
