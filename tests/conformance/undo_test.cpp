// undo_test.cpp — a run that takes back what its steps did: what every store keeps of it, and what it refuses.
#include "conformance/store_test.hpp"

namespace belay::store {
namespace {

class UndoTest : public StoreTest {
protected:
    static Undo undo_of(const model::Run& run, UndoVerb what) {
        Undo verb;
        verb.lease = lease_of(run);
        verb.what = what;
        if (what == UndoVerb::Begin) verb.plan = kPlan;
        return verb;
    }
    model::Run ready(const std::string& id) {
        const model::Run run = running(id);
        apply(undo_of(run, UndoVerb::MayHappen));
        return run;
    }
    model::Run undoing(const std::string& id) {
        const model::Run run = ready(id);
        apply(undo_of(run, UndoVerb::Begin));
        return run;
    }
    model::Run claimed_again(const std::string& id) {
        const auto claim = apply(claim_of());
        for (const model::Run& run : claim.outcome.claimed) {
            if (run.id == id) return run;
        }
        throw std::logic_error(id + " was not claimed");
    }
    ControlResult ask(const std::string& id, ControlKind kind) {
        return apply(control_of(id, kind)).outcome;
    }
    static constexpr const char* kPlan = R"({"end":"failed","steps":[]})";
};

TEST_P(UndoTest, what_may_have_to_be_undone_is_noted_once_and_survives_a_restart) {
    const model::Run run = running("july");
    EXPECT_EQ(get("july").undo, model::UndoState::None);

    EXPECT_TRUE(is<Applied>(apply(undo_of(run, UndoVerb::MayHappen)).outcome));
    EXPECT_TRUE(is<Applied>(apply(undo_of(run, UndoVerb::MayHappen)).outcome));
    restart();

    EXPECT_EQ(get("july").undo, model::UndoState::Ready);
    EXPECT_EQ(get("july").undo_plan, std::nullopt);
}

TEST_P(UndoTest, an_old_lease_neither_notes_nor_begins_nor_stops_anything) {
    const model::Run old = ready("july");
    restart();
    claimed_again("july");

    for (const UndoVerb what :
         {UndoVerb::MayHappen, UndoVerb::StopChildren, UndoVerb::LookForChildren, UndoVerb::Begin})
        EXPECT_TRUE(is<Fenced>(apply(undo_of(old, what)).outcome));
    EXPECT_EQ(get("july").undo_plan, std::nullopt);
}

TEST_P(UndoTest, a_plan_is_made_once_and_settles_a_cancel_that_was_requested) {
    const model::Run run = ready("july");
    ask("july", ControlKind::Cancel);
    EXPECT_TRUE(get("july").cancel_requested);

    EXPECT_TRUE(is<Applied>(apply(undo_of(run, UndoVerb::Begin)).outcome));
    EXPECT_FALSE(get("july").cancel_requested);
    EXPECT_EQ(get("july").undo_plan, kPlan);
    EXPECT_TRUE(is<Refused>(apply(undo_of(run, UndoVerb::Begin)).outcome));
    restart();
    EXPECT_EQ(claimed_again("july").undo_plan, kPlan);
}

TEST_P(UndoTest, a_run_without_anything_to_undo_has_no_plan) {
    EXPECT_TRUE(is<Refused>(apply(undo_of(running("july"), UndoVerb::Begin)).outcome));
    EXPECT_EQ(get("july").undo_plan, std::nullopt);
}

TEST_P(UndoTest, a_cancel_of_a_run_that_nobody_executes_makes_it_due_to_be_undone) {
    for (const std::string id : {"waiting", "queued", "paused"}) {
        SCOPED_TRACE(id);
        const model::Run before = ready(id);
        if (id == "waiting") apply(wait_of(before, now + 1h));
        if (id == "queued") apply(release_of(before));
        if (id == "paused") apply(end_of(before, RunStatus::Paused));

        EXPECT_EQ(ask(id, ControlKind::Cancel), ControlResult::Requested);
        EXPECT_FALSE(is_finished(get(id).status));

        const model::Run run = claimed_again(id);

        EXPECT_TRUE(run.cancel_requested);
        EXPECT_EQ(run.request_reason, "because a test said so");
        EXPECT_EQ(run.failure, std::nullopt);
        EXPECT_TRUE(is<Applied>(apply(undo_of(run, UndoVerb::Begin)).outcome));
        apply(end_of(run, RunStatus::Canceled));
    }
}

TEST_P(UndoTest, a_cancel_that_leaves_it_all_is_done_at_once_and_a_retry_is_ready_again) {
    apply(wait_of(ready("july"), now + 1h));

    EXPECT_EQ(ask("july", ControlKind::Leave), ControlResult::Done);
    EXPECT_EQ(get("july").status, RunStatus::Canceled);
    EXPECT_EQ(get("july").undo, model::UndoState::Left);

    Control retry = control_of("july", ControlKind::Retry);
    retry.expected_epoch = get("july").epoch;
    EXPECT_EQ(apply(retry).outcome, ControlResult::Done);
    EXPECT_EQ(get("july").undo, model::UndoState::Ready);
}

TEST_P(UndoTest, a_running_run_is_asked_to_leave_it_all_and_has_no_plan_then) {
    const model::Run run = ready("july");

    EXPECT_EQ(ask("july", ControlKind::Leave), ControlResult::Requested);

    EXPECT_TRUE(get("july").cancel_requested);
    EXPECT_TRUE(is<Refused>(apply(undo_of(run, UndoVerb::Begin)).outcome));
    apply(undo_of(run, UndoVerb::MayHappen));
    EXPECT_EQ(get("july").undo, model::UndoState::Left);
}

TEST_P(UndoTest, a_second_cancel_is_refused_with_a_sentence_unless_it_leaves_the_rest) {
    undoing("july");

    const auto again = apply(control_of("july", ControlKind::Cancel));
    EXPECT_EQ(again.outcome, ControlResult::Refused);
    EXPECT_NE(again.why.find("undo = false"), std::string::npos) << again.why;

    EXPECT_EQ(ask("july", ControlKind::Leave), ControlResult::Requested);
    EXPECT_EQ(get("july").undo, model::UndoState::Left);
    EXPECT_EQ(get("july").undo_plan, kPlan);
}

TEST_P(UndoTest, a_paused_undo_that_shall_be_left_is_ended_by_a_worker) {
    apply(end_of(undoing("july"), RunStatus::Paused));

    EXPECT_EQ(ask("july", ControlKind::Leave), ControlResult::Requested);

    const model::Run run = claimed_again("july");
    EXPECT_TRUE(run.cancel_requested);
    EXPECT_EQ(run.undo_plan, kPlan);
}

TEST_P(UndoTest, a_resume_opens_the_undo_that_failed) {
    const model::Run run = undoing("july");
    model::Stage undo = stage_of("2", StageStatus::Failed);
    undo.path = "undo:2";
    undo.message = "no such card";
    undo.error_code = "StepFailed";
    apply(record_of(run, undo));
    End end = end_of(run, RunStatus::Paused);
    end.failure = model::Failure{"UndoFailed", "no such card", undo.stage_key, undo.path};
    apply(end);

    EXPECT_EQ(ask("july", ControlKind::Resume), ControlResult::Done);

    EXPECT_EQ(stage_at(run, "undo:2")->status, StageStatus::Queued);
    EXPECT_EQ(stage_at(run, "undo:2")->error_code, "StepFailed");
    EXPECT_EQ(get("july").undo_plan, kPlan);
}

TEST_P(UndoTest, what_was_undone_is_not_retried) {
    const model::Run run = undoing("july");
    apply(record_of(run, stage_of("2", StageStatus::Succeeded)));
    model::Stage undo = stage_of("2", StageStatus::Succeeded);
    undo.path = "undo:2";
    undo.position = 3;
    apply(record_of(run, undo));
    apply(end_of(run, RunStatus::Failed));

    Control retry = control_of("july", ControlKind::Retry);
    retry.expected_epoch = get("july").epoch;
    const auto answer = apply(retry);
    EXPECT_EQ(answer.outcome, ControlResult::Refused);
    EXPECT_NE(answer.why.find("fork it from before `stage_2`"), std::string::npos) << answer.why;

    Submit again = submit_of("july");
    again.retry_failed = true;
    EXPECT_EQ(std::get<SubmitOutcome>(apply(again).outcome).kind, SubmitKind::Joined);
    EXPECT_EQ(get("july").status, RunStatus::Failed);
}

TEST_P(UndoTest, its_open_children_are_canceled_and_named_until_they_are_over) {
    const model::Run parent = ready("parent");
    Await await;
    await.lease = lease_of(parent);
    await.stage = stage_of("2", StageStatus::Running);
    await.stage.kind = model::StageKind::Child;
    await.stage.output = "\"child\"";
    await.child_id = "child";
    await.start = new_run("child");
    await.start->parent = parent.no;
    await.start->parent_path = "2";
    apply(await);

    const auto first = apply(undo_of(parent, UndoVerb::StopChildren));
    EXPECT_EQ(first.open, std::vector<std::string>{"2"});
    EXPECT_TRUE(get("child").cancel_requested);
    EXPECT_EQ(apply(undo_of(parent, UndoVerb::LookForChildren)).open, first.open);

    const model::Run child = claimed_again("child");
    apply(end_of(child, RunStatus::Canceled));
    EXPECT_TRUE(apply(undo_of(parent, UndoVerb::StopChildren)).open.empty());
}

TEST_P(UndoTest, a_new_history_has_nothing_to_undo) {
    const model::Run run = ready("july");
    Release release = release_of(run);
    release.anew_with = "2";

    apply(release);

    EXPECT_EQ(get("july").undo, model::UndoState::None);
}

TEST_P(UndoTest, a_fork_may_have_to_undo_what_it_keeps) {
    Submit fork = submit_of("fork");
    fork.stages = {stage_of("1", StageStatus::Succeeded)};
    fork.may_be_undone = true;

    apply(fork);

    EXPECT_EQ(get("fork").undo, model::UndoState::Ready);
}

BELAY_ON_EVERY_STORE(UndoTest);

}  // namespace
}  // namespace belay::store
