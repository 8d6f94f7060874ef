#include <belay/status.hpp>

#include <gtest/gtest.h>

#include "core/model/stage.hpp"
#include "core/model/status_words.hpp"

namespace belay::model {
namespace {

TEST(Status, every_word_reads_back_as_the_state_it_was_written_for) {
    for (const auto& word : kRunStatusWords) {
        EXPECT_EQ(run_status(to_string(word.value)), word.value) << word.text;
    }
    for (const auto& word : kStageStatusWords) {
        EXPECT_EQ(stage_status(to_string(word.value)), word.value) << word.text;
    }
    for (const auto kind : {StageKind::Step, StageKind::Transaction, StageKind::Scope,
                            StageKind::Sleep, StageKind::Patch}) {
        EXPECT_EQ(stage_kind(to_string(kind)), kind) << to_string(kind);
    }
}

TEST(Status, a_word_that_is_none_of_them_gives_nothing) {
    for (const auto* word : {"", "Queued", "cancelled", "retrying ", "done"}) {
        EXPECT_EQ(run_status(word), std::nullopt) << word;
        EXPECT_EQ(stage_status(word), std::nullopt) << word;
        EXPECT_EQ(stage_kind(word), std::nullopt) << word;
    }
    EXPECT_EQ(run_status("retrying"), std::nullopt);
    EXPECT_EQ(stage_status("paused"), std::nullopt);
}

TEST(Status, a_run_is_finished_when_it_succeeded_failed_or_was_canceled) {
    EXPECT_TRUE(is_finished(RunStatus::Succeeded));
    EXPECT_TRUE(is_finished(RunStatus::Failed));
    EXPECT_TRUE(is_finished(RunStatus::Canceled));

    EXPECT_FALSE(is_finished(RunStatus::Queued));
    EXPECT_FALSE(is_finished(RunStatus::Running));
    EXPECT_FALSE(is_finished(RunStatus::Waiting));
    EXPECT_FALSE(is_finished(RunStatus::Paused));
}

TEST(Status, a_stage_is_finished_when_nothing_more_will_come_of_it) {
    EXPECT_TRUE(is_finished(StageStatus::Succeeded));
    EXPECT_TRUE(is_finished(StageStatus::Failed));
    EXPECT_TRUE(is_finished(StageStatus::Skipped));
    EXPECT_TRUE(is_finished(StageStatus::Canceled));

    EXPECT_FALSE(is_finished(StageStatus::Queued));
    EXPECT_FALSE(is_finished(StageStatus::Running));
    EXPECT_FALSE(is_finished(StageStatus::Retrying));
}

}  // namespace
}  // namespace belay::model
