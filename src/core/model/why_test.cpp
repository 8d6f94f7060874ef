#include "core/model/why.hpp"

#include <gtest/gtest.h>

#include "core/base/text.hpp"

namespace belay::model {
namespace {

using namespace std::chrono_literals;

// A run at 12:00 that was created at 11:50, and a process 7 that executes on its store.
struct Scene {
    Time now = base::parse_time("2026-03-01T12:00:00Z").value();
    Run run;
    std::vector<Stage> stages;
    std::vector<Attempt> attempts;
    std::optional<Executor> executor = Executor{"shop (process 7)", 7};

    explicit Scene(RunStatus status) {
        run.id = "july";
        run.workflow_key = "INVOICE";
        run.status = status;
        run.worker = "host/7/abc";
        run.created_at = now - 10min;
        run.updated_at = now - 1min;
        run.started_at = now - 9min;
    }

    Stage& add(std::string key, StageStatus status, StageKind kind = StageKind::Step) {
        Stage stage;
        stage.path = std::to_string(stages.size() + 1);
        stage.stage_key = std::move(key);
        stage.kind = kind;
        stage.status = status;
        stage.position = static_cast<std::int64_t>(stages.size()) + 1;
        stage.started_at = now - 2min;
        if (is_finished(status)) stage.finished_at = now - 90s;
        return stages.emplace_back(std::move(stage));
    }

    void fail(const Stage& stage, std::string message) {
        attempts.push_back({stage.path, stage.attempt, now - 2min, now - 30s, "StepFailed",
                            std::move(message), "w"});
    }

