#include "core/engine/history.hpp"

#include <gtest/gtest.h>

namespace belay::engine {
namespace {

model::Stage stage(std::string path, std::int64_t position,
                   model::StageKind kind = model::StageKind::Step) {
    model::Stage stage;
    stage.path = std::move(path);
    stage.stage_key = "at " + stage.path;
    stage.position = position;
    stage.kind = kind;
    return stage;
}

History some() {
    return History({stage("1", 1), stage("2", 2, model::StageKind::Scope), stage("2.1", 3),
                    stage("2.10", 5), stage("2.2", 4), stage("20", 7), stage("3", 6)});
}

TEST(History, gives_each_record_once) {
    History history = some();

    ASSERT_NE(history.take("2.10"), nullptr);
    EXPECT_EQ(history.take("2.10"), nullptr);
    EXPECT_EQ(history.take("2.1")->stage_key, "at 2.1");
    EXPECT_EQ(history.take("4"), nullptr);
}

TEST(History, knows_what_is_recorded_taken_or_not) {
    History history = some();
    history.take("3");

    EXPECT_TRUE(history.has("3"));
    EXPECT_TRUE(history.has("20"));
    EXPECT_FALSE(history.has("2.3"));
}

TEST(History, what_is_inside_a_scope_is_skipped_with_it_and_nothing_beside_it) {
    History history = some();
    history.take("2");

    history.skip_inside("2");

    EXPECT_EQ(history.take("2.1"), nullptr);
    EXPECT_EQ(history.take("2.10"), nullptr);
    EXPECT_NE(history.take("20"), nullptr);
    EXPECT_NE(history.take("3"), nullptr);
}

TEST(History, is_empty_when_all_is_taken) {
    History history({stage("1", 1), stage("2", 2)});

    history.take("1");
    EXPECT_FALSE(history.empty());
    history.take("2");
    EXPECT_TRUE(history.empty());
    EXPECT_EQ(history.first_left(), nullptr);
}

TEST(History, the_first_left_is_by_position_and_no_patch) {
    History history({stage("patch:x", 1, model::StageKind::Patch), stage("10", 3), stage("9", 2)});

    EXPECT_EQ(history.first_left()->path, "9");
    history.take("9");
    history.take("10");
    EXPECT_EQ(history.first_left(), nullptr);
}

TEST(History, the_first_left_inside_a_scope) {
    History history = some();

    EXPECT_EQ(history.first_left("2.")->path, "2.1");
    EXPECT_EQ(history.first_left("3."), nullptr);
}

}  // namespace
}  // namespace belay::engine
