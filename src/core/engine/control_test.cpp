// Cancel, pause, resume and retry, in each state a run can be in.
#include <gtest/gtest.h>

#include "core/engine/control.hpp"
#include "core/engine/engine_bench.hpp"

namespace belay::engine {
namespace {

using namespace std::chrono_literals;

// A workflow whose second step calls `work`, between two counted ones.
struct Wf {
    explicit Wf(Bench& bench) : b(bench) {
        b.define = [this](Engine& engine) {
            engine.define("wf", [this](Context& ctx) -> Task<std::string> {
                co_await ctx.step("before", [&] { ++before; });
                const auto said =
                    co_await ctx.scope("group", [&](Context& inner) -> Task<std::string> {
                        co_return co_await inner.step("work", options, [&](Attempt& attempt) {
                            ++worked;
                            return work(attempt);
                        });
                    });
                co_await ctx.step("after", [&] { ++after; });
                co_return said;
            });
        };
    }
    Bench& b;
    StepOptions options{};
    std::function<std::string(Attempt&)> work = [](Attempt&) { return "done"; };
    int before = 0;
    int worked = 0;
    int after = 0;
};

TEST(Control, a_queued_run_is_canceled_paused_and_resumed_at_once) {
    Bench b;
    Wf wf(b);
    auto& engine = b.open();
    const auto run = engine.submit<std::string>("wf", {.id = "july"});

    engine.pause("july", "audit");
    EXPECT_EQ(run.status(), RunStatus::Paused);
    EXPECT_EQ(code_of([&] { engine.pause("july"); }), ErrorCode::InvalidArgument);
    engine.resume("july");
    EXPECT_EQ(run.status(), RunStatus::Queued);
    engine.cancel("july", "enough");

    EXPECT_EQ(run.status(), RunStatus::Canceled);
    EXPECT_EQ(b.run("july").failure->message, "enough");
    engine.start();
    engine.retry("july");
    EXPECT_EQ(run.result(), "done");
    EXPECT_EQ(wf.worked, 1);
}

TEST(Control, what_a_finished_run_cannot_do_is_refused_with_a_sentence) {
    Bench b;
    Wf wf(b);
    auto& engine = b.start();
    engine.submit<std::string>("wf", {.id = "july"}).result();

    for (const auto& what : {std::function<void()>([&] { engine.cancel("july"); }),
                             std::function<void()>([&] { engine.pause("july"); }),
                             std::function<void()>([&] { engine.resume("july"); }),
                             std::function<void()>([&] { engine.retry("july"); })}) {
        EXPECT_EQ(code_of(what), ErrorCode::InvalidArgument);
        EXPECT_NE(message_of(what), "");
    }
    EXPECT_EQ(code_of([&] { engine.cancel("nope"); }), ErrorCode::NotFound);
    EXPECT_EQ(code_of([&] { engine.retry("nope"); }), ErrorCode::NotFound);
}

TEST(Control, a_cancel_asks_the_step_under_way_to_stop_and_closes_what_is_open) {
    for (const auto seed : kSeeds) {
        for (const bool obeys : {true, false}) {
            SCOPED_TRACE(seed);
            Bench b(seed);
            Wf wf(b);
            bool stopped = false;
            wf.work = [&](Attempt& attempt) -> std::string {
                b.engine().cancel("july", "enough");
                stopped = attempt.stop_token().stop_requested();
                if (obeys) throw std::runtime_error("stopped");
                return "done all the same";
            };
            const auto run = b.start().submit<std::string>("wf", {.id = "july"});

            EXPECT_EQ(code_of([&] { run.result(); }), ErrorCode::RunCanceled);

            EXPECT_TRUE(stopped);
            EXPECT_EQ(wf.worked, 1);
            EXPECT_EQ(wf.after, 0);
            EXPECT_EQ(b.history("july"),
                      obeys ? "1 before succeeded, 2 group canceled, 2.1 work canceled"
                            : "1 before succeeded, 2 group canceled, 2.1 work succeeded");
        }
    }
}

TEST(Control, a_pause_in_a_step_lets_it_end_and_a_step_that_gave_up_is_tried_again) {
    for (const auto seed : kSeeds) {
        for (const bool obeys : {true, false}) {
            SCOPED_TRACE(seed);
            Bench b(seed);
            Wf wf(b);
            wf.options.retry.attempts_max = 1;
            wf.work = [&](Attempt&) -> std::string {
                if (wf.worked == 1) {
                    b.engine().pause("july", "audit");
                    if (obeys) throw std::runtime_error("asked to stop");
                }
                return "done";
            };
            const auto run = b.start().submit<std::string>("wf", {.id = "july"});

            EXPECT_TRUE(b.run_until("july", RunStatus::Paused));
            EXPECT_EQ(wf.after, 0);
            b.engine().resume("july");

            EXPECT_EQ(run.result(), "done");
            EXPECT_EQ(wf.worked, obeys ? 2 : 1);
            EXPECT_EQ(wf.before, 1);
        }
    }
}

TEST(Control, whoever_waits_for_a_run_waits_on_while_somebody_has_paused_it) {
    for (const auto seed : kSeeds) {
        SCOPED_TRACE(seed);
        Bench b(seed);
        Wf wf(b);
        wf.work = [&](Attempt&) -> std::string {
            b.engine().pause("july", "audit");
            b.executor().post_at(b.sim.clock().now() + 1h, env::Lane::Pool,
                                 [&] { b.engine().resume("july"); });
            return "done";
        };
        const Time begun = b.sim.clock().now();

        EXPECT_EQ(b.start().submit<std::string>("wf", {.id = "july"}).result(), "done");

        EXPECT_GE(b.sim.clock().now(), begun + 1h);
    }
}

TEST(Control, a_run_that_is_paused_before_somebody_waits_for_it_is_not_over) {
    Bench b;
    Wf wf(b);
    wf.work = [](Attempt&) -> std::string { return "done"; };
    const auto run = b.start().submit<std::string>("wf", {.id = "july", .delay = 1h});
    b.engine().pause("july", "audit");

    EXPECT_FALSE(run.wait_for(10min));
    EXPECT_EQ(run.status(), RunStatus::Paused);
    EXPECT_NE(message_of([&] { run.result(); }).find("audit"), std::string::npos)
        << "nobody is there who could resume it";
    b.engine().resume("july");

    EXPECT_EQ(run.result(), "done");
}

TEST(Control, a_pause_that_is_taken_back_before_the_step_has_ended_has_no_effect) {
    for (const auto seed : kSeeds) {
        SCOPED_TRACE(seed);
        Bench b(seed);
        Wf wf(b);
        wf.work = [&](Attempt&) -> std::string {
            b.engine().pause("july");
            b.engine().resume("july");
            return "done";
        };

        EXPECT_EQ(b.start().submit<std::string>("wf", {.id = "july"}).result(), "done");
        EXPECT_EQ(wf.worked, 1);
    }
}

TEST(Control, a_cancel_after_a_pause_wins) {
    for (const auto seed : kSeeds) {
        SCOPED_TRACE(seed);
        Bench b(seed);
        Wf wf(b);
        wf.work = [&](Attempt&) -> std::string {
            b.engine().pause("july");
            b.engine().cancel("july");
            return "done";
        };
        const auto run = b.start().submit<std::string>("wf", {.id = "july"});

        b.run_until("july", RunStatus::Canceled);

        EXPECT_EQ(run.status(), RunStatus::Canceled);
        EXPECT_EQ(wf.after, 0);
    }
}

TEST(Control, a_run_that_waits_for_its_next_attempt_is_canceled_paused_and_resumed) {
    for (const auto seed : kSeeds) {
        for (const Duration delay : {Duration{2s}, Duration{1h}}) {
            SCOPED_TRACE(seed);
            Bench b(seed);
            Wf wf(b);
            wf.options.retry.first_delay = delay;
            wf.options.retry.longest_delay = 2h;
            wf.work = [&](Attempt&) -> std::string { throw std::runtime_error("busy"); };
            const auto run = b.start().submit<std::string>("wf", {.id = "july"});
            const auto retrying = [&] {
                return b.stage("july", "2.1").status == StageStatus::Retrying;
            };
            ASSERT_TRUE(b.run_until(retrying));

            b.engine().pause("july");
            ASSERT_TRUE(b.run_until("july", RunStatus::Paused));
            EXPECT_TRUE(retrying());
            b.engine().resume("july");
            ASSERT_TRUE(b.run_until([&] { return b.run("july").status != RunStatus::Queued; }));
            b.engine().cancel("july");
            ASSERT_TRUE(b.run_until("july", RunStatus::Canceled));

            EXPECT_EQ(wf.worked, 1);
            EXPECT_EQ(b.history("july"), "1 before succeeded, 2 group canceled, 2.1 work canceled");
            EXPECT_EQ(code_of([&] { run.result(); }), ErrorCode::RunCanceled);
        }
    }
}

TEST(Control, a_canceled_sleep_sleeps_again_after_a_retry) {
    Bench b;
    const Time begun = b.sim.clock().now();
    b.define = [begun](Engine& engine) {
        engine.define("wf", [begun](Context& ctx) -> Task<> {
            co_await ctx.sleep_until(begun + 5h);
            co_await ctx.sleep(1h);
        });
    };
    const auto run = b.start().submit<void>("wf", {.id = "july"});
    ASSERT_TRUE(b.run_until("july", RunStatus::Waiting));

    b.engine().cancel("july");
    EXPECT_EQ(b.history("july"), "1 sleep canceled");
    b.engine().retry("july");
    run.result();

    EXPECT_EQ(b.sim.clock().now(), begun + 6h);
}

TEST(Control, a_retry_begins_at_the_failed_step_with_all_its_attempts_and_repeats_no_success) {
    for (const auto seed : kSeeds) {
        SCOPED_TRACE(seed);
        Bench b(seed);
        Wf wf(b);
        std::vector<int> numbers;
        wf.options.retry = {.attempts_max = 2, .first_delay = 1s};
        wf.work = [&](Attempt& attempt) -> std::string {
            numbers.push_back(attempt.number());
            if (wf.worked < 4) throw std::runtime_error("busy");
            return "done";
        };
        const auto run = b.start().submit<std::string>("wf", {.id = "july"});
        EXPECT_EQ(code_of([&] { run.result(); }), ErrorCode::RunFailed);

        b.engine().retry("july");

        EXPECT_EQ(run.result(), "done");
        EXPECT_EQ(wf.before, 1);
        EXPECT_EQ(numbers, (std::vector{1, 2, 3, 4}));
        EXPECT_EQ(b.attempts("july").size(), 3u);
    }
}

TEST(Control, a_retry_forgets_what_the_workflow_did_about_the_failure) {
    for (const auto seed : kSeeds) {
        for (const bool other_error : {false, true}) {
            SCOPED_TRACE(seed);
            Bench b(seed);
            bool broken = true;
            int before = 0, worked = 0, apologies = 0;
            b.define = [&](Engine& engine) {
                engine.define("wf", [&](Context& ctx) -> Task<int> {
                    co_await ctx.step("before", [&] { ++before; });
                    std::exception_ptr failure;
                    try {
                        co_await ctx.step("work", [&] {
                            ++worked;
                            if (broken) throw NonRetryable("broken");
                        });
                    } catch (const StepFailed& error) {
                        if (other_error)
                            throw std::runtime_error(std::string("wrapped: ") + error.what());
                        failure = std::current_exception();
                    }
                    if (failure) {
                        co_await ctx.step("apologise", [&] { ++apologies; });
                        std::rethrow_exception(failure);
                    }
                    co_return 1;
                });
            };
            const auto run = b.start().submit<int>("wf", {.id = "july"});
            EXPECT_EQ(code_of([&] { run.result(); }), ErrorCode::RunFailed);
            broken = false;

            b.engine().retry("july");

            EXPECT_EQ(run.result(), 1);
            EXPECT_EQ(before, 1);
            EXPECT_EQ(worked, 2);
            EXPECT_EQ(apologies, other_error ? 0 : 1);
            EXPECT_EQ(b.history("july"), "1 before succeeded, 2 work succeeded");
        }
    }
}

TEST(Control, a_request_made_while_the_run_is_being_loaded_is_heard) {
    for (const auto seed : kSeeds) {
        SCOPED_TRACE(seed);
        Bench b(seed);
        Wf wf(b);
        bool asked = false;
        wf.work = [&](Attempt&) -> std::string {
            if (!asked) throw RetryAfter("come back", 1h);
            return "done";
        };
        b.start().submit<std::string>("wf", {.id = "july"});
        ASSERT_TRUE(b.run_until("july", RunStatus::Waiting));
        b.restart();
        // Claimed, and not yet loaded.
        ASSERT_TRUE(b.run_until("july", RunStatus::Running));
        asked = true;

        b.engine().cancel("july");

        EXPECT_EQ(code_of([&] { b.engine().find("july").result(); }), ErrorCode::RunCanceled);
        EXPECT_EQ(wf.after, 0);
    }
}

TEST(Control, a_resume_that_races_with_its_pause_wins) {
    for (const auto seed : kSeeds) {
        for (int jobs = 0; jobs < 12; ++jobs) {
            SCOPED_TRACE(testing::Message() << "seed " << seed << ", after " << jobs << " jobs");
            Bench b(seed);
            b.define = [](Engine& engine) {
                engine.define("wf", [](Context& ctx) -> Task<int> {
                    int sum = 0;
                    for (int i = 0; i < 5; ++i) sum += co_await ctx.step("add", [] { return 1; });
                    co_await ctx.sleep(1s);
                    co_return sum;
                });
            };
            const auto run = b.start().submit<int>("wf", {.id = "july"});
            b.engine().pause("july", "wait a moment");
            for (int i = 0; i < jobs; ++i) b.sim.run_one();

            b.engine().resume("july");

            EXPECT_EQ(run.result(), 5);
            if (testing::Test::HasFailure()) return;
        }
    }
}

TEST(Control, the_reason_of_a_request_survives_a_crash) {
    for (const auto kind : {RunStatus::Canceled, RunStatus::Paused}) {
        Bench b;
        b.define = [](Engine& engine) {
            engine.define("wf", [](Context& ctx) -> Task<> {
                for (int i = 0; i < 5; ++i) co_await ctx.step("add", [] {});
                co_await ctx.sleep(1h);
            });
        };
        b.start().submit<void>("wf", {.id = "july"});
        if (kind == RunStatus::Canceled) b.engine().cancel("july", "too expensive");
        if (kind == RunStatus::Paused) b.engine().pause("july", "too expensive");
        ASSERT_EQ(b.run("july").status, RunStatus::Running);
        EXPECT_EQ(b.run("july").request_reason, "too expensive");

        b.restart();

        ASSERT_TRUE(b.run_until("july", kind));
        EXPECT_EQ(b.run("july").failure->message, "too expensive");
        EXPECT_EQ(b.run("july").request_reason, "");
    }
}

TEST(Control, a_canceled_run_is_logged_as_such) {
    Bench b;
    b.define = [](Engine& engine) {
        engine.define("wf", [](Context& ctx) -> Task<> {
            for (int i = 0; i < 5; ++i) co_await ctx.step("add", [] {});
        });
    };
    const auto run = b.start().submit<void>("wf", {.id = "july"});
    b.engine().cancel("july");
    EXPECT_EQ(code_of([&] { run.result(); }), ErrorCode::RunCanceled);

    EXPECT_TRUE(b.has_logged("run_canceled"));
    EXPECT_FALSE(b.has_logged("run_failed"));
}

// What a retry forgets and runs again is worked out from stages that are read before its commit: a run that was not over
// then may have written another one since, and ended at the same epoch.
TEST(Control, a_retry_that_was_worked_out_before_its_run_ended_is_refused) {
    store::MemoryStore store;
    const auto apply = [&]<class V>(V verb) {
        store::Batch batch;
        batch.verbs.emplace_back(std::move(verb));
        store.commit(batch);
        return std::get<V>(std::move(batch.verbs.front()));
    };
    store::Submit submit;
    submit.run.id = "july";
    submit.run.workflow_key = "wf";
    submit.run.input = "null";
    submit.claim_as = "worker";
    const model::Run run = std::get<store::SubmitOutcome>(apply(submit).outcome).run;
    const store::Lease lease{run.no, run.epoch};

    const auto early = control_of(store, "july", store::ControlKind::Retry, "");
    store::Record canceled;
    canceled.lease = lease;
    canceled.stage.path = "1";
    canceled.stage.stage_key = "work";
    canceled.stage.status = StageStatus::Canceled;
    apply(canceled);
    store::End end;
    end.lease = lease;
    end.status = RunStatus::Canceled;
    apply(end);

    EXPECT_EQ(apply(early).outcome, store::ControlResult::Refused);
    const auto late = control_of(store, "july", store::ControlKind::Retry, "");
    EXPECT_EQ(apply(late).outcome, store::ControlResult::Done);
    EXPECT_EQ(store.stages(run.no).at(0).status, StageStatus::Queued);
}

}  // namespace
}  // namespace belay::engine