    Why why() const { return model::why(run, stages, attempts, executor, now); }
};

TEST(Why, a_queued_run_says_that_nobody_executes) {
    Scene scene{RunStatus::Queued};
    scene.run.updated_at = scene.run.created_at;
    scene.executor.reset();

    const Why why = scene.why();

    EXPECT_EQ(why.waits_for, WaitsFor::Executor);
    EXPECT_EQ(why.sentence,
              "Queued since 2026-03-01T11:50:00.000Z (10 min): no process executes on this store, "
              "so nothing "
              "runs it.");
    EXPECT_EQ(why.to_do, "Start a program that defines workflow INVOICE on this store.");
}

TEST(Why, a_queued_run_names_who_executes_and_what_may_keep_it) {
    const Why why = Scene{RunStatus::Queued}.why();

    EXPECT_EQ(why.waits_for, WaitsFor::Worker);
    EXPECT_NE(why.sentence.find("shop (process 7) executes on this store"), std::string::npos)
        << why.sentence;
    EXPECT_NE(why.to_do.find("does not define workflow INVOICE"), std::string::npos) << why.to_do;
}

TEST(Why, a_run_that_was_resumed_is_queued_since_then) {
    const Scene scene{RunStatus::Queued};

    EXPECT_EQ(scene.why().since, scene.now - 1min);
    EXPECT_TRUE(scene.why().sentence.starts_with("Queued since 2026-03-01T11:59:00.000Z (1 min): "))
        << scene.why().sentence;
}

TEST(Why, a_delayed_run_says_until_when) {
    Scene scene{RunStatus::Queued};
    scene.run.wake_at = scene.now + 5min;

    const Why why = scene.why();

    EXPECT_EQ(why.waits_for, WaitsFor::Timer);
    EXPECT_EQ(why.until, scene.now + 5min);
    EXPECT_EQ(why.sentence,
              "Queued until 2026-03-01T12:05:00.000Z (in 5 min): it was submitted to begin then.");
}

TEST(Why, a_running_step_is_named_with_its_time_and_worker) {
    Scene scene{RunStatus::Running};
    scene.add("split", StageStatus::Succeeded);
    scene.add("pages", StageStatus::Running, StageKind::Scope);
    scene.add("ocr", StageStatus::Running);

    const Why why = scene.why();

    EXPECT_EQ(why.waits_for, WaitsFor::Step);
    EXPECT_EQ(why.stage_key, "ocr");
    EXPECT_EQ(why.sentence,
              "Running step `ocr` since 2026-03-01T11:58:00.000Z (2 min) on host/7/abc.");
}

TEST(Why, a_step_that_no_thread_has_taken_is_in_line_and_not_running) {
    Scene scene{RunStatus::Running};
    scene.add("split", StageStatus::Succeeded);
    scene.add("ocr", StageStatus::Queued).started_at.reset();

    const Why why = scene.why();

    EXPECT_EQ(why.waits_for, WaitsFor::Worker);
    EXPECT_EQ(why.stage_key, "ocr");
    EXPECT_EQ(why.sentence,
              "Step `ocr` waits for its turn since 2026-03-01T11:58:30.000Z (1 min 30 s): every thread "
              "for steps of host/7/abc is at work.");
}

TEST(Why, a_later_attempt_is_counted_from_the_failure_before_it) {
    Scene scene{RunStatus::Running};
    Stage& stage = scene.add("ocr", StageStatus::Running);
    scene.fail(stage, "out of paper");
    stage.attempt = 2;

    const Why why = scene.why();

    EXPECT_EQ(why.since, scene.now - 30s);
    EXPECT_EQ(why.attempt, 2);
    EXPECT_EQ(why.sentence,
              "Running step `ocr`, attempt 2, since 2026-03-01T11:59:30.000Z (30 s) on host/7/abc; "
              "the last "
              "attempt failed: out of paper");
}

TEST(Why, a_step_of_a_run_that_was_picked_up_again_does_not_claim_to_have_run_all_along) {
    Scene scene{RunStatus::Running};
    scene.run.epoch = 2;
    scene.add("ocr", StageStatus::Running);

    EXPECT_EQ(
        scene.why().sentence,
        "Running step `ocr` (first begun 2026-03-01T11:58:00.000Z, 2 min ago) on host/7/abc.");
}

TEST(Why, a_retry_says_when_and_after_which_error) {
    Scene scene{RunStatus::Waiting};
    Stage& stage = scene.add("ask", StageStatus::Retrying);
    stage.attempt = 2;
    stage.next_attempt_at = scene.now + 20s;
    scene.fail(stage, "503 from the model");

    const Why why = scene.why();

    EXPECT_EQ(why.waits_for, WaitsFor::Retry);
    EXPECT_EQ(why.sentence,
              "Retrying step `ask` at 2026-03-01T12:00:20.000Z (in 20 s): attempt 2 failed: 503 "
              "from the model");
    EXPECT_EQ(why.to_do, "");
}

TEST(Why, a_sleep_says_until_when_and_that_nobody_will_wake_it) {
    Scene scene{RunStatus::Waiting};
    scene.executor.reset();
    scene.add("cool_down", StageStatus::Running, StageKind::Sleep).next_attempt_at = scene.now + 2h;

    const Why why = scene.why();

    EXPECT_EQ(why.waits_for, WaitsFor::Timer);
    EXPECT_EQ(why.sentence, "Sleeping in `cool_down` until 2026-03-01T14:00:00.000Z (in 2 h).");
    EXPECT_NE(why.to_do.find("nothing will wake it"), std::string::npos) << why.to_do;
}

TEST(Why, a_run_between_two_steps_says_after_which) {
    Scene scene{RunStatus::Running};
    scene.add("split", StageStatus::Succeeded);

    const Why why = scene.why();

    EXPECT_EQ(why.waits_for, WaitsFor::Code);
    EXPECT_NE(why.sentence.find("in the workflow's code after step `split`"), std::string::npos)
        << why.sentence;
}

TEST(Why, a_run_whose_process_ended_is_not_called_running) {
    Scene scene{RunStatus::Running};
    scene.add("ocr", StageStatus::Running);
    scene.executor.reset();

    const Why why = scene.why();

    EXPECT_EQ(why.waits_for, WaitsFor::Executor);
    EXPECT_EQ(why.sentence,
              "Its process ended while it was running step `ocr`; no process executes on this "
              "store now.");
}

TEST(Why, a_run_that_the_next_process_did_not_take_up_is_found) {
    Scene scene{RunStatus::Running};
    scene.executor = Executor{"other (process 8)", 8};

    const Why why = scene.why();

    EXPECT_EQ(why.waits_for, WaitsFor::Executor);
    EXPECT_NE(
        why.sentence.find("other (process 8) executes on this store now and has not taken it up"),
        std::string::npos)
        << why.sentence;
}

TEST(Why, a_requested_cancel_is_told_first) {
    Scene scene{RunStatus::Running};
    scene.add("ocr", StageStatus::Running);
    scene.run.cancel_requested = true;

    EXPECT_TRUE(scene.why().sentence.starts_with("Asked to cancel; ")) << scene.why().sentence;
}

TEST(Why, a_paused_run_gives_its_reason_and_asks_for_a_person) {
    Scene scene{RunStatus::Paused};
    scene.run.failure =
        Failure{.code = "RunPaused", .message = "crash loop", .stage = {}, .path = {}};

    const Why why = scene.why();

    EXPECT_EQ(why.waits_for, WaitsFor::Person);
    EXPECT_EQ(why.sentence, "Paused since 2026-03-01T11:59:00.000Z (1 min): crash loop");
    EXPECT_NE(why.to_do, "");
}

TEST(Why, a_run_that_diverged_gets_one_piece_of_advice) {
    Scene scene{RunStatus::Paused};
    scene.add("ocr", StageStatus::Succeeded);
    scene.run.failure =
        Failure{.code = "Nondeterminism",
                .message =
                    "at position 1 the history has step `ocr`, but the code asked for step `read`: "
                    "the code has changed under this run. Put the old way back behind "
                    "ctx.patch(\"…\"), then resume the run.",
                .stage = "read",
                .path = "1"};

    const Why renamed = scene.why();
    EXPECT_TRUE(
        renamed.sentence.ends_with("asked for step `read`: the code has changed under "
                                   "this run."))
        << renamed.sentence;
    EXPECT_EQ(renamed.to_do,
              "Put the old way back behind ctx.patch(\"…\") (or, if `ocr` was only renamed, use "
              "the old name again), then resume the run; or cancel it.");

    scene.run.failure->stage = "ocr";
    EXPECT_EQ(scene.why().to_do,
              "Put the old way back behind ctx.patch(\"…\"), then resume the run; or cancel it.");
}

TEST(Why, a_failure_without_a_step_at_fault_does_not_promise_to_go_on_from_one) {
    Scene scene{RunStatus::Failed};
    scene.run.failure =
        Failure{.code = "StepFailed", .message = "no text", .stage = "ocr", .path = "1"};
    EXPECT_TRUE(scene.why().to_do.ends_with("it goes on from the step that failed."));

    scene.run.failure->stage.clear();
    EXPECT_TRUE(scene.why().to_do.ends_with("it goes on after its last recorded step."));
}

TEST(Why, an_ended_run_says_how) {
    Scene scene{RunStatus::Succeeded};
    scene.run.completed_at = scene.now - 1min;
    scene.add("ocr", StageStatus::Succeeded);
    scene.add("cool_down", StageStatus::Succeeded, StageKind::Sleep);
    EXPECT_EQ(scene.why().sentence,
              "Succeeded at 2026-03-01T11:59:00.000Z after 8 min, 2 stages recorded.");

    scene.run.status = RunStatus::Failed;
    scene.run.failure =
        Failure{.code = "StepFailed", .message = "no text", .stage = "ocr", .path = "1"};
    EXPECT_EQ(scene.why().sentence,
              "Failed at 2026-03-01T11:59:00.000Z after 8 min in step `ocr`: no text");

    scene.run.status = RunStatus::Canceled;
    EXPECT_EQ(scene.why().sentence, "Canceled at 2026-03-01T11:59:00.000Z after 8 min: no text");
    EXPECT_EQ(scene.why().waits_for, WaitsFor::Nothing);
}

TEST(Why, a_receive_says_its_topic_since_when_and_until_when) {
    Scene scene{RunStatus::Waiting};
    Stage& receive = scene.add("answer", StageStatus::Running, StageKind::Receive);
    receive.next_attempt_at = scene.now + 1h;

    const Why why = scene.why();

    EXPECT_EQ(why.waits_for, WaitsFor::Message);
    EXPECT_EQ(why.topic, "answer");
    EXPECT_EQ(why.until, scene.now + 1h);
    EXPECT_EQ(
        why.sentence,
        "Waiting for a message of topic `answer` since 2026-03-01T11:58:00.000Z (2 min), until "
        "2026-03-01T13:00:00.000Z (in 1 h).");
    EXPECT_EQ(why.to_do, "`belay runs send july answer JSON` sends it one.");
}

TEST(Why, a_receive_without_a_timeout_says_so) {
    Scene scene{RunStatus::Waiting};
    scene.add("answer", StageStatus::Running, StageKind::Receive);

    EXPECT_NE(scene.why().sentence.find("without a timeout"), std::string::npos)
        << scene.why().sentence;
}

TEST(Why, a_child_is_named_with_how_it_stands) {
    Scene scene{RunStatus::Waiting};
    scene.add("APPROVAL", StageStatus::Running, StageKind::Child).output = "\"july/1\"";
    Around around;
    around.executor = scene.executor;
    around.knows_children = true;
    model::Run child;
    child.id = "july/1";
    child.status = RunStatus::Paused;
    child.failure = Failure{"RunPaused", "its code diverged", "", ""};
    child.updated_at = scene.now - 1min;
    around.children = {child};

    const Why why = model::why(scene.run, scene.stages, scene.attempts, around, scene.now);

    EXPECT_EQ(why.waits_for, WaitsFor::Child);
    EXPECT_EQ(why.child_id, "july/1");
    EXPECT_EQ(why.child_status, RunStatus::Paused);
    EXPECT_NE(why.sentence.find(
                  "`july/1`, which is paused since 2026-03-01T11:59:00.000Z (its code diverged)"),
              std::string::npos)
        << why.sentence;
    EXPECT_EQ(why.to_do, "`belay runs why july/1` says what that one waits for.");
}

TEST(Why, a_child_that_is_gone_is_told_of) {
    Scene scene{RunStatus::Waiting};
    scene.add("APPROVAL", StageStatus::Running, StageKind::Child).output = "\"july/1\"";
    Around around;
    around.executor = scene.executor;
    around.knows_children = true;

    const Why why = model::why(scene.run, scene.stages, scene.attempts, around, scene.now);

    EXPECT_NE(why.sentence.find("does not exist any more"), std::string::npos) << why.sentence;
}

TEST(Why, a_fan_says_which_branches_are_open) {
    Scene scene{RunStatus::Running};
    scene.add("ocr_page", StageStatus::Running, StageKind::Fan).output = R"({"size":3})";
    const auto branch = [&](int number, StageStatus status) {
        Stage& stage = scene.add("ocr_page_" + std::to_string(number), status);
        stage.path = "1." + std::to_string(number);
    };
    branch(1, StageStatus::Succeeded);
    branch(2, StageStatus::Running);
    branch(3, StageStatus::Running);

    const Why why = scene.why();

    EXPECT_EQ(why.waits_for, WaitsFor::Step);
    EXPECT_EQ(why.open_branches, (std::vector<std::string>{"ocr_page_2", "ocr_page_3"}));
    EXPECT_TRUE(
        why.sentence.starts_with("In fan `ocr_page`, 2 of 3 branches have not ended (ocr_page_2, "
                                 "ocr_page_3). Running step `ocr_page_2`"))
        << why.sentence;
}

TEST(Why, a_queued_run_that_nobody_defines_says_what_is_defined) {
    Scene scene{RunStatus::Queued};
    Around around;
    around.executor = scene.executor;
    around.workers = {Worker{"host/7/abc", {"RECEIPT"}, {}, scene.now}};

    const Why why = model::why(scene.run, scene.stages, scene.attempts, around, scene.now);

    EXPECT_NE(why.sentence.find("nobody defines workflow INVOICE (defined: RECEIPT)"),
              std::string::npos)
        << why.sentence;
}

TEST(Why, a_stalled_run_says_why_nothing_will_wake_it) {
    Scene scene{RunStatus::Waiting};
    scene.add("answer", StageStatus::Running, StageKind::Receive);
    scene.run.stall = Stall{StallReason::TopicNeverSent, "nobody has ever sent one.", scene.now};

    EXPECT_EQ(scene.why().stalled, "topic_never_sent");
    EXPECT_NE(scene.why().sentence.find("nobody has ever sent one."), std::string::npos);

    scene.run.updated_at = scene.now + 1s;  // something has happened since
    EXPECT_EQ(scene.why().stalled, "");
}

}  // namespace
}  // namespace belay::model
