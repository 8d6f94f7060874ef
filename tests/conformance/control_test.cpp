// control_test.cpp — cancel, pause, resume and retry from outside the run.
#include <map>

#include "conformance/store_test.hpp"

namespace belay::store {
namespace {

using enum RunStatus;

class ControlTest : public StoreTest {
protected:
    static constexpr std::array kStates{Queued,    Running, Waiting, Paused,
                                        Succeeded, Failed,  Canceled};

    Control control(const std::string& id, ControlKind kind) {
        Control verb = control_of(id, kind);
        if (kind == ControlKind::Retry) verb.expected_epoch = get(id).epoch;
        return apply(verb);
    }

    // Every state: the result that is expected and the state that follows.
    struct Expected {
        ControlResult result;
        RunStatus after;
    };
    void expect_matrix(ControlKind kind, const std::map<RunStatus, Expected>& allowed) {
        for (const auto status : kStates) {
            const auto before = in_state(std::string(to_string(status)), status);
            const auto expected = allowed.contains(status)
                                      ? allowed.at(status)
                                      : Expected{ControlResult::Refused, status};

            const auto outcome = control(before.id, kind);

            EXPECT_EQ(outcome.outcome, expected.result) << before.id;
            ASSERT_TRUE(outcome.run.has_value()) << before.id;
            EXPECT_EQ(outcome.run->status, expected.after) << before.id;
            EXPECT_EQ(get(before.id).status, expected.after) << before.id;
            EXPECT_EQ(outcome.why.empty(), expected.result != ControlResult::Refused) << before.id;
        }
    }
};

TEST_P(ControlTest, a_cancel_is_done_unless_someone_runs_it_or_it_has_ended) {
    expect_matrix(ControlKind::Cancel, {{Queued, {ControlResult::Done, Canceled}},
                                        {Waiting, {ControlResult::Done, Canceled}},
                                        {Paused, {ControlResult::Done, Canceled}},
                                        {Running, {ControlResult::Requested, Running}}});
}

TEST_P(ControlTest, a_pause_is_done_unless_someone_runs_it_or_it_has_stopped) {
    expect_matrix(ControlKind::Pause, {{Queued, {ControlResult::Done, Paused}},
                                       {Waiting, {ControlResult::Done, Paused}},
                                       {Running, {ControlResult::Requested, Running}}});
}

TEST_P(ControlTest, only_a_paused_run_is_resumed) {
    expect_matrix(ControlKind::Resume, {{Paused, {ControlResult::Done, Queued}}});
}

TEST_P(ControlTest, only_a_failed_or_canceled_run_is_retried) {
    expect_matrix(ControlKind::Retry, {{Failed, {ControlResult::Done, Queued}},
                                       {Canceled, {ControlResult::Done, Queued}}});
}

TEST_P(ControlTest, a_run_that_does_not_exist_is_not_found) {
    for (const auto kind :
         {ControlKind::Cancel, ControlKind::Pause, ControlKind::Resume, ControlKind::Retry}) {
        const auto outcome = apply(control_of("nobody", kind));

        EXPECT_EQ(outcome.outcome, ControlResult::NotFound);
        EXPECT_EQ(outcome.run, std::nullopt);
    }
}

TEST_P(ControlTest, a_canceled_run_says_why_and_is_not_claimed) {
    queued("july");
    now += 1s;

    control("july", ControlKind::Cancel);

    const auto run = get("july");
    EXPECT_EQ(run.completed_at, now);
    EXPECT_EQ(run.updated_at, now);
    ASSERT_TRUE(run.failure.has_value());
    EXPECT_EQ(run.failure->code, "RunCanceled");
    EXPECT_EQ(run.failure->message, "because a test said so");
    EXPECT_TRUE(apply(claim_of()).outcome.claimed.empty());
}

TEST_P(ControlTest, a_cancel_closes_the_stages_that_were_open) {
    const auto run = running("july");
    apply(record_of(run, stage_of("1", StageStatus::Succeeded)));
    model::Stage open = stage_of("2", StageStatus::Retrying);
    open.next_attempt_at = now + 1min;
    apply(record_of(run, open));
    apply(wait_of(run, now + 1min));

    control("july", ControlKind::Cancel);

    EXPECT_EQ(stage_at(run, "1"), stage_of("1", StageStatus::Succeeded));
    EXPECT_EQ(stage_at(run, "2")->status, StageStatus::Canceled);
    EXPECT_EQ(stage_at(run, "2")->finished_at, now);
    EXPECT_EQ(stage_at(run, "2")->next_attempt_at, std::nullopt);
}

TEST_P(ControlTest, a_request_to_a_running_run_is_recorded_for_its_worker_and_survives_it) {
    const auto run = running("july");

    EXPECT_TRUE(control("july", ControlKind::Cancel).run->cancel_requested);
    EXPECT_TRUE(control("july", ControlKind::Pause).run->pause_requested);
    EXPECT_EQ(control("july", ControlKind::Cancel).outcome, ControlResult::Requested);

    EXPECT_TRUE(is<Applied>(apply(record_of(run, stage_of("1", StageStatus::Succeeded))).outcome));
    restart();
    const auto taken = apply(claim_of()).outcome.claimed;
    ASSERT_EQ(ids_of(taken), Ids{"july"});
    EXPECT_TRUE(taken[0].cancel_requested);
    EXPECT_TRUE(taken[0].pause_requested);
}

TEST_P(ControlTest, a_hook_commits_with_a_cancel_that_is_done) {
    make_notes_table();
    queued("july");
    Control cancel = control_of("july", ControlKind::Cancel);
    cancel.on_end = [](const model::Run& run) {
        return write_note(run.id + " is " + std::string(to_string(run.status)));
    };

    apply(cancel);

    EXPECT_EQ(notes(), Ids{"july is canceled"});
}

TEST_P(ControlTest, the_hook_is_not_called_when_the_cancel_is_only_requested_or_refused) {
    make_notes_table();
    running("running");
    ended("done", Succeeded);
    for (const auto* id : {"running", "done"}) {
        Control cancel = control_of(id, ControlKind::Cancel);
        cancel.on_end = [](const model::Run&) { return write_note("called"); };
        apply(cancel);
    }

    EXPECT_EQ(notes(), Ids{});
}

TEST_P(ControlTest, a_hook_that_throws_refuses_the_cancel_alone) {
    make_notes_table();
    waiting("july");
    Control cancel = control_of("july", ControlKind::Cancel);
    cancel.on_end = [](const model::Run&) -> TxBody {
        return [](SqlTx& tx) -> std::string {
            write_note("half")(tx);
            throw std::runtime_error("the row is gone");
        };
    };

    apply_all({cancel, submit_of("neighbour")});

    EXPECT_EQ(verb_at<Control>(0).outcome, ControlResult::Refused);
    EXPECT_EQ(verb_at<Control>(0).why, "the row is gone");
    EXPECT_EQ(get("july").status, Waiting);
    EXPECT_NE(get("july").wake_at, std::nullopt);
    EXPECT_EQ(notes(), Ids{});
    EXPECT_TRUE(exists("neighbour"));
}

TEST_P(ControlTest, a_paused_run_says_why_and_is_not_claimed_until_it_is_resumed) {
    waiting("july");
    now += 2h;

    control("july", ControlKind::Pause);

    ASSERT_TRUE(get("july").failure.has_value());
    EXPECT_EQ(get("july").failure->code, "RunPaused");
    EXPECT_EQ(get("july").failure->message, "because a test said so");
    EXPECT_EQ(get("july").completed_at, std::nullopt);
    EXPECT_TRUE(apply(claim_of()).outcome.claimed.empty());

    control("july", ControlKind::Resume);

    EXPECT_EQ(get("july").failure, std::nullopt);
    EXPECT_EQ(ids_of(apply(claim_of()).outcome.claimed), Ids{"july"});
}

TEST_P(ControlTest, a_pause_that_is_only_requested_can_be_taken_back) {
    const auto run = running("july");
    control("july", ControlKind::Pause);

    EXPECT_EQ(control("july", ControlKind::Resume).outcome, ControlResult::Done);

    EXPECT_FALSE(get("july").pause_requested);
    EXPECT_EQ(get("july").status, Running);
    EXPECT_TRUE(is<Applied>(apply(wait_of(run, now + 1s)).outcome));
}

TEST_P(ControlTest, a_retry_opens_the_run_again_at_a_new_epoch) {
    const auto failed = ended("july", Failed);
    now += 1min;

    control("july", ControlKind::Retry);

    const auto run = get("july");
    EXPECT_EQ(run.epoch, failed.epoch + 1);
    EXPECT_EQ(run.attempts, 2);
    EXPECT_EQ(run.failure, std::nullopt);
    EXPECT_EQ(run.result, std::nullopt);
    EXPECT_EQ(run.completed_at, std::nullopt);
    EXPECT_EQ(run.started_at, failed.started_at);
    const auto claimed = apply(claim_of()).outcome.claimed;
    ASSERT_EQ(ids_of(claimed), Ids{"july"});
    EXPECT_EQ(claimed[0].recoveries, 0);
}

TEST_P(ControlTest, of_two_retries_of_what_both_saw_fail_one_is_done) {
    ended("july", Failed);
    Control retry = control_of("july", ControlKind::Retry);
    retry.expected_epoch = get("july").epoch;
    apply(retry);
    apply(end_of(apply(claim_of()).outcome.claimed.at(0), Failed));

    const auto second = apply(retry);

    EXPECT_EQ(second.outcome, ControlResult::Refused);
    EXPECT_EQ(get("july").status, Failed);
    EXPECT_EQ(get("july").attempts, 2);
}

TEST_P(ControlTest, a_retry_resets_and_forgets_the_stages_it_names) {
    const auto run = running("july");
    apply(record_of(run, stage_of("1", StageStatus::Succeeded)));
    model::Stage failed = stage_of("2", StageStatus::Failed);
    failed.attempt = 3;
    failed.started_at = now;
    failed.finished_at = now;
    failed.message = "no such page";
    failed.error_code = "StepFailed";
    Record record = record_of(run, failed);
    record.attempts = {attempt_of("2", 1), attempt_of("2", 2), attempt_of("2", 3)};
    Record after = record_of(run, stage_of("3", StageStatus::Failed));
    after.attempts = {attempt_of("3", 1)};
    apply_all({record, after, end_of(run, Failed)});
    Control retry = control_of("july", ControlKind::Retry);
    retry.expected_epoch = run.epoch;
    retry.reset_paths = {"2", "9"};
    retry.forget_paths = {"3", "8"};

    EXPECT_EQ(apply(retry).outcome, ControlResult::Done);

    model::Stage reset = failed;
    reset.status = StageStatus::Queued;
    reset.finished_at.reset();
    EXPECT_EQ(store->stages(run.no), (std::vector{stage_of("1", StageStatus::Succeeded), reset}));
    EXPECT_EQ(store->attempts(run.no),
              (std::vector{attempt_of("2", 1), attempt_of("2", 2), attempt_of("2", 3)}));
    const auto again = apply(claim_of()).outcome.claimed.at(0);
    EXPECT_TRUE(is<Applied>(apply(record_of(again, stage_of("2", StageStatus::Running))).outcome));
}

TEST_P(ControlTest, a_retry_never_opens_a_stage_that_succeeded) {
    const auto run = running("july");
    apply_all({record_of(run, stage_of("1", StageStatus::Succeeded)), end_of(run, Failed)});
    Control retry = control_of("july", ControlKind::Retry);
    retry.expected_epoch = run.epoch;
    retry.reset_paths = {"1"};

    apply(retry);

    EXPECT_EQ(stage_at(run, "1"), stage_of("1", StageStatus::Succeeded));
}

TEST_P(ControlTest, a_refused_retry_touches_no_stage) {
    const auto run = running("july");
    apply(record_of(run, stage_of("1", StageStatus::Failed)));
    Control retry = control_of("july", ControlKind::Retry);
    retry.expected_epoch = run.epoch;
    retry.reset_paths = {"1"};

    EXPECT_EQ(apply(retry).outcome, ControlResult::Refused);
    EXPECT_EQ(stage_at(run, "1")->status, StageStatus::Failed);
}

TEST_P(ControlTest, a_worker_that_slept_through_a_retry_is_fenced) {
    const auto run = running("july");
    apply(end_of(run, Failed));
    control("july", ControlKind::Retry);
    apply(claim_of());

    EXPECT_TRUE(is<Fenced>(apply(record_of(run, stage_of("1", StageStatus::Succeeded))).outcome));
}

TEST_P(ControlTest, what_was_asked_survives_a_restart) {
    queued("canceled");
    queued("paused");
    ended("retried", Failed);
    control("canceled", ControlKind::Cancel);
    control("paused", ControlKind::Pause);
    control("retried", ControlKind::Retry);

    restart();

    EXPECT_EQ(get("canceled").status, Canceled);
    EXPECT_EQ(get("paused").status, Paused);
    EXPECT_EQ(get("retried").status, Queued);
}

TEST_P(ControlTest, what_is_requested_is_kept_with_its_reason_until_it_is_done_or_taken_back) {
    const auto run = running("july");
    const auto ask = [&](ControlKind kind, const std::string& reason) {
        Control verb = control_of("july", kind);
        verb.reason = reason;
        apply(verb);
        return get("july").request_reason;
    };

    EXPECT_EQ(ask(ControlKind::Pause, "lunch"), "lunch");
    restart();
    EXPECT_EQ(get("july").request_reason, "lunch");
    EXPECT_EQ(ask(ControlKind::Resume, ""), "");
    EXPECT_EQ(ask(ControlKind::Cancel, "too expensive"), "too expensive");
    EXPECT_EQ(ask(ControlKind::Pause, "lunch"), "too expensive");
    EXPECT_EQ(ask(ControlKind::Resume, ""), "too expensive");

    const auto again = apply(claim_of()).outcome.claimed.at(0);
    EXPECT_EQ(again.request_reason, "too expensive");
    apply(end_of(again, RunStatus::Canceled));
    EXPECT_EQ(get("july").request_reason, "");
}

BELAY_ON_EVERY_STORE(ControlTest);

}  // namespace
}  // namespace belay::store
