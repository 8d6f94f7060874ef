// What nothing will ever wake is found, case by case; and versions, guards, loops without end.
#include <gtest/gtest.h>

#include <set>

#include "core/engine/engine_bench.hpp"

namespace belay::engine {
namespace {

using namespace std::chrono_literals;

Task<int> waits_for_other(Context& ctx, std::string other) {
    const ChildOptions options{.id = other};
    const std::string its_other = other == "a" ? "b" : "a";
    co_return co_await ctx.child<int>("CYCLE", its_other, options);
}
Task<int> listens(Context& ctx) { co_return co_await ctx.receive<int>("never"); }
Task<int> listens_for_a_day(Context& ctx) {
    const auto answer = co_await ctx.receive<int>("never", 24h);
    co_return answer.value_or(0);
}
Task<int> quick(Context& ctx, int n) {
    co_return co_await ctx.step("twice", [&] { return 2 * n; });
}

// Counts to a hundred, ten steps in each history.
std::vector<std::string> g_keys;
int count_one(Attempt& attempt, int n) {
    g_keys.push_back(attempt.idempotency_key());
    return n + 1;
}
Task<int> counts(Context& ctx, int n) {
    while (n < 100) {
        n = co_await ctx.step("count", count_one, n);
        if (ctx.steps() == 10 && n < 100) co_return co_await ctx.continue_as_new(n);
    }
    co_return n;
}
Task<void> continues_inside(Context& ctx) {
    co_await ctx.scope("inner",
                       [](Context& inner) -> Task<void> { co_await inner.continue_as_new(1); });
}
Task<int> asks_a_child_each_time(Context& ctx, int n) {
    const int m = co_await ctx.child<int>("QUICK", n);
    if (m < 8) co_return co_await ctx.continue_as_new(m);
    co_return m;
}

int g_written = 0;
Task<int> receipts_only(Context& ctx) {
    ctx.expects("WF1_");
    co_return co_await ctx.step("write", [] { return ++g_written; });
}

class WatchdogTest : public ::testing::Test {
protected:
    void SetUp() override {
        g_keys.clear();
        g_written = 0;
        b.define = [](Engine& engine) {
            engine.define("CYCLE", waits_for_other);
            engine.define("LISTENS", listens);
            engine.define("LISTENS_A_DAY", listens_for_a_day);
            engine.define("QUICK", quick);
            engine.define("COUNTS", counts);
            engine.define("ASKS", asks_a_child_each_time);
            engine.define("INSIDE", continues_inside);
            engine.define("WF1_RECEIPT", receipts_only);
            engine.define("WF3_CARD", receipts_only);
        };
    }
    std::string reason(const std::string& id) {
        const model::Run run = b.run(id);
        const model::Stall* stall = model::stall_of(run);
        return stall == nullptr ? "" : std::string(to_string(stall->reason));
    }
    Bench b;
};

TEST_F(WatchdogTest, runs_that_wait_for_each_other_are_found_and_let_go_when_one_is_canceled) {
    b.start();
    b.engine().submit<int>("CYCLE", std::string("b"), {.id = "a"});
    ASSERT_TRUE(b.run_until([&] {
        return b.reader.find_run("b") && b.run("a").status == RunStatus::Waiting &&
               b.run("b").status == RunStatus::Waiting;
    }));

    b.core().look_for_stalls();

    EXPECT_EQ(reason("a"), "wait_cycle");
    EXPECT_EQ(reason("b"), "wait_cycle");
    EXPECT_NE(b.run("a").stall->sentence.find("a → b → a"), std::string::npos)
        << b.run("a").stall->sentence;
    EXPECT_TRUE(b.has_logged("run_stalled"));
    EXPECT_EQ(b.core().look_for_stalls(), 0);

    b.engine().cancel("b", "to end the cycle");
    ASSERT_TRUE(b.run_until("a", RunStatus::Failed));
    b.core().look_for_stalls();
    EXPECT_EQ(b.reader.count_runs().stalled, 0);
}

TEST_F(WatchdogTest, a_topic_that_nobody_ever_sent_is_reported_after_a_while) {
    b.start();
    b.engine().submit<int>("LISTENS", {.id = "deaf"});
    b.engine().submit<int>("LISTENS_A_DAY", {.id = "patient"});
    ASSERT_TRUE(b.run_until("deaf", RunStatus::Waiting));
    b.core().look_for_stalls();
    EXPECT_EQ(reason("deaf"), "");

    b.engine().submit<int>("LISTENS_A_DAY", {.id = "other"}).wait_for(11min);
    b.core().look_for_stalls();
    EXPECT_EQ(reason("deaf"), "topic_never_sent");
    EXPECT_EQ(reason("patient"), "");  // its timeout wakes it

    b.engine().send("deaf", "never", 7);
    EXPECT_EQ(b.engine().find<int>("deaf").result(), 7);
    b.core().look_for_stalls();
    EXPECT_EQ(b.reader.count_runs().stalled, 0);
}

TEST_F(WatchdogTest, a_run_whose_workflow_nobody_defines_is_found) {
    b.open();
    b.engine().submit<int>("QUICK", 1, {.id = "orphan"});
    b.define = [](Engine& engine) { engine.define("COUNTS", counts); };
    b.restart();
    b.engine().submit<int>("COUNTS", 99, {.id = "other"}).result();

    b.core().look_for_stalls();

    EXPECT_EQ(reason("orphan"), "no_worker");
    EXPECT_NE(b.run("orphan").stall->sentence.find("COUNTS"), std::string::npos);
}

TEST_F(WatchdogTest, a_run_that_waits_for_a_run_that_was_deleted_is_found) {
    {
        store::MemoryStore before(b.disk);
        const auto commit = [&](auto verb) {
            store::Batch batch;
            batch.now = b.sim.clock().now();
            batch.verbs.emplace_back(std::move(verb));
            before.commit(batch);
        };
        store::Submit submit;
        submit.run.id = "parent";
        submit.run.workflow_key = "QUICK";
        submit.run.input = "1";
        submit.claim_as = "gone";
        commit(submit);
        store::Record record;
        record.lease = {b.run("parent").no, 1};
        record.stage.path = "1";
        record.stage.stage_key = "APPROVAL";
        record.stage.kind = model::StageKind::Child;
        record.stage.status = StageStatus::Running;
        record.stage.output = R"("parent/1")";
        commit(record);
        store::Wait wait;
        wait.lease = record.lease;
        wait.wake_at = model::kNever;
        commit(wait);
    }
    b.start();

    b.core().look_for_stalls();

    EXPECT_EQ(reason("parent"), "child_deleted");
    EXPECT_NE(b.run("parent").stall->sentence.find("parent/1"), std::string::npos);
}

TEST_F(WatchdogTest, a_step_past_its_limit_that_cannot_be_left_behind_is_found) {
    std::string found;
    b.define = [&](Engine& engine) {
        engine.define("SLOW", [&](Context& ctx) -> Task<int> {
            const StepOptions hasty{.retry = {.attempts_max = 1}, .timeout = 10s};
            co_return co_await ctx.step("scan", hasty, [&](Attempt& attempt) {
                b.run_until([&] { return attempt.stop_token().stop_requested(); });
                b.core().look_for_stalls();
                found = reason("july");
                return 1;
            });
        });
    };
    b.start();
    b.executor().post_at(b.sim.clock().now() + 12s, env::Lane::Pool, [] {});
    EXPECT_THROW(b.engine().submit<int>("SLOW", {.id = "july"}).result(), Error);

    EXPECT_EQ(found, "step_silent");
    b.core().look_for_stalls();
    EXPECT_EQ(b.reader.count_runs().stalled, 0);
}

// ---- versions

TEST_F(WatchdogTest, a_run_waits_for_a_worker_that_takes_its_version) {
    b.options.code_version = "1";
    b.options.compatible_versions = {};
    b.open();
    b.engine().submit<int>("QUICK", 1, {.id = "old"});
    b.options.code_version = "2";
    b.restart();
    EXPECT_EQ(b.engine().submit<int>("QUICK", 2, {.id = "new"}).result(), 4);
    EXPECT_EQ(b.run("old").status, RunStatus::Queued);
    b.core().look_for_stalls();
    EXPECT_EQ(reason("old"), "no_worker");

    b.options.compatible_versions = {"1"};
    b.restart();
    EXPECT_EQ(b.engine().find<int>("old").result(), 2);
    EXPECT_EQ(b.run("old").code_version, "1");
}

TEST_F(WatchdogTest, every_version_is_taken_unless_a_program_says_otherwise) {
    b.options.code_version = "1";
    b.open();
    b.engine().submit<int>("QUICK", 1, {.id = "old"});
    b.options.code_version = "2";
    b.restart();

    EXPECT_EQ(b.engine().find<int>("old").result(), 2);
}

// ---- loops without end

TEST_F(WatchdogTest, a_run_that_continues_as_new_keeps_its_id_and_forgets_its_history) {
    for (const auto seed : kSeeds) {
        SCOPED_TRACE(seed);
        g_keys.clear();
        Bench each(seed);
        each.define = b.define;
        each.start();
        const auto run = each.engine().submit<int>("COUNTS", 0, {.id = "count"});

        EXPECT_EQ(run.result(), 100);
        EXPECT_EQ(each.run("count").generation, 9);
        EXPECT_EQ(each.stages("count").size(), 10U);
        EXPECT_EQ(each.run("count").input, "0");
        // No two histories share a key.
        EXPECT_EQ(std::set<std::string>(g_keys.begin(), g_keys.end()).size(), 100U);
        // The same id and input again is the same run.
        EXPECT_EQ(each.engine().submit<int>("COUNTS", 0, {.id = "count"}).result(), 100);
    }
}

TEST_F(WatchdogTest, each_history_starts_children_of_its_own) {
    b.start();
    EXPECT_EQ(b.engine().submit<int>("ASKS", 1, {.id = "asks"}).result(), 8);
    EXPECT_TRUE(b.reader.find_run("asks/1"));
    EXPECT_TRUE(b.reader.find_run("asks#1/1"));
    EXPECT_TRUE(b.reader.find_run("asks#2/1"));
}

TEST_F(WatchdogTest, continue_as_new_inside_a_scope_is_refused) {
    b.start();
    const std::string message = message_of([&] { b.engine().submit<void>("INSIDE").result(); });
    EXPECT_NE(message.find("workflow's own code"), std::string::npos) << message;
}

TEST_F(WatchdogTest, a_history_that_grows_too_long_is_warned_of_and_then_refused) {
    b.options.history_records_max = 20;
    b.define = [](Engine& engine) {
        engine.define("ENDLESS", [](Context& ctx) -> Task<int> {
            for (int n = 0;; ++n) co_await ctx.step("again", [] { return 1; });
        });
    };
    b.start();

    const std::string message = message_of([&] { b.engine().submit<int>("ENDLESS").result(); });

    EXPECT_NE(message.find("has 20 records"), std::string::npos) << message;
    EXPECT_NE(message.find("continue_as_new"), std::string::npos) << message;
    EXPECT_TRUE(b.has_logged("history_long"));
}

// ---- the guard

TEST_F(WatchdogTest, a_guard_lets_its_own_workflow_through_without_a_record) {
    b.start();
    EXPECT_EQ(b.engine().submit<int>("WF1_RECEIPT", {.id = "receipt"}).result(), 1);
    EXPECT_EQ(b.history("receipt"), "1 write succeeded");
}

TEST_F(WatchdogTest,
       a_run_of_the_wrong_workflow_is_recorded_as_skipped_and_fails_before_it_writes) {
    b.start();
    const std::string message =
        message_of([&] { b.engine().submit<int>("WF3_CARD", {.id = "card"}).result(); });

    EXPECT_NE(message.find("WF1_"), std::string::npos) << message;
    EXPECT_NE(message.find("WF3_CARD"), std::string::npos) << message;
    EXPECT_EQ(b.history("card"), "guard:WF1_ guard skipped");
    EXPECT_EQ(b.run("card").current_stage, "guard");
    EXPECT_EQ(g_written, 0);

    // A retry comes to the same, and does not stumble over the record.
    b.engine().retry("card");
    ASSERT_TRUE(b.run_until("card", RunStatus::Failed));
    EXPECT_EQ(b.history("card"), "guard:WF1_ guard skipped");
}

}  // namespace
}  // namespace belay::engine
