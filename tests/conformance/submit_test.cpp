// submit_test.cpp — one workflow id, one run (P3).
#include "conformance/store_test.hpp"

namespace belay::store {
namespace {

class SubmitTest : public StoreTest {
protected:
    SubmitOutcome outcome_of(const Submit& verb) {
        return std::get<SubmitOutcome>(apply(verb).outcome);
    }
};

TEST_P(SubmitTest, a_new_id_makes_a_queued_run_with_all_that_was_given) {
    Submit verb = submit_of("july");
    verb.run.organization_id = "acme";
    verb.run.source_channel = "web_upload";
    verb.run.file_id = "f-1";
    verb.run.content_hash = "abc";
    verb.run.code_version = "1.2";

    const auto outcome = outcome_of(verb);

    EXPECT_EQ(outcome.kind, SubmitKind::Created);
    const auto run = get("july");
    EXPECT_EQ(run.no, outcome.run.no);
    EXPECT_TRUE(run.no);
    EXPECT_EQ(run.workflow_key, "invoice");
    EXPECT_EQ(run.input, R"({"file":"july.pdf"})");
    EXPECT_EQ(run.status, RunStatus::Queued);
    EXPECT_EQ(run.current_stage, "queued");
    EXPECT_EQ(run.organization_id, "acme");
    EXPECT_EQ(run.source_channel, "web_upload");
    EXPECT_EQ(run.file_id, "f-1");
    EXPECT_EQ(run.content_hash, "abc");
    EXPECT_EQ(run.code_version, "1.2");
    EXPECT_EQ(run.epoch, 0);
    EXPECT_EQ(run.attempts, 1);
    EXPECT_EQ(run.recoveries, 0);
    EXPECT_EQ(run.created_at, now);
    EXPECT_EQ(run.updated_at, now);
    EXPECT_EQ(run.started_at, std::nullopt);
    EXPECT_EQ(run.completed_at, std::nullopt);
    EXPECT_EQ(run.result, std::nullopt);
    EXPECT_EQ(run.failure, std::nullopt);
    EXPECT_EQ(run.progress, std::nullopt);
    EXPECT_FALSE(run.cancel_requested);
    EXPECT_FALSE(run.pause_requested);
}

TEST_P(SubmitTest, runs_are_numbered_in_the_order_they_came) {
    const auto first = queued("a");
    const auto second = queued("b");

    EXPECT_LT(first.no, second.no);
}

TEST_P(SubmitTest, a_second_submission_joins_the_run_while_it_is_open) {
    for (const auto status :
         {RunStatus::Queued, RunStatus::Running, RunStatus::Waiting, RunStatus::Paused}) {
        const std::string id{to_string(status)};
        const auto first = in_state(id, status);

        const auto second = outcome_of(submit_of(id));

        EXPECT_EQ(second.kind, SubmitKind::Joined) << id;
        EXPECT_EQ(second.run.no, first.no) << id;
        EXPECT_EQ(second.run.status, status) << id;
    }
}

TEST_P(SubmitTest, after_success_it_gives_the_result_even_if_a_retry_is_asked_for) {
    ended("july", RunStatus::Succeeded);
    Submit again = submit_of("july");
    again.retry_failed = true;

    const auto outcome = outcome_of(again);

    EXPECT_EQ(outcome.kind, SubmitKind::Joined);
    EXPECT_EQ(outcome.run.status, RunStatus::Succeeded);
    EXPECT_EQ(outcome.run.result, R"({"total":"12.50"})");
}

TEST_P(SubmitTest, after_failure_it_gives_the_failure) {
    ended("july", RunStatus::Failed);

    const auto outcome = outcome_of(submit_of("july"));

    EXPECT_EQ(outcome.kind, SubmitKind::Joined);
    EXPECT_EQ(outcome.run.status, RunStatus::Failed);
    EXPECT_EQ(outcome.run.failure, failure_at("2"));
    EXPECT_EQ(get("july").status, RunStatus::Failed);
}

TEST_P(SubmitTest, after_failure_with_a_retry_asked_for_it_is_queued_and_rewound) {
    const auto run = running("july");
    apply(record_of(run, stage_of("1", StageStatus::Succeeded)));
    apply(record_of(run, stage_of("2", StageStatus::Failed)));
    apply(record_of(run, stage_of("3", StageStatus::Skipped)));
    apply(end_of(run, RunStatus::Failed));
    Submit again = submit_of("july");
    again.retry_failed = true;
    again.claim_as = worker;

    const auto outcome = outcome_of(again);

    EXPECT_EQ(outcome.kind, SubmitKind::Retried);
    const auto retried = get("july");
    EXPECT_EQ(retried.status, RunStatus::Queued);
    EXPECT_EQ(retried.attempts, 2);
    EXPECT_GT(retried.epoch, run.epoch);
    EXPECT_EQ(retried.failure, std::nullopt);
    EXPECT_EQ(retried.completed_at, std::nullopt);
    EXPECT_EQ(stage_at(run, "1")->status, StageStatus::Succeeded);
    EXPECT_EQ(stage_at(run, "2")->status, StageStatus::Queued);
    EXPECT_EQ(stage_at(run, "3"), std::nullopt);
}

TEST_P(SubmitTest, a_canceled_run_is_retried_the_same_way) {
    ended("july", RunStatus::Canceled);
    Submit again = submit_of("july");
    again.retry_failed = true;

    EXPECT_EQ(outcome_of(again).kind, SubmitKind::Retried);
    EXPECT_EQ(get("july").status, RunStatus::Queued);
}

TEST_P(SubmitTest, another_input_or_another_workflow_is_a_mismatch_and_changes_nothing) {
    const auto first = ended("july", RunStatus::Failed);
    Submit other_input = submit_of("july");
    other_input.run.input = R"({"file":"june.pdf"})";
    other_input.retry_failed = true;
    Submit other_workflow = submit_of("july");
    other_workflow.run.workflow_key = "receipt";
    other_workflow.retry_failed = true;

    EXPECT_EQ(outcome_of(other_input).kind, SubmitKind::Mismatch);
    EXPECT_EQ(outcome_of(other_workflow).kind, SubmitKind::Mismatch);

    const auto after = get("july");
    EXPECT_EQ(after.status, RunStatus::Failed);
    EXPECT_EQ(after.input, first.input);
    EXPECT_EQ(after.workflow_key, "invoice");
    EXPECT_EQ(after.epoch, first.epoch);
}

TEST_P(SubmitTest, two_of_one_id_in_one_batch_make_one_run) {
    apply_all({submit_of("july"), submit_of("july")});

    const auto first = std::get<SubmitOutcome>(verb_at<Submit>(0).outcome);
    const auto second = std::get<SubmitOutcome>(verb_at<Submit>(1).outcome);
    EXPECT_EQ(first.kind, SubmitKind::Created);
    EXPECT_EQ(second.kind, SubmitKind::Joined);
    EXPECT_EQ(first.run.no, second.run.no);
    EXPECT_EQ(store->count_runs().queued, 1);
}

TEST_P(SubmitTest, a_due_run_can_be_claimed_in_the_same_commit) {
    Submit verb = submit_of("july");
    verb.claim_as = worker;

    const auto outcome = outcome_of(verb);

    EXPECT_EQ(outcome.kind, SubmitKind::Created);
    EXPECT_EQ(outcome.run.status, RunStatus::Running);
    EXPECT_EQ(outcome.run.epoch, 1);
    const auto run = get("july");
    EXPECT_EQ(run.status, RunStatus::Running);
    EXPECT_EQ(run.worker, worker);
    EXPECT_EQ(run.epoch, 1);
    EXPECT_EQ(run.started_at, now);
    EXPECT_TRUE(is<Applied>(apply(record_of(run, stage_of("1", StageStatus::Running))).outcome));
}

TEST_P(SubmitTest, a_run_for_later_is_queued_even_if_a_claim_was_asked_for) {
    Submit verb = submit_of("july");
    verb.claim_as = worker;
    verb.run.available_at = now + 1min;

    const auto outcome = outcome_of(verb);

    EXPECT_EQ(outcome.run.status, RunStatus::Queued);
    EXPECT_EQ(get("july").wake_at, now + 1min);
    EXPECT_EQ(get("july").started_at, std::nullopt);
}

TEST_P(SubmitTest, joining_does_not_claim) {
    queued("july");
    Submit again = submit_of("july");
    again.claim_as = worker;

    EXPECT_EQ(outcome_of(again).kind, SubmitKind::Joined);
    EXPECT_EQ(get("july").status, RunStatus::Queued);
}

TEST_P(SubmitTest, the_start_hook_runs_in_the_same_commit_if_the_run_starts) {
    make_notes_table();
    Submit now_running = submit_of("a");
    now_running.claim_as = worker;
    now_running.on_start = write_note("a started");
    Submit only_queued = submit_of("b");
    only_queued.on_start = write_note("b started");
    Submit for_later = submit_of("c");
    for_later.claim_as = worker;
    for_later.run.available_at = now + 1s;
    for_later.on_start = write_note("c started");

    apply_all({now_running, only_queued, for_later, now_running});

    EXPECT_EQ(notes(), Ids{"a started"});
}

TEST_P(SubmitTest, a_start_hook_that_throws_leaves_no_run_and_spares_its_neighbours) {
    make_notes_table();
    Submit bad = submit_of("bad");
    bad.claim_as = worker;
    bad.on_start = [](SqlTx& tx) -> std::string {
        write_note("half done")(tx);
        tx.submit(new_run("child"));
        throw std::runtime_error("no more room");
    };

    apply_all({submit_of("before"), bad, submit_of("after")});

    ASSERT_TRUE(is<BodyFailed>(verb_at<Submit>(1).outcome));
    EXPECT_EQ(text_of(std::get<BodyFailed>(verb_at<Submit>(1).outcome)), "no more room");
    EXPECT_FALSE(exists("bad"));
    EXPECT_FALSE(exists("child"));
    EXPECT_EQ(notes(), Ids{});
    EXPECT_TRUE(exists("before"));
    EXPECT_TRUE(exists("after"));
}

TEST_P(SubmitTest, odd_texts_come_back_as_they_were) {
    using namespace std::string_literals;
    const Ids odd{"it's \"quoted\"; DROP TABLE workflow_runs; --", "räksmörgås 🧾 ￿",
                  "%_?:$1", "line\nbreak\ttab\\", "nul\0inside"s};
    for (const auto& text : odd) {
        Submit verb = submit_of(text);
        verb.run.input = text;
        verb.run.organization_id = text;
        verb.run.file_id = text;

        EXPECT_EQ(outcome_of(verb).kind, SubmitKind::Created) << text;
        EXPECT_EQ(outcome_of(verb).kind, SubmitKind::Joined) << text;

        const auto run = get(text);
        EXPECT_EQ(run.id, text);
        EXPECT_EQ(run.input, text);
        EXPECT_EQ(run.organization_id, text);
        EXPECT_EQ(run.file_id, text);
    }
}

TEST_P(SubmitTest, texts_that_differ_after_a_nul_are_different) {
    using namespace std::string_literals;
    Submit one = submit_of("a\0one"s);
    Submit two = submit_of("a\0two"s);

    EXPECT_EQ(outcome_of(one).kind, SubmitKind::Created);
    EXPECT_EQ(outcome_of(two).kind, SubmitKind::Created);
}

BELAY_ON_EVERY_STORE(SubmitTest);

}  // namespace
}  // namespace belay::store
