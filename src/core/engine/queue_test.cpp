// Queues through the engine: how many run at once, who is next, and what changes while they work.
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "core/engine/engine_bench.hpp"
#include "core/engine/queue_requests.hpp"

namespace belay::engine {
namespace {

using namespace std::chrono_literals;

// What runs, in which order it began, and how many ran side by side.
struct Watch {
    std::vector<std::string> order;
    int now = 0;
    int most = 0;
};

// A step that takes a minute of the world's time: the run stays running, and other runs run meanwhile.
void define(Engine& engine, Watch& watch) {
    engine.define("work", [&watch](Context& ctx, std::string name) -> Task<std::string> {
        co_await ctx.step("begin", [&] {
            watch.order.push_back(name);
            watch.most = std::max(watch.most, ++watch.now);
        });
        co_await ctx.step("do", [&] { --watch.now; });
        co_return name;
    });
    engine.define("sleeper", [](Context& ctx, std::string name) -> Task<std::string> {
        co_await ctx.step("begin", [] { return 1; });
        co_await ctx.sleep(1h);
        co_return name;
    });
    engine.define("parent", [](Context& ctx) -> Task<std::string> {
        const ChildOptions options{.queue = "one"};
        const std::string name = "child";
        co_return co_await ctx.child<std::string>("work", name, options);
    });
    engine.define("fails", [](Context& ctx) -> Task<int> {
        co_return co_await ctx.step("fail", []() -> int { throw NonRetryable("no"); });
    });
}

class Queues : public testing::Test {
protected:
    Queues() {
        b.define = [this](Engine& engine) { define(engine, watch); };
    }
    belay::Run<std::string> submit(const std::string& name, const std::string& partition = "acme",
                                   int priority = 0, const std::string& queue = "one") {
        return b.engine().submit<std::string>(
            "work", name,
            {.id = name, .queue = queue, .priority = priority, .partition = partition});
    }
    std::int64_t running() { return b.reader.count_runs().running; }

