#include "core/model/undo.hpp"

#include <gtest/gtest.h>

#include <belay/error.hpp>

#include "core/model/why.hpp"

namespace belay::model {
namespace {

Stage stage(std::string path, std::string key, StageStatus status, std::int64_t position) {
    Stage made;
    made.path = std::move(path);
    made.stage_key = std::move(key);
    made.status = status;
    made.position = position;
    return made;
}

Run undoing(const UndoPlan& plan) {
    Run run;
    run.status = RunStatus::Running;
    run.undo_plan = to_json(plan);
    return run;
}

const UndoPlan kPlan{RunStatus::Canceled,
                     {"RunCanceled", "enough \"of\" it", "", ""},
                     {{"4.2", "charge"}, {"1", "reserve"}}};

TEST(UndoPlan, is_read_as_it_was_written) {
    EXPECT_EQ(read_undo_plan(to_json(kPlan)), kPlan);
    EXPECT_THROW(read_undo_plan(R"({"end":"eaten","failure":{},"steps":[]})"), Error);
}

TEST(UndoPlan, has_what_succeeded_and_for_some_what_was_begun) {
    Stage step = stage("1", "charge", StageStatus::Succeeded, 1);
    EXPECT_TRUE(is_to_be_undone(step, false));
    step.status = StageStatus::Failed;
    EXPECT_FALSE(is_to_be_undone(step, true));
    step.started_at = Time{std::chrono::milliseconds(1)};
    EXPECT_TRUE(is_to_be_undone(step, true));
    EXPECT_FALSE(is_to_be_undone(step, false));
}

TEST(UndoProgress, names_the_undo_under_way) {
    const std::vector<Stage> stages{
        stage("1", "reserve", StageStatus::Succeeded, 1),
        stage("4.2", "charge", StageStatus::Succeeded, 2),
        stage("undo:4.2", "undo/charge", StageStatus::Succeeded, 3),
        stage("undo:1", "undo/reserve", StageStatus::Retrying, 4),
    };

    const auto progress = undo_progress(undoing(kPlan), stages);

    EXPECT_EQ(progress->done, 1U);
    EXPECT_EQ(progress->of, 2U);
    EXPECT_EQ(progress->end, RunStatus::Canceled);
    EXPECT_EQ(progress->next.key, "reserve");
    EXPECT_EQ(progress->stage, &stages[3]);
    model::Run over = undoing(kPlan);
    over.status = RunStatus::Canceled;
    EXPECT_EQ(undo_progress(over, stages), std::nullopt);
    EXPECT_EQ(undo_progress(model::Run{}, stages), std::nullopt);
}

TEST(UndoProgress, a_fork_begins_at_the_first_step_that_was_undone) {
    const std::vector<Stage> stages{
        stage("10", "charge", StageStatus::Succeeded, 2),
        stage("2", "reserve", StageStatus::Succeeded, 1),
        stage("undo:10", "undo/charge", StageStatus::Succeeded, 3),
    };
    EXPECT_EQ(first_undone(stages), &stages[0]);
    EXPECT_NE(why_no_retry(stages).find("`charge`"), std::string::npos);
    EXPECT_EQ(first_undone({}), nullptr);
    EXPECT_TRUE(is_mark(stages[2]));
    EXPECT_EQ(undone_path(stages[2]), "10");
}

// ---- what why says of it

TEST(UndoProgress, why_says_which_undo_is_under_way_and_how_the_run_then_ends) {
    model::Run run = undoing(kPlan);
    run.worker = "host/7/abc";
    std::vector<Stage> stages{
        stage("1", "reserve", StageStatus::Succeeded, 1),
        stage("4.2", "charge", StageStatus::Succeeded, 2),
        stage("undo:4.2", "undo/charge", StageStatus::Running, 3),
    };
    const Time now{std::chrono::hours(500'000)};
    stages[2].started_at = now - std::chrono::minutes(2);

    const Why told = why(run, stages, {}, Executor{"shop (process 7)", 7}, now);

    EXPECT_TRUE(told.sentence.starts_with("Undoing: 1 of 2, `undo/charge` since "))
        << told.sentence;
    EXPECT_NE(told.sentence.find("(2 min); then it ends as canceled. Running step `undo/charge`"),
              std::string::npos)
        << told.sentence;
    EXPECT_EQ(told.stage_key, "undo/charge");
}

TEST(UndoProgress, why_says_what_to_do_when_it_is_stuck_and_when_it_is_over) {
    model::Run run = undoing(kPlan);
    run.status = RunStatus::Paused;
    run.failure = Failure{"UndoFailed", "the bank is closed", "undo/charge", "undo:4.2"};
    std::vector<Stage> stages{stage("4.2", "charge", StageStatus::Succeeded, 2),
                              stage("undo:4.2", "undo/charge", StageStatus::Failed, 3)};

    const Why stuck = why(run, stages, {}, std::nullopt, Time{});
    run.status = RunStatus::Failed;
    const Why over = why(run, stages, {}, std::nullopt, Time{});

    EXPECT_NE(stuck.sentence.find("the bank is closed"), std::string::npos) << stuck.sentence;
    EXPECT_NE(stuck.to_do.find("--no-undo"), std::string::npos) << stuck.to_do;
    EXPECT_NE(over.to_do.find("fork the run from `charge`"), std::string::npos) << over.to_do;
}

}  // namespace
}  // namespace belay::model
