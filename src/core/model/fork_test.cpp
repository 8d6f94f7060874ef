// What a fork keeps, and how it refuses.
#include "core/model/fork.hpp"

#include <gtest/gtest.h>

#include <belay/error.hpp>

#include "core/model/worker.hpp"

namespace belay::model {
namespace {

struct Scene {
    Run run;
    std::vector<Stage> stages;
    std::vector<Attempt> attempts;

    Scene() {
        run.id = "july";
        run.workflow_key = "INVOICE";
        run.status = RunStatus::Failed;
        run.input = R"({"file":"july.pdf"})";
        run.organization_id = "acme";
    }
    Stage& add(const std::string& path, const std::string& key,
               StageStatus status = StageStatus::Succeeded, StageKind kind = StageKind::Step) {
        Stage stage;
        stage.path = path;
        stage.stage_key = key;
        stage.status = status;
        stage.kind = kind;
        stage.position = static_cast<std::int64_t>(stages.size()) + 1;
        stage.output = "1";
        return stages.emplace_back(std::move(stage));
    }
    // "1 split, 2 ocr=7"
    std::string kept(const ForkOptions& options) const {
        std::string text;
        for (const Stage& stage : fork_of(run, stages, attempts, options).stages) {
            text += (text.empty() ? "" : ", ") + stage.path + " " + stage.stage_key;
            if (stage.output != "1") text += "=" + stage.output.value_or("-");
        }
        return text;
    }
    std::optional<ErrorCode> refused(const ForkOptions& options) const {
        try {
            fork_of(run, stages, attempts, options);
        } catch (const Error& error) {
            return error.code();
        }
        return std::nullopt;
    }
};

TEST(Fork, keeps_what_came_before_the_step_where_it_begins) {
    Scene scene;
    scene.add("1", "split");
    scene.add("2", "ocr");
    scene.add("3", "save");

    EXPECT_EQ(scene.kept({.from = "ocr"}), "1 split");
    EXPECT_EQ(scene.kept({.from = "2"}), "1 split");
    EXPECT_EQ(scene.kept({.from = "split"}), "");
}

TEST(Fork, begins_at_the_failed_step_if_nobody_says_otherwise) {
    Scene scene;
    scene.add("1", "split");
    scene.add("2", "ocr", StageStatus::Failed);
    scene.run.failure = Failure{"StepFailed", "no text", "ocr", "2"};

    EXPECT_EQ(scene.kept({}), "1 split");
}

TEST(Fork, a_run_that_did_not_fail_has_to_be_told_where) {
    Scene scene;
    scene.add("1", "split");
    scene.run.status = RunStatus::Succeeded;

    EXPECT_EQ(scene.refused({}), ErrorCode::InvalidArgument);
    EXPECT_EQ(scene.kept({.input = "{}"}), "");
}

TEST(Fork, an_edited_output_is_kept_and_the_fork_goes_on_after_it) {
    Scene scene;
    scene.add("1", "split");
    scene.add("2", "ocr", StageStatus::Failed).output.reset();
    scene.add("3", "save", StageStatus::Skipped);

    EXPECT_EQ(scene.kept({.outputs = {{"ocr", "7"}}}), "1 split, 2 ocr=7");
    EXPECT_EQ(scene.kept({.from = "save", .outputs = {{"split", "2"}}}), "1 split=2, 2 ocr=-");
    EXPECT_EQ(scene.refused({.from = "split", .outputs = {{"ocr", "7"}}}),
              ErrorCode::InvalidArgument);
    EXPECT_EQ(scene.refused({.outputs = {{"ocr", "seven"}}}), ErrorCode::InvalidArgument);
}

TEST(Fork, a_message_is_edited_as_what_was_sent) {
    Scene scene;
    scene.add("1", "answer", StageStatus::Succeeded, StageKind::Receive);

    EXPECT_EQ(scene.kept({.outputs = {{"answer", R"({"ok":true})"}}}), R"(1 answer=[{"ok":true}])");
}

TEST(Fork, from_inside_a_scope_opens_it_again_and_keeps_what_came_before_inside) {
    Scene scene;
    scene.add("1", "pipeline", StageStatus::Succeeded, StageKind::Scope);
    scene.add("1.1", "ai1");
    scene.add("1.2", "ai2");
    scene.add("2", "save");

    EXPECT_EQ(scene.kept({.from = "ai2"}), "1.1 ai1");
    EXPECT_EQ(scene.kept({.from = "pipeline"}), "");
}

TEST(Fork, from_a_branch_keeps_the_other_branches_that_succeeded) {
    Scene scene;
    scene.add("1", "ocr_page", StageStatus::Failed, StageKind::Fan);
    scene.add("1.1", "ocr_page_1");
    scene.add("1.2", "ocr_page_2", StageStatus::Failed);
    scene.add("1.3", "ocr_page_3");
    scene.add("2", "save", StageStatus::Skipped);

    EXPECT_EQ(scene.kept({.from = "ocr_page_3"}), "1.1 ocr_page_1");
    EXPECT_EQ(scene.kept({.from = "ocr_page_2"}), "1.1 ocr_page_1, 1.3 ocr_page_3");
}

TEST(Fork, keeps_the_patches_that_the_code_had_passed) {
    Scene scene;
    scene.add("patch:vat", "vat", StageStatus::Succeeded, StageKind::Patch);
    scene.add("1", "split");
    scene.add("2", "ocr");
    scene.add("patch:late", "late", StageStatus::Succeeded, StageKind::Patch);

    EXPECT_EQ(scene.kept({.from = "ocr"}), "patch:vat vat, 1 split");
}

TEST(Fork, a_name_that_stands_for_several_steps_is_refused_with_their_paths) {
    Scene scene;
    scene.add("1", "send");
    scene.add("2", "send");

    try {
        fork_of(scene.run, scene.stages, {}, {.from = "send"});
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
        EXPECT_NE(std::string(error.what()).find("1, 2"), std::string::npos) << error.what();
    }
    EXPECT_EQ(scene.kept({.from = "2"}), "1 send");
    EXPECT_EQ(scene.refused({.from = "absent"}), ErrorCode::NotFound);
}

TEST(Fork, the_new_run_is_of_the_same_owner_and_draws_the_same_numbers) {
    Scene scene;
    scene.add("1", "split");
    scene.run.queue = "ocr";
    scene.run.partition = "acme";
    const Fork fork = fork_of(scene.run, scene.stages, {}, {.from = "split"});

    const NewRun made = forked_run(scene.run, fork, "again", "2");

    EXPECT_EQ(made.workflow_key, "INVOICE");
    EXPECT_EQ(made.organization_id, "acme");
    EXPECT_EQ(made.input, scene.run.input);
    EXPECT_EQ(made.forked_from, "july");
    EXPECT_EQ(made.seed_id, "july");
    EXPECT_EQ(made.code_version, "2");
    EXPECT_EQ(made.queue, "ocr");
    EXPECT_EQ(made.partition, "acme");
}

TEST(Versions, a_worker_takes_its_own_version_and_those_it_names) {
    const Versions strict{"3", {}};
    EXPECT_TRUE(strict.take("3"));
    EXPECT_TRUE(strict.take(""));
    EXPECT_FALSE(strict.take("2"));

    const Versions named{"3.1", {"3.*", "2.9"}};
    EXPECT_TRUE(named.take("3.0"));
    EXPECT_TRUE(named.take("2.9"));
    EXPECT_FALSE(named.take("2.8"));

    EXPECT_TRUE((Versions{"", {}}).take("7"));
    EXPECT_TRUE((Versions{"3", {"*"}}).take("7"));
}

}  // namespace
}  // namespace belay::model
