// Children: runs of their own that a run waits for, started once, canceled and retried with it.
#include <gtest/gtest.h>

#include "core/engine/engine_bench.hpp"

namespace belay::engine {
namespace {

using namespace std::chrono_literals;

bool g_broken = false;
int g_calls = 0;
int twice(int n) {
    ++g_calls;
    if (g_broken) throw NonRetryable("broken");
    return 2 * n;
}

Task<int> small(Context& ctx, int n) { co_return co_await ctx.step("twice", twice, n); }
Task<int> slow(Context& ctx, int n) {
    co_await ctx.sleep(1h);
    co_return n;
}
Task<int> parent_of_small(Context& ctx, int n) {
    const int a = co_await ctx.child<int>("small", n);
    co_return 1 + co_await ctx.child<int>("small", a);
}
Task<int> parent_of_slow(Context& ctx, int n) { co_return co_await ctx.child<int>("slow", n); }

class ChildTest : public ::testing::Test {
protected:
    void SetUp() override {
        g_calls = 0;
        g_broken = false;
    }
    static void define(Engine& engine) {
        engine.define("small", small);
        engine.define("slow", slow);
        engine.define("parent", parent_of_small);
        engine.define("parent_of_slow", parent_of_slow);
        engine.define("grandparent", [](Context& ctx, int n) -> Task<int> {
            co_return co_await ctx.child<int>("parent_of_slow", n);
        });
        engine.define("many", [](Context& ctx, int n) -> Task<int> {
            std::vector<int> inputs;
            for (int i = 0; i < n; ++i) inputs.push_back(i);
            const auto all =
                co_await ctx.map("each", inputs, [](Context& inner, int i) -> Task<int> {
                    co_return co_await inner.child<int>("small", i);
                });
            int sum = 0;
            for (const int each : all) sum += each;
            co_return sum;
        });
        engine.define("shared", [](Context& ctx, int n) -> Task<int> {
            const ChildOptions options{.id = "the-one"};
            co_return co_await ctx.child<int>("slow", n, options);
        });
        engine.define("careful", [](Context& ctx, int n) -> Task<std::string> {
            try {
                co_await ctx.child<int>("slow", n);
            } catch (const StepFailed& error) {
                co_return std::string(to_string(error.code())) + ": " + error.what();
            }
            co_return "no error";
        });
        engine.define("leaves", [](Context& ctx, int n) -> Task<std::string> {
            co_return co_await ctx.start("slow", n);
        });
        engine.define("either", [](Context& ctx, int n) -> Task<int> {
            const auto won =
                co_await ctx.race("first", ctx.child<int>("slow", n), ctx.sleep(1s, "limit"));
            co_return static_cast<int>(won.index);
        });
    }
};

TEST_F(ChildTest, a_parent_gets_its_childrens_results_whatever_crashes) {
    for (const auto seed : kSeeds) {
        for (int after = 0; after <= 30; after += 3) {
            SCOPED_TRACE(testing::Message() << "seed " << seed << " after " << after);
            Bench b(seed);
            b.define = define;
            b.start().submit<int>("parent", 3, {.id = "july"});
            for (int i = 0; i < after; ++i) b.sim.run_one();

            EXPECT_EQ(b.restart().find<int>("july").result(), 13);
            EXPECT_EQ(b.ran_again, 0);
            EXPECT_EQ(b.run("july/1").status, RunStatus::Succeeded);
            EXPECT_EQ(b.reader.list_runs({}).runs.size(), 3u);
        }
    }
}

TEST_F(ChildTest, a_parent_that_waits_holds_no_lease_and_its_stage_says_for_whom) {
    Bench b;
    b.define = define;
    b.start().submit<int>("parent_of_slow", 3, {.id = "july"});

    ASSERT_TRUE(b.run_until([&] { return b.run("july").status == RunStatus::Waiting; }));

    EXPECT_EQ(b.stage("july", "1").kind, model::StageKind::Child);
    EXPECT_EQ(b.stage("july", "1").output, "\"july/1\"");
    EXPECT_EQ(b.run("july/1").parent, b.run("july").no);
    EXPECT_EQ(b.engine().find<int>("july").result(), 3);
}

TEST_F(ChildTest, a_failed_child_fails_its_parent_and_a_retry_retries_the_child_in_place) {
    Bench b;
    b.define = define;
    g_broken = true;
    auto run = b.start().submit<int>("parent", 3, {.id = "july"});
    const std::string message = message_of([&] { run.result(); });
    EXPECT_NE(message.find("child `july/1` failed"), std::string::npos) << message;
    EXPECT_NE(message.find("broken"), std::string::npos) << message;

    g_broken = false;
    b.engine().retry("july");

    EXPECT_EQ(run.result(), 13);
    EXPECT_EQ(b.run("july/1").attempts, 2);
    EXPECT_EQ(g_calls, 3);
}

TEST_F(ChildTest, a_cancel_reaches_the_whole_tree) {
    for (const auto seed : kSeeds) {
        Bench b(seed);
        b.define = define;
        b.start().submit<int>("grandparent", 3, {.id = "july"});
        ASSERT_TRUE(b.run_until("july/1/1", RunStatus::Waiting));

        b.engine().cancel("july", "no longer wanted");

        ASSERT_TRUE(b.run_until("july/1/1", RunStatus::Canceled));
        ASSERT_TRUE(b.run_until("july/1", RunStatus::Canceled));
        EXPECT_TRUE(b.run_until("july", RunStatus::Canceled));
    }
}

TEST_F(ChildTest, a_parent_hears_of_a_canceled_child) {
    Bench b;
    b.define = define;
    auto run = b.start().submit<std::string>("careful", 3, {.id = "july"});
    ASSERT_TRUE(b.run_until("july/1", RunStatus::Waiting));

    b.engine().cancel("july/1", "a mistake");

    const std::string told = run.result();
    EXPECT_TRUE(told.starts_with("RunCanceled: ")) << told;
    EXPECT_NE(told.find("a mistake"), std::string::npos) << told;
}

TEST_F(ChildTest, two_parents_may_await_one_run) {
    Bench b;
    b.define = define;
    b.start();
    auto first = b.engine().submit<int>("shared", 7, {.id = "a"});
    auto second = b.engine().submit<int>("shared", 7, {.id = "b"});

    EXPECT_EQ(first.result(), 7);
    EXPECT_EQ(second.result(), 7);
    EXPECT_EQ(b.reader.list_runs({}).runs.size(), 3u);
}

TEST_F(ChildTest, a_child_whose_id_is_taken_by_another_input_fails_and_says_so) {
    Bench b;
    b.define = define;
    b.start().submit<int>("slow", 1, {.id = "the-one"}).result();

    auto run = b.engine().submit<int>("shared", 2, {.id = "a"});

    EXPECT_NE(message_of([&] { run.result(); }).find("another input"), std::string::npos);
}

TEST_F(ChildTest, one_that_is_left_is_on_its_own) {
    Bench b;
    b.define = define;
    const std::string id = b.start().submit<std::string>("leaves", 3, {.id = "july"}).result();

    EXPECT_EQ(b.engine().find<int>(id).result(), 3);
    EXPECT_FALSE(b.run(id).parent);
}

TEST_F(ChildTest, a_fan_of_children_joins) {
    for (const auto seed : kSeeds) {
        Bench b(seed);
        b.define = define;
        EXPECT_EQ(b.start().submit<int>("many", 20, {.id = "july"}).result(), 380);
        EXPECT_EQ(b.ran_again, 0);
    }
}

TEST_F(ChildTest, a_child_that_loses_a_race_is_canceled) {
    Bench b;
    b.define = define;

    EXPECT_EQ(b.start().submit<int>("either", 3, {.id = "july"}).result(), 1);

    EXPECT_TRUE(b.run_until("july/1.1", RunStatus::Canceled));
}

TEST_F(ChildTest, an_undefined_workflow_fails_the_stage_with_the_names_of_those_that_exist) {
    Bench b;
    b.define = [](Engine& engine) {
        engine.define("lost", [](Context& ctx) -> Task<int> {
            co_return co_await ctx.child<int>("nowhere", 1);
        });
    };
    auto run = b.start().submit<int>("lost", {.id = "july"});

    EXPECT_NE(message_of([&] { run.result(); }).find("defined are: lost"), std::string::npos);
}

// ---- deadlines

TEST_F(ChildTest, a_run_that_is_not_over_at_its_deadline_fails_and_so_do_its_children) {
    Bench b;
    b.define = define;
    auto run = b.start().submit<int>("parent_of_slow", 3, {.id = "july", .deadline = 10min});

    const std::string message = message_of([&] { run.result(); });

    EXPECT_NE(message.find("deadline"), std::string::npos) << message;
    EXPECT_EQ(b.run("july").failure->code, "DeadlineExceeded");
    ASSERT_TRUE(b.run_until([&] { return is_finished(b.run("july/1").status); }));
    EXPECT_NE(b.run("july/1").status, RunStatus::Succeeded);
}

TEST_F(ChildTest, a_deadline_that_passes_while_nobody_runs_counts_all_the_same) {
    Bench b;
    b.define = define;
    b.start().submit<int>("slow", 3, {.id = "july", .deadline = 10min});
    ASSERT_TRUE(b.run_until("july", RunStatus::Waiting));
    b.crash();

    auto run = b.start().find<int>("july");

    EXPECT_NE(message_of([&] { run.result(); }).find("deadline"), std::string::npos);
}

// Counts what a run asks the store for. `ends` is how many signals its children give it, one by one.
struct Asked {
    int awaits = 0;
    int looks = 0;
};

Asked count_asked(Bench& b, model::RunNo run) {
    Asked asked;
    b.faults().before_commit = [&asked, run](std::int64_t, const store::Batch& batch) {
        for (const store::Verb& verb : batch.verbs) {
            if (const auto* await = std::get_if<store::Await>(&verb))
                asked.awaits += await->lease.run == run;
            if (const auto* look = std::get_if<store::Look>(&verb))
                asked.looks += look->lease.run == run;
        }
    };
    EXPECT_TRUE(b.run_until("family", RunStatus::Succeeded));
    b.faults().before_commit = nullptr;
    return asked;
}

constexpr int kMany = 60;

void define_family(Engine& engine) {
    engine.define("sleeper", [](Context& ctx, int n) -> Task<int> {
        co_await ctx.sleep(1h + n * 1min);
        co_return n;
    });
    engine.define("family", [](Context& ctx, int n) -> Task<int> {
        std::vector<Step<int, false>> kids;
        for (int i = 0; i < n; ++i) kids.push_back(ctx.child<int>("sleeper", i));
        const auto all = co_await ctx.all("kids", std::move(kids));
        co_return static_cast<int>(all.size());
    });
}

TEST_F(ChildTest, waking_a_parent_of_many_costs_what_has_changed_and_not_what_it_awaits) {
    for (const auto seed : kSeeds) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Bench b(seed);
        b.define = define_family;
        b.start().submit<int>("family", kMany, {.id = "family"});
        ASSERT_TRUE(b.run_until("family", RunStatus::Waiting));

        const Asked asked = count_asked(b, b.run("family").no);

        EXPECT_EQ(b.engine().find<int>("family").result(), kMany);
        EXPECT_LE(asked.awaits, kMany + 10);  // the last few are asked for together
        EXPECT_LE(asked.looks, 2 * kMany);
    }
}

TEST_F(ChildTest, a_parent_of_many_that_is_read_from_its_history_asks_only_for_what_has_ended) {
    for (const auto seed : kSeeds) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Bench b(seed);
        b.define = define_family;
        b.options.waiting_in_memory_max =
            0;  // read again at every wake-up, as after a claim elsewhere
        b.start().submit<int>("family", kMany, {.id = "family"});
        ASSERT_TRUE(b.run_until("family", RunStatus::Waiting));

        const Asked asked = count_asked(b, b.run("family").no);

        EXPECT_EQ(b.engine().find<int>("family").result(), kMany);
        EXPECT_LE(asked.awaits, kMany + 20);
        EXPECT_LE(asked.looks, 3 * kMany);
    }
}

TEST_F(ChildTest, a_parent_of_many_hears_of_each_end_whatever_crashes) {
    for (const auto seed : kSeeds) {
        for (int after = 0; after <= 400; after += 40) {
            SCOPED_TRACE(testing::Message() << "seed " << seed << " after " << after);
            Bench b(seed);
            b.define = define_family;
            b.start().submit<int>("family", 12, {.id = "family"});
            for (int i = 0; i < after; ++i) b.sim.run_one();
            EXPECT_EQ(b.restart().find<int>("family").result(), 12);
        }
    }
}

}  // namespace
}  // namespace belay::engine
