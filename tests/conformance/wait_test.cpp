// wait_test.cpp — a run that waits holds no lease, and one that a worker puts back is due at once.
#include "conformance/store_test.hpp"

namespace belay::store {
namespace {

class WaitTest : public StoreTest {};

TEST_P(WaitTest, a_waiting_run_gives_up_its_lease_and_wakes_at_its_time) {
    const auto run = running("july");

    EXPECT_TRUE(is<Applied>(apply(wait_of(run, now + 10s)).outcome));

    EXPECT_EQ(get("july").status, RunStatus::Waiting);
    EXPECT_EQ(get("july").wake_at, now + 10s);
    EXPECT_TRUE(is<Fenced>(apply(record_of(run, stage_of("1", StageStatus::Running))).outcome));
    EXPECT_TRUE(is<Fenced>(apply(end_of(run, RunStatus::Succeeded)).outcome));

    now += 10s - 1ms;
    const auto early = apply(claim_of()).outcome;
    EXPECT_TRUE(early.claimed.empty());
    EXPECT_EQ(early.next_due, now + 1ms);

    now += 1ms;
    const auto woken = apply(claim_of()).outcome.claimed;
    ASSERT_EQ(ids_of(woken), Ids{"july"});
    EXPECT_GT(woken[0].epoch, run.epoch);
    EXPECT_EQ(woken[0].recoveries, 0);
    EXPECT_EQ(woken[0].started_at, run.started_at);
    EXPECT_EQ(get("july").wake_at, std::nullopt);
}

TEST_P(WaitTest, progress_and_the_last_stage_are_written_with_it) {
    const auto run = running("july");
    apply(record_of(run, stage_of("1", StageStatus::Retrying)));
    Wait wait = wait_of(run, now + 1min);
    wait.progress = model::Progress{1, 3, "waiting"};

    apply(wait);

    EXPECT_EQ(get("july").progress, wait.progress);
    EXPECT_EQ(get("july").current_stage, "stage_1");
}

TEST_P(WaitTest, a_cancel_or_a_pause_that_came_meanwhile_keeps_it_running) {
    for (const auto kind : {ControlKind::Cancel, ControlKind::Pause}) {
        const auto run = running(kind == ControlKind::Cancel ? "cancel" : "pause");

        apply_all({control_of(run.id, kind), wait_of(run, now + 1min)});

        EXPECT_TRUE(is<Refused>(verb_at<Wait>(1).outcome));
        EXPECT_EQ(get(run.id).status, RunStatus::Running);
        EXPECT_TRUE(
            is<Applied>(apply(record_of(run, stage_of("1", StageStatus::Canceled))).outcome));
    }
}

TEST_P(WaitTest, an_old_epoch_can_neither_wait_nor_release) {
    const auto old = running("july");
    restart();
    apply(claim_of());

    apply_all({wait_of(old, now + 1min), release_of(old)});

    EXPECT_TRUE(is<Fenced>(verb_at<Wait>(0).outcome));
    EXPECT_TRUE(is<Fenced>(verb_at<Release>(1).outcome));
    EXPECT_EQ(get("july").status, RunStatus::Running);
}

TEST_P(WaitTest, a_released_run_is_queued_due_at_once_and_no_recovery) {
    const auto run = running("july");

    EXPECT_TRUE(is<Applied>(apply(release_of(run)).outcome));

    EXPECT_EQ(get("july").status, RunStatus::Queued);
    EXPECT_TRUE(is<Fenced>(apply(record_of(run, stage_of("1", StageStatus::Running))).outcome));
    const auto again = apply(claim_of()).outcome.claimed;
    ASSERT_EQ(ids_of(again), Ids{"july"});
    EXPECT_EQ(again[0].recoveries, 0);
    EXPECT_GT(again[0].epoch, run.epoch);
}

TEST_P(WaitTest, a_release_keeps_what_was_requested) {
    const auto run = running("july");
    apply(control_of("july", ControlKind::Cancel));

    apply(release_of(run));

    const auto again = apply(claim_of()).outcome.claimed;
    ASSERT_EQ(ids_of(again), Ids{"july"});
    EXPECT_TRUE(again[0].cancel_requested);
}

TEST_P(WaitTest, a_waiting_run_waits_on_after_a_restart) {
    waiting("july");

    restart();

    EXPECT_TRUE(apply(claim_of()).outcome.claimed.empty());
    now += 1h;
    EXPECT_EQ(ids_of(apply(claim_of()).outcome.claimed), Ids{"july"});
}

BELAY_ON_EVERY_STORE(WaitTest);

}  // namespace
}  // namespace belay::store