    Watch watch;
    Bench b;
};

TEST_F(Queues, runs_of_a_queue_of_one_go_one_after_another) {
    for (const auto seed : kSeeds) {
        Watch seen;
        Bench bench(seed);
        bench.define = [&](Engine& engine) { define(engine, seen); };
        Engine& engine = bench.start();
        engine.queue("one", {.concurrency = 1});
        std::vector<belay::Run<std::string>> runs;
        for (int i = 0; i < 20; ++i) {
            runs.push_back(engine.submit<std::string>("work", std::to_string(i), {.queue = "one"}));
        }
        bool too_many = false;
        bench.run_until([&] {
            too_many |= bench.reader.count_runs().running > 1;
            return bench.reader.count_runs().succeeded == 20;
        });
        for (int i = 0; i < 20; ++i)
            EXPECT_EQ(runs[static_cast<std::size_t>(i)].result(), std::to_string(i));
        EXPECT_FALSE(too_many) << "seed " << seed;
        EXPECT_EQ(seen.most, 1) << "seed " << seed;
        EXPECT_EQ(seen.order.size(), 20u);
    }
}

TEST_F(Queues, one_upload_waits_for_two_slots_at_most_behind_ten_thousand) {
    Engine& engine = b.start();
    engine.queue("one", {.concurrency = 4});
    std::vector<std::string> names;
    for (int i = 0; i < 10'000; ++i) names.push_back("a" + std::to_string(i));
    engine.submit_many<std::string>("work", names, {.queue = "one", .partition = "big"});
    ASSERT_TRUE(b.run_until([&] { return watch.order.size() >= 100; }));
    const auto before = watch.order.size();
    const auto small = submit("small", "little");

    EXPECT_EQ(small.result(), "small");
    const auto at =
        std::find(watch.order.begin(), watch.order.end(), "small") - watch.order.begin();
    // Up to four had their slot already and had not begun their step; then two at most.
    EXPECT_LE(at - static_cast<std::ptrdiff_t>(before), 4 + 2);
    EXPECT_LT(watch.order.size(), 200u);
}

TEST_F(Queues, higher_priorities_go_first) {
    Engine& engine = b.open();
    engine.queue("one", {.concurrency = 1});
    submit("low", "acme", -5);
    submit("middle");
    const auto high = submit("high", "acme", 5);
    engine.start();

    EXPECT_TRUE(b.run_until([&] { return watch.order.size() == 3; }));
    EXPECT_EQ(watch.order, (std::vector<std::string>{"high", "middle", "low"}));
}

TEST_F(Queues, a_rate_lets_so_many_begin_in_any_period) {
    Engine& engine = b.start();
    engine.queue("slow", {.rate = RateLimit{3, 1min}});
    std::vector<belay::Run<std::string>> runs;
    for (int i = 0; i < 9; ++i) runs.push_back(submit(std::to_string(i), "acme", 0, "slow"));
    const Time begun = b.sim.clock().now();
    for (const auto& run : runs) run.result();

    std::map<Time, int> starts;
    for (const auto& run : b.reader.list_runs({.limit = 100}).runs) ++starts[*run.started_at];
    int all = 0;
    for (const auto& [at, count] : starts) {
        int in_period = 0;
        for (const auto& [other, n] : starts) {
            if (other > at - 1min && other <= at) in_period += n;
        }
        EXPECT_LE(in_period, 3);
        all += count;
    }
    EXPECT_EQ(all, 9);
    EXPECT_GE(b.sim.clock().now(), begun + 2min);
    EXPECT_LT(b.sim.clock().now(), begun + 3min);
}

TEST_F(Queues, a_run_that_sleeps_leaves_its_slot_to_the_next) {
    Engine& engine = b.start();
    engine.queue("one", {.concurrency = 1});
    const auto sleeper =
        engine.submit<std::string>("sleeper", std::string("s"), {.id = "sleeper", .queue = "one"});
    ASSERT_TRUE(b.run_until("sleeper", RunStatus::Waiting));
    const Time before = b.sim.clock().now();
    EXPECT_EQ(submit("quick").result(), "quick");
    EXPECT_LT(b.sim.clock().now(), before + 1h);
    EXPECT_EQ(sleeper.result(), "s");
}

TEST_F(Queues, a_parent_and_its_child_share_a_queue_of_one) {
    for (const auto seed : kSeeds) {
        Watch seen;
        Bench bench(seed);
        bench.define = [&](Engine& engine) { define(engine, seen); };
        Engine& engine = bench.start();
        engine.queue("one", {.concurrency = 1});
        EXPECT_EQ(engine.submit<std::string>("parent", {.queue = "one"}).result(), "child")
            << "seed " << seed;
    }
}

TEST_F(Queues, a_paused_queue_waits_until_it_is_resumed) {
    Engine& engine = b.start();
    engine.queue("one");
    engine.pause_queue("one", "the bank is closed");
    const auto run = submit("july");
    EXPECT_FALSE(b.run_until("july", RunStatus::Running));
    ASSERT_EQ(engine.queues().size(), 1u);
    EXPECT_TRUE(engine.queues()[0].paused);
    EXPECT_EQ(engine.queues()[0].pause_reason, "the bank is closed");
    EXPECT_EQ(engine.queues()[0].in_line, 1);

    engine.resume_queue("one");
    EXPECT_EQ(run.result(), "july");
}

TEST_F(Queues, more_slots_take_effect_at_once) {
    Engine& engine = b.start();
    engine.queue("one", {.concurrency = 0});
    const auto run = submit("july");
    EXPECT_FALSE(b.run_until("july", RunStatus::Running));
    engine.set_queue("one", {.concurrency = 1});
    EXPECT_EQ(run.result(), "july");
}

TEST_F(Queues, what_someone_changed_survives_the_same_declaration_after_a_restart) {
    b.start();
    b.engine().queue("one", {.concurrency = 4});
    b.engine().set_queue("one", {.concurrency = 2});
    Engine& next = b.restart();
    next.queue("one", {.concurrency = 4});
    EXPECT_EQ(next.queues()[0].limits.concurrency, 2);
    next.queue("one", {.concurrency = 5});
    EXPECT_EQ(next.queues()[0].limits.concurrency, 5);
}

TEST_F(Queues, a_crash_forgets_no_run_in_line_and_no_slot) {
    for (const auto seed : kSeeds) {
        Watch seen;
        Bench bench(seed);
        bench.define = [&](Engine& engine) { define(engine, seen); };
        bench.start().queue("one", {.concurrency = 2});
        for (int i = 0; i < 12; ++i) {
            bench.engine().submit<std::string>("work", std::to_string(i),
                                               {.id = std::to_string(i), .queue = "one"});
        }
        for (std::int64_t done = 2; done <= 10; done += 2) {
            bench.run_until([&] { return bench.reader.count_runs().succeeded >= done; });
            bench.restart();
        }
        bool too_many = false;
        bench.run_until([&] {
            too_many |= bench.reader.count_runs().running > 2;
            return bench.reader.count_runs().succeeded == 12;
        });
        EXPECT_EQ(bench.reader.count_runs().succeeded, 12) << "seed " << seed;
        EXPECT_FALSE(too_many) << "seed " << seed;
        EXPECT_EQ(bench.ran_again, 0);
    }
}

TEST_F(Queues, the_same_dedupe_id_gives_the_same_run_while_it_is_unfinished) {
    Engine& engine = b.start();
    engine.queue("one");
    engine.pause_queue("one");
    const SubmitOptions once{.queue = "one", .dedupe_id = "sync-42"};
    const auto first = engine.submit<std::string>("work", std::string("a"), once);
    const auto again = engine.submit<std::string>("work", std::string("a"), once);
    EXPECT_EQ(first.id(), again.id());
    EXPECT_EQ(code_of([&] { engine.submit<std::string>("work", std::string("b"), once); }),
              ErrorCode::InputMismatch);
    EXPECT_NE(message_of([&] {
                  engine.submit<std::string>("work", std::string("b"), once);
              }).find("sync-42"),
              std::string::npos);

    engine.resume_queue("one");
    EXPECT_EQ(again.result(), "a");
    EXPECT_NE(engine.submit<std::string>("work", std::string("a"), once).id(), first.id());
}

TEST_F(Queues, a_delay_counts_before_the_line) {
    Engine& engine = b.start();
    engine.queue("one");
    const Time before = b.sim.clock().now();
    EXPECT_EQ(engine.submit<std::string>("work", std::string("late"), {.delay = 1h, .queue = "one"})
                  .result(),
              "late");
    EXPECT_GE(b.sim.clock().now(), before + 1h);
}

TEST_F(Queues, a_run_that_failed_gives_its_slot_back_and_a_retry_waits_again) {
    Engine& engine = b.start();
    engine.queue("one", {.concurrency = 1});
    EXPECT_THROW(engine.submit<int>("fails", {.id = "bad", .queue = "one"}).result(), Error);
    EXPECT_EQ(submit("next").result(), "next");
    engine.pause_queue("one");
    engine.retry("bad");
    EXPECT_FALSE(b.run_until("bad", RunStatus::Running));
    engine.resume_queue("one");
    EXPECT_TRUE(b.run_until("bad", RunStatus::Failed));
}

TEST_F(Queues, what_cannot_be_is_refused_and_says_what_to_do) {
    Engine& engine = b.start();
    EXPECT_EQ(code_of([&] { submit("july"); }), ErrorCode::NotFound);
    EXPECT_NE(message_of([&] { submit("july"); }).find("belay queues set one"), std::string::npos);
    EXPECT_EQ(code_of([&] { engine.queue("no good"); }), ErrorCode::InvalidArgument);
    EXPECT_EQ(code_of([&] { engine.queue("q", {.concurrency = -1}); }), ErrorCode::InvalidArgument);
    EXPECT_EQ(code_of([&] { engine.pause_queue("q"); }), ErrorCode::NotFound);
    EXPECT_EQ(code_of([&] { engine.submit("work", std::string("x"), {.priority = 1}); }),
              ErrorCode::InvalidArgument);
    engine.queue("one");
    EXPECT_EQ(code_of([&] { submit("x", "acme", 5000); }), ErrorCode::InvalidArgument);
    engine.pause_queue("one");
    submit("july");
    EXPECT_NE(message_of([&] { engine.remove_queue("one"); }).find("1 unfinished run is"),
              std::string::npos);
    engine.cancel("july");
    engine.remove_queue("one");
    EXPECT_TRUE(engine.queues().empty());
}

TEST_F(Queues, a_child_for_a_queue_that_does_not_exist_fails_its_step) {
    Engine& engine = b.start();
    const auto message = message_of([&] { engine.submit<std::string>("parent").result(); });
    EXPECT_NE(message.find("there is no queue `one`"), std::string::npos) << message;
}

TEST_F(Queues, other_processes_change_them_through_requests) {
    Engine& engine = b.open();
    engine.queue("one", {.concurrency = 0});
    const auto run = submit("july");
    const auto ask = [&](belay::detail::QueueRequest request) {
        store::ControlRequest asked;
        asked.kind = kQueueRequest;
        asked.payload = to_payload(request);
        return b.reader.ask(asked);
    };
    const auto good = ask({belay::detail::QueueRequest::What::Set, "one", {.concurrency = 1}, ""});
    const auto bad = ask({belay::detail::QueueRequest::What::Pause, "two", {}, "because"});
    engine.start();

    EXPECT_EQ(run.result(), "july");
    EXPECT_TRUE(b.reader.answer(good)->ok);
    EXPECT_FALSE(b.reader.answer(bad)->ok);
    EXPECT_NE(b.reader.answer(bad)->text.find("there is no queue `two`"), std::string::npos);
}

}  // namespace
}  // namespace belay::engine
