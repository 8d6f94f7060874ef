// end_test.cpp — how a run ends: once, with its stages and its hook in the same commit.
#include "conformance/store_test.hpp"

namespace belay::store {
namespace {

class EndTest : public StoreTest {};

TEST_P(EndTest, a_success_keeps_its_result) {
    const auto run = running("july");
    now += 3s;

    EXPECT_TRUE(is<Applied>(apply(end_of(run, RunStatus::Succeeded)).outcome));

    const auto after = get("july");
    EXPECT_EQ(after.status, RunStatus::Succeeded);
    EXPECT_EQ(after.result, R"({"total":"12.50"})");
    EXPECT_EQ(after.failure, std::nullopt);
    EXPECT_EQ(after.completed_at, now);
    EXPECT_EQ(after.updated_at, now);
    EXPECT_EQ(after.worker, worker);
}

TEST_P(EndTest, a_failure_and_a_cancel_keep_why_and_where) {
    for (const auto status : {RunStatus::Failed, RunStatus::Canceled}) {
        const auto run = running(std::string(to_string(status)));

        apply(end_of(run, status));

        const auto after = get(run.id);
        EXPECT_EQ(after.status, status);
        EXPECT_EQ(after.failure, failure_at("2"));
        EXPECT_EQ(after.result, std::nullopt);
        EXPECT_EQ(after.completed_at, now);
    }
}

TEST_P(EndTest, a_pause_keeps_why_but_completes_nothing) {
    apply(end_of(running("july"), RunStatus::Paused));

    const auto after = get("july");
    EXPECT_EQ(after.status, RunStatus::Paused);
    EXPECT_EQ(after.failure, failure_at("2"));
    EXPECT_EQ(after.completed_at, std::nullopt);
}

TEST_P(EndTest, a_run_does_not_end_in_a_state_that_is_no_end) {
    const auto run = running("july");
    for (const auto status : {RunStatus::Queued, RunStatus::Running, RunStatus::Waiting}) {
        EXPECT_TRUE(is<Refused>(apply(end_of(run, status)).outcome)) << to_string(status);
    }
    EXPECT_EQ(get("july").status, RunStatus::Running);
}

TEST_P(EndTest, progress_and_the_stage_that_the_run_reached_are_written_with_it) {
    const auto run = running("july");
    apply(record_of(run, stage_of("1", StageStatus::Failed)));
    apply(record_of(run, stage_of("2", StageStatus::Skipped)));
    End end = end_of(run, RunStatus::Failed);
    end.progress = model::Progress{1, 2, "stopped"};
    end.current_stage = "stage_1";

    apply(end);

    EXPECT_EQ(get("july").progress, end.progress);
    EXPECT_EQ(get("july").current_stage, "stage_1");
}

TEST_P(EndTest, a_run_that_does_not_say_where_it_was_keeps_its_last_stage) {
    const auto run = running("july");
    apply(record_of(run, stage_of("1", StageStatus::Failed)));

    apply(end_of(run, RunStatus::Failed));

    EXPECT_EQ(get("july").current_stage, "stage_1");
}

TEST_P(EndTest, a_run_ends_once) {
    const auto run = running("july");

    apply_all({end_of(run, RunStatus::Succeeded), end_of(run, RunStatus::Failed)});

    EXPECT_TRUE(is<Applied>(verb_at<End>(0).outcome));
    EXPECT_TRUE(is<Fenced>(verb_at<End>(1).outcome));
    EXPECT_EQ(get("july").status, RunStatus::Succeeded);
}

TEST_P(EndTest, an_old_epoch_is_fenced_and_its_hook_not_called) {
    make_notes_table();
    const auto old = running("july");
    restart();
    apply(claim_of());
    End stale = end_of(old, RunStatus::Failed);
    stale.on_end = write_note("ended");

    EXPECT_TRUE(is<Fenced>(apply(stale).outcome));

    EXPECT_EQ(get("july").status, RunStatus::Running);
    EXPECT_EQ(notes(), Ids{});
}

TEST_P(EndTest, the_hook_commits_with_the_end) {
    make_notes_table();
    End end = end_of(running("july"), RunStatus::Succeeded);
    end.on_end = write_note("july is done");

    EXPECT_TRUE(is<Applied>(apply(end).outcome));
    restart();

    EXPECT_EQ(get("july").status, RunStatus::Succeeded);
    EXPECT_EQ(notes(), Ids{"july is done"});
}

TEST_P(EndTest, a_hook_that_throws_undoes_the_end_alone) {
    make_notes_table();
    const auto bad = running("bad");
    const auto good = running("good");
    End failing = end_of(bad, RunStatus::Succeeded);
    failing.progress = model::Progress{1, 1, "done"};
    failing.on_end = [](SqlTx& tx) -> std::string {
        write_note("half")(tx);
        throw std::runtime_error("no such file");
    };
    End fine = end_of(good, RunStatus::Succeeded);
    fine.on_end = write_note("good is done");

    apply_all({failing, fine});

    ASSERT_TRUE(is<BodyFailed>(verb_at<End>(0).outcome));
    EXPECT_EQ(text_of(std::get<BodyFailed>(verb_at<End>(0).outcome)), "no such file");
    EXPECT_TRUE(is<Applied>(verb_at<End>(1).outcome));
    EXPECT_EQ(get("bad").status, RunStatus::Running);
    EXPECT_EQ(get("bad").progress, std::nullopt);
    EXPECT_TRUE(store->stages(bad.no).empty());
    EXPECT_EQ(get("good").status, RunStatus::Succeeded);
    EXPECT_EQ(notes(), Ids{"good is done"});
}

TEST_P(EndTest, an_end_settles_what_was_requested) {
    const auto run = running("july");
    apply(control_of("july", ControlKind::Cancel));
    apply(control_of("july", ControlKind::Pause));

    EXPECT_TRUE(is<Applied>(apply(end_of(run, RunStatus::Succeeded)).outcome));

    EXPECT_FALSE(get("july").cancel_requested);
    EXPECT_FALSE(get("july").pause_requested);
}

TEST_P(EndTest, a_pause_does_not_swallow_a_cancel) {
    const auto run = running("july");
    apply(control_of("july", ControlKind::Cancel));

    EXPECT_TRUE(is<Refused>(apply(end_of(run, RunStatus::Paused)).outcome));
    EXPECT_TRUE(get("july").cancel_requested);

    EXPECT_TRUE(is<Applied>(apply(end_of(run, RunStatus::Canceled)).outcome));
    EXPECT_EQ(get("july").status, RunStatus::Canceled);
}

TEST_P(EndTest, an_end_survives_a_restart) {
    ended("july", RunStatus::Failed);

    restart();

    EXPECT_EQ(get("july").status, RunStatus::Failed);
    EXPECT_EQ(get("july").failure, failure_at("2"));
    EXPECT_TRUE(apply(claim_of()).outcome.claimed.empty());
}

TEST_P(EndTest, a_pause_that_was_asked_for_and_taken_back_does_not_take_effect) {
    const auto run = running("july");
    End pause = end_of(run, RunStatus::Paused);
    pause.on_request = true;
    apply(control_of("july", ControlKind::Pause));
    apply(control_of("july", ControlKind::Resume));

    EXPECT_TRUE(is<Refused>(apply(pause).outcome));
    EXPECT_EQ(get("july").status, RunStatus::Running);

    apply(control_of("july", ControlKind::Pause));
    EXPECT_TRUE(is<Applied>(apply(pause).outcome));
}

BELAY_ON_EVERY_STORE(EndTest);

}  // namespace
}  // namespace belay::store
