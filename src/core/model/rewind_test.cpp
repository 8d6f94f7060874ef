#include "core/model/rewind.hpp"

#include <gtest/gtest.h>

namespace belay::model {
namespace {

using enum StageStatus;
using Paths = std::vector<std::string>;

Stage stage(std::string path, StageStatus status, StageKind kind = StageKind::Step) {
    Stage s;
    s.path = std::move(path);
    s.stage_key = "stage " + s.path;
    s.status = status;
    s.kind = kind;
    return s;
}

// Stands in for a fan until there is one.
bool sleeps_are_parallel(StageKind kind) { return kind == StageKind::Sleep; }

TEST(Rewind, the_failed_stage_runs_again_and_what_came_before_is_kept) {
    const std::vector stages{stage("1", Succeeded), stage("2", Succeeded), stage("3", Failed)};

    EXPECT_EQ(rewind(stages, "3"), (Rewind{Paths{"3"}, Paths{}}));
}

TEST(Rewind, what_was_recorded_after_the_failure_is_forgotten_even_if_it_succeeded) {
    const std::vector stages{stage("1", Succeeded), stage("2", Failed), stage("3", Skipped),
                             stage("10", Succeeded, StageKind::Transaction)};

    EXPECT_EQ(rewind(stages, "2"), (Rewind{Paths{"2"}, Paths{"3", "10"}}));
}

TEST(Rewind, the_scopes_around_it_are_opened_and_their_earlier_steps_kept) {
    const std::vector stages{
        stage("1", Succeeded),   stage("2", Failed, StageKind::Scope),
        stage("2.1", Succeeded), stage("2.2", Failed),
        stage("2.3", Skipped),   stage("3", Skipped),
        stage("3.1", Succeeded),
    };

    EXPECT_EQ(rewind(stages, "2.2"), (Rewind{Paths{"2", "2.2"}, Paths{"2.3", "3", "3.1"}}));
}

TEST(Rewind, what_did_not_succeed_beneath_the_failed_scope_runs_again) {
    const std::vector stages{stage("1", Failed, StageKind::Scope),
                             stage("1.1", Succeeded),
                             stage("1.2", Failed),
                             stage("1.3", Canceled),
                             stage("1.4", Skipped),
                             stage("1.5", Running)};

    EXPECT_EQ(rewind(stages, "1"), (Rewind{Paths{"1", "1.2"}, Paths{"1.3", "1.4", "1.5"}}));
}

TEST(Rewind, a_scope_whose_own_code_threw_is_opened_and_what_it_left_open_with_it) {
    const std::vector stages{stage("1", Failed, StageKind::Scope), stage("1.1", Succeeded),
                             stage("1.2", Canceled), stage("1.3", Running)};

    EXPECT_EQ(rewind(stages, "1"), (Rewind{Paths{"1", "1.2", "1.3"}, Paths{}}));
}

TEST(Rewind, branches_that_failed_inside_a_fan_that_succeeded_are_kept) {
    const std::vector stages{
        stage("1", Failed, StageKind::Fan),
        stage("1.1", Failed, StageKind::Scope),
        stage("1.1.1", Succeeded, StageKind::Fan),
        stage("1.1.1.1", Succeeded),
        stage("1.1.1.2", Failed),
        stage("1.1.2", Failed),
        stage("1.2", Skipped, StageKind::Scope),
        stage("1.2.1", Succeeded, StageKind::Fan),
        stage("1.2.1.1", Failed),
        stage("1.2.2", Canceled),
    };

    EXPECT_EQ(rewind(stages, "1"), (Rewind{Paths{"1", "1.1", "1.1.2", "1.2", "1.2.2"}, Paths{}}));
}

TEST(Rewind, an_optional_failure_that_a_branch_got_over_stays_failed) {
    const std::vector stages{
        stage("1", Failed, StageKind::Fan),
        stage("1.1", Failed, StageKind::Scope),
        stage("1.1.1", Failed),
        stage("1.1.2", Succeeded),
        stage("1.1.3", Failed),
        stage("1.2", Skipped, StageKind::Scope),
        stage("1.2.1", Failed),
        stage("1.2.2", Succeeded),
    };

    EXPECT_EQ(rewind(stages, "1"), (Rewind{Paths{"1", "1.1", "1.1.3", "1.2"}, Paths{}}));
}

TEST(Rewind, a_failure_that_a_stopped_branch_had_no_time_to_hear_of_runs_again) {
    const std::vector stages{stage("1", Failed, StageKind::Fan), stage("1.1", Failed),
                             stage("1.2", Skipped, StageKind::Scope), stage("1.2.1", Succeeded),
                             stage("1.2.2", Failed)};

    EXPECT_EQ(rewind(stages, "1"), (Rewind{Paths{"1", "1.1", "1.2", "1.2.2"}, Paths{}}));
}

TEST(Rewind, an_optional_step_that_failed_earlier_stays_failed) {
    const std::vector stages{stage("1", Failed), stage("2", Failed)};

    EXPECT_EQ(rewind(stages, "2"), (Rewind{Paths{"2"}, Paths{}}));
}

TEST(Rewind, a_scope_that_succeeded_around_a_failed_step_is_not_run_again) {
    const std::vector stages{stage("1", Succeeded, StageKind::Scope), stage("1.1", Failed)};

    EXPECT_EQ(rewind(stages, "1.1"), (Rewind{Paths{"1.1"}, Paths{}}));
}

TEST(Rewind, patch_marks_are_kept) {
    const std::vector stages{stage("patch:new-ocr", Succeeded, StageKind::Patch),
                             stage("1", Failed), stage("patch:later", Succeeded, StageKind::Patch)};

    EXPECT_EQ(rewind(stages, "1"), (Rewind{Paths{"1"}, Paths{}}));
}

TEST(Rewind, when_the_workflows_own_code_threw_only_open_stages_are_reset) {
    const std::vector stages{stage("1", Succeeded), stage("2", Failed),  stage("3", Skipped),
                             stage("4", Queued),    stage("5", Running), stage("6", Retrying)};

    EXPECT_EQ(rewind(stages, ""), (Rewind{Paths{"4", "5", "6"}, Paths{}}));
}

TEST(Rewind, a_canceled_run_goes_on_where_it_was_stopped) {
    const std::vector stages{stage("1", Succeeded), stage("2", Canceled)};

    EXPECT_EQ(rewind(stages, ""), (Rewind{Paths{"2"}, Paths{}}));
}

TEST(Rewind, the_other_branches_of_a_fan_keep_their_successes_and_rerun_the_rest) {
    const std::vector stages{
        stage("1", Failed, StageKind::Sleep),
        stage("1.1", Succeeded),
        stage("1.2", Failed),
        stage("1.2.1", Succeeded),
        stage("1.2.2", Failed),
        stage("1.2.3", Skipped),
        stage("1.3", Succeeded),
        stage("1.4", Skipped),
        stage("2", Skipped),
    };

    EXPECT_EQ(rewind(stages, "1.2.2", sleeps_are_parallel),
              (Rewind{Paths{"1", "1.2", "1.2.2", "1.4"}, Paths{"1.2.3", "2"}}));
}

TEST(Rewind, a_path_that_was_never_recorded_still_marks_the_place) {
    const std::vector stages{stage("1", Succeeded), stage("3", Skipped)};

    EXPECT_EQ(rewind(stages, "2"), (Rewind{Paths{}, Paths{"3"}}));
}

}  // namespace
}  // namespace belay::model
