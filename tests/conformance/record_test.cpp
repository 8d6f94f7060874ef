// record_test.cpp — a step's record: one row per path, guarded by the stage transitions, under the
// lease.
#include "conformance/store_test.hpp"

namespace belay::store {
namespace {

class RecordTest : public StoreTest {
protected:
    WriteOutcome record(const model::Run& run, model::Stage stage) {
        return apply(record_of(run, std::move(stage))).outcome;
    }
};

TEST_P(RecordTest, a_stage_comes_back_as_it_was_written) {
    const auto run = running("july");
    model::Stage stage;
    stage.path = "4.2.1";
    stage.stage_key = "ocr_page_1";
    stage.kind = model::StageKind::Scope;
    stage.status = StageStatus::Retrying;
    stage.position = 7;
    stage.attempt = 3;
    stage.attempts_before = 2;
    stage.started_at = now - 5s;
    stage.finished_at = now - 1s;
    stage.next_attempt_at = now + 10s;
    stage.message = "the page's \"scan\" was empty";
    stage.error_code = "StepFailed";
    stage.output = "{}";
    stage.cost = R"({"tokens":12})";

    EXPECT_TRUE(is<Applied>(record(run, stage)));

    EXPECT_EQ(store->stages(run.no), std::vector{stage});
}

TEST_P(RecordTest, empty_fields_come_back_empty_and_an_empty_output_is_not_a_missing_one) {
    const auto run = running("july");
    model::Stage bare = stage_of("1", StageStatus::Running);
    model::Stage with_empty_output = stage_of("2", StageStatus::Succeeded);
    with_empty_output.output = "";

    record(run, bare);
    record(run, with_empty_output);

    EXPECT_EQ(store->stages(run.no), (std::vector{bare, with_empty_output}));
}

// A checkpoint is the record of a running step with a value where its result will be.
TEST_P(RecordTest,
       what_a_step_under_way_keeps_is_read_by_who_takes_the_run_over_and_not_written_by_the_other) {
    const auto run = running("july");
    model::Stage kept = stage_of("1", StageStatus::Running);
    kept.output = R"({"page":3})";
    EXPECT_TRUE(is<Applied>(record(run, kept)));

    restart();
    const auto taken = apply(claim_of()).outcome.claimed.at(0);
    Load load;
    load.runs = {taken.no};
    const auto history = apply(std::move(load)).outcome;
    kept.output = R"({"page":4})";

    ASSERT_EQ(history.at(0).size(), 1u);
    EXPECT_EQ(history[0][0].output, R"({"page":3})");
    EXPECT_TRUE(is<Fenced>(record(run, kept))) << "its worker was given up";
    EXPECT_EQ(stage_at(taken, "1")->output, R"({"page":3})");
    model::Stage done = stage_of("1", StageStatus::Succeeded);
    done.output = "30";
    done.finished_at = now;
    EXPECT_TRUE(is<Applied>(record(taken, done)));
    EXPECT_EQ(stage_at(taken, "1")->output, "30");
}

TEST_P(RecordTest, a_retry_of_the_run_keeps_what_a_failed_step_had_kept) {
    const auto run = running("july");
    model::Stage failed = stage_of("1", StageStatus::Failed);
    failed.output = R"({"page":3})";
    failed.finished_at = now;
    record(run, failed);
    model::Stage child = stage_of("2", StageStatus::Failed);
    child.kind = model::StageKind::Child;
    child.output = R"("its id")";
    child.finished_at = now;
    record(run, child);
    apply(end_of(run, RunStatus::Failed));

    Control retry;
    retry.run_id = "july";
    retry.kind = ControlKind::Retry;
    retry.expected_epoch = get("july").epoch;
    retry.reset_paths = {"1", "2"};
    EXPECT_EQ(apply(std::move(retry)).outcome, ControlResult::Done);

    EXPECT_EQ(stage_at(run, "1")->status, StageStatus::Queued);
    EXPECT_EQ(stage_at(run, "1")->output, R"({"page":3})");
    EXPECT_EQ(stage_at(run, "2")->output, std::nullopt) << "of what is no step it is no checkpoint";
}

TEST_P(RecordTest, there_is_one_row_per_path_and_the_newest_record_replaces_it) {
    const auto run = running("july");
    model::Stage second = stage_of("1", StageStatus::Succeeded);
    second.attempt = 2;
    second.finished_at = now;

    EXPECT_TRUE(is<Applied>(record(run, stage_of("1", StageStatus::Running))));
    EXPECT_TRUE(is<Applied>(record(run, second)));

    EXPECT_EQ(store->stages(run.no), std::vector{second});
}

TEST_P(RecordTest, a_fans_outcome_closes_what_is_open_inside_it_and_nothing_else) {
    const auto run = running("july");
    for (const auto* path : {"3", "3.1", "3.1.2", "3.2", "3.10", "4", "30.1"}) {
        record(run, stage_of(path, StageStatus::Running));
    }
    record(run, stage_of("3.2", StageStatus::Succeeded));
    Record outcome = record_of(run, stage_of("3", StageStatus::Succeeded));
    outcome.skip_inside = true;
    outcome.skipped = {stage_of("3.2", StageStatus::Skipped),
                       stage_of("3.4", StageStatus::Skipped)};

    EXPECT_TRUE(is<Applied>(apply(outcome).outcome));

    EXPECT_EQ(stage_at(run, "3.1")->status, StageStatus::Skipped);
    EXPECT_EQ(stage_at(run, "3.1")->finished_at, now);
    EXPECT_EQ(stage_at(run, "3.1.2")->status, StageStatus::Skipped);
    EXPECT_EQ(stage_at(run, "3.10")->status, StageStatus::Skipped);
    EXPECT_EQ(stage_at(run, "3.4")->status, StageStatus::Skipped);
    EXPECT_EQ(stage_at(run, "3.2")->status, StageStatus::Succeeded);
    EXPECT_EQ(stage_at(run, "4")->status, StageStatus::Running);
    EXPECT_EQ(stage_at(run, "30.1")->status, StageStatus::Running);
}

TEST_P(RecordTest, the_same_path_in_another_run_is_another_stage) {
    const auto a = running("a");
    const auto b = running("b");

    EXPECT_TRUE(is<Applied>(record(a, stage_of("1", StageStatus::Succeeded))));
    EXPECT_TRUE(is<Applied>(record(b, stage_of("1", StageStatus::Failed))));

    EXPECT_EQ(stage_at(a, "1")->status, StageStatus::Succeeded);
    EXPECT_EQ(stage_at(b, "1")->status, StageStatus::Failed);
}

TEST_P(RecordTest, every_transition_is_allowed_or_refused_as_the_table_says) {
    using enum StageStatus;
    const std::vector all{Queued, Running, Retrying, Succeeded, Failed, Skipped, Canceled};
    for (const auto from : all) {
        for (const auto to : all) {
            const auto name = std::string(to_string(from)) + " to " + std::string(to_string(to));
            const auto run = running(name);
            const auto before = stage_of("1", from);
            const auto after = stage_of("1", to);
            ASSERT_TRUE(is<Applied>(record(run, before))) << name;

            const auto outcome = record(run, after);

            if (!is_finished(from) && to != Queued) {
                EXPECT_TRUE(is<Applied>(outcome)) << name;
                EXPECT_EQ(stage_at(run, "1"), after) << name;
            } else {
                ASSERT_TRUE(is<Refused>(outcome)) << name;
                EXPECT_FALSE(std::get<Refused>(outcome).why.empty()) << name;
                EXPECT_EQ(stage_at(run, "1"), before) << name;
            }
        }
    }
}

TEST_P(RecordTest, a_refused_record_leaves_neither_attempts_nor_progress) {
    const auto run = running("july");
    record(run, stage_of("1", StageStatus::Succeeded));
    Record late = record_of(run, stage_of("1", StageStatus::Failed));
    late.attempts = {attempt_of("1", 1)};
    late.progress = model::Progress{1, 2, "half"};

    EXPECT_TRUE(is<Refused>(apply(late).outcome));

    EXPECT_TRUE(store->attempts(run.no).empty());
    EXPECT_EQ(get("july").progress, std::nullopt);
}

TEST_P(RecordTest, failed_attempts_are_kept_beside_the_stage_in_their_order) {
    const auto run = running("july");
    Record first = record_of(run, stage_of("1", StageStatus::Retrying));
    first.attempts = {attempt_of("1", 1), attempt_of("1", 2)};
    Record last = record_of(run, stage_of("1", StageStatus::Succeeded));
    last.attempts = {attempt_of("1", 3)};

    apply(first);
    apply(last);

    EXPECT_EQ(store->attempts(run.no),
              (std::vector{attempt_of("1", 1), attempt_of("1", 2), attempt_of("1", 3)}));
}

TEST_P(RecordTest, progress_is_written_to_the_run) {
    const auto run = running("july");
    Record verb = record_of(run, stage_of("1", StageStatus::Running));
    verb.progress = model::Progress{3, 10, "page 3 of 10"};

    apply(verb);

    EXPECT_EQ(get("july").progress, (model::Progress{3, 10, "page 3 of 10"}));
}

TEST_P(RecordTest, touching_the_run_writes_its_current_stage_and_time) {
    const auto run = running("july");
    now += 5s;
    Record verb = record_of(run, stage_of("1", StageStatus::Running));
    verb.touch_run = true;

    apply(verb);

    EXPECT_EQ(get("july").current_stage, "stage_1");
    EXPECT_EQ(get("july").updated_at, now);
    EXPECT_EQ(get("july").created_at, now - 5s);
}

TEST_P(RecordTest, an_old_epoch_is_fenced_and_writes_nothing_while_its_neighbours_are_applied) {
    const auto old = running("july");
    const auto neighbour = running("june");
    restart();
    const auto current = apply(claim_of()).outcome.claimed.at(0);
    ASSERT_EQ(current.id, "july");
    Record stale = record_of(old, stage_of("1", StageStatus::Succeeded));
    stale.attempts = {attempt_of("1", 1)};
    stale.progress = model::Progress{1, 1, "stale"};
    stale.touch_run = true;
    const auto taken = get("june");

    apply_all({record_of(taken, stage_of("1", StageStatus::Succeeded)), stale,
               record_of(current, stage_of("2", StageStatus::Succeeded))});

    EXPECT_TRUE(is<Applied>(verb_at<Record>(0).outcome));
    EXPECT_TRUE(is<Fenced>(verb_at<Record>(1).outcome));
    EXPECT_TRUE(is<Applied>(verb_at<Record>(2).outcome));
    EXPECT_EQ(stage_at(current, "1"), std::nullopt);
    EXPECT_TRUE(stage_at(current, "2").has_value());
    EXPECT_TRUE(stage_at(neighbour, "1").has_value());
    EXPECT_TRUE(store->attempts(current.no).empty());
    EXPECT_EQ(get("july").progress, std::nullopt);
}

TEST_P(RecordTest, a_run_that_is_not_running_or_does_not_exist_is_fenced) {
    for (const auto status : {RunStatus::Queued, RunStatus::Waiting, RunStatus::Paused,
                              RunStatus::Succeeded, RunStatus::Failed, RunStatus::Canceled}) {
        const auto run = in_state(std::string(to_string(status)), status);

        EXPECT_TRUE(is<Fenced>(record(run, stage_of("1", StageStatus::Running)))) << run.id;
        EXPECT_TRUE(store->stages(run.no).empty()) << run.id;
    }
    model::Run nobody;
    nobody.no = RunNo{987654};
    nobody.epoch = 1;
    EXPECT_TRUE(is<Fenced>(record(nobody, stage_of("1", StageStatus::Running))));
}

TEST_P(RecordTest, an_epoch_from_the_future_is_fenced_too) {
    auto run = running("july");
    run.epoch += 1;

    EXPECT_TRUE(is<Fenced>(record(run, stage_of("1", StageStatus::Running))));
}

TEST_P(RecordTest, records_of_one_batch_see_each_other) {
    const auto run = running("july");

    apply_all({record_of(run, stage_of("1", StageStatus::Running)),
               record_of(run, stage_of("1", StageStatus::Succeeded)),
               record_of(run, stage_of("1", StageStatus::Running))});

    EXPECT_TRUE(is<Applied>(verb_at<Record>(0).outcome));
    EXPECT_TRUE(is<Applied>(verb_at<Record>(1).outcome));
    EXPECT_TRUE(is<Refused>(verb_at<Record>(2).outcome));
    EXPECT_EQ(stage_at(run, "1")->status, StageStatus::Succeeded);
}

TEST_P(RecordTest, a_megabyte_of_output_comes_back_whole) {
    const auto run = running("july");
    model::Stage big = stage_of("1", StageStatus::Succeeded);
    big.output = '"' + std::string(1 << 20, 'x') + '"';

    EXPECT_TRUE(is<Applied>(record(run, big)));
    restart();

    EXPECT_EQ(stage_at(run, "1"), big);
}

TEST_P(RecordTest, odd_texts_come_back_as_they_were) {
    using namespace std::string_literals;
    const auto run = running("july");
    std::int64_t position = 0;
    for (const auto& text :
         {"it's \"quoted\" --"s, "räksmörgås 🧾"s, "%_?:$1"s, "a\nb\\"s, "nul\0inside"s}) {
        model::Stage stage = stage_of(std::to_string(++position), StageStatus::Succeeded);
        stage.stage_key = text;
        stage.message = text;
        stage.output = text;
        stage.cost = text;

        record(run, stage);

        EXPECT_EQ(stage_at(run, stage.path), stage) << text;
    }
}

TEST_P(RecordTest, a_patch_mark_is_a_record_like_any_other) {
    const auto run = running("july");
    model::Stage mark = stage_of("1", StageStatus::Succeeded);
    mark.path = "patch:new-ocr";
    mark.kind = model::StageKind::Patch;

    EXPECT_TRUE(is<Applied>(record(run, mark)));
    EXPECT_EQ(stage_at(run, "patch:new-ocr"), mark);
}

TEST_P(RecordTest, what_was_recorded_survives_a_restart) {
    const auto run = running("july");
    Record verb = record_of(run, stage_of("1", StageStatus::Succeeded));
    verb.attempts = {attempt_of("1", 1)};
    verb.progress = model::Progress{1, 2, "half"};
    apply(verb);

    restart();

    EXPECT_EQ(store->stages(run.no), std::vector{stage_of("1", StageStatus::Succeeded)});
    EXPECT_EQ(store->attempts(run.no), std::vector{attempt_of("1", 1)});
    EXPECT_EQ(get("july").progress, (model::Progress{1, 2, "half"}));
}

BELAY_ON_EVERY_STORE(RecordTest);

}  // namespace
}  // namespace belay::store
