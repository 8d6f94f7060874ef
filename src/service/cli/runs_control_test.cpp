#include "service/cli/runs_control.hpp"

#include <gtest/gtest.h>

#include "service/cli/cli_test.hpp"

namespace belay::cli {
namespace {

using namespace std::chrono_literals;
using How = Changed::How;
using store::ControlKind;

TEST(RunsControl, without_an_executor_the_change_is_made_here) {
    CliBench b;
    b.submit("july");
    const Change cancel{ControlKind::Cancel, "july", "wrong file"};

    const Changed changed = change_here(b.store, cancel, b.now());

    EXPECT_EQ(changed.how, How::Done);
    EXPECT_EQ(b.run("july").status, RunStatus::Canceled);
    EXPECT_EQ(b.run("july").failure->message, "wrong file");
    EXPECT_EQ(sentence_about(cancel, changed, false),
              "july is canceled. No process executes on this store, so no on_end hook of its "
              "workflow has run.");
}

TEST(RunsControl, a_retry_made_here_opens_the_failed_step_again) {
    CliBench b;
    const auto lease = b.submit("july", "w1");
    b.record(lease, b.stage("1", "split", StageStatus::Succeeded));
    b.record(lease, b.stage("2", "ocr", StageStatus::Failed));
    b.end(lease, RunStatus::Failed,
          model::Failure{.code = "StepFailed", .message = "x", .stage = "ocr", .path = "2"});

    const Changed changed = change_here(b.store, {ControlKind::Retry, "july", ""}, b.now());

    EXPECT_EQ(changed.how, How::Done);
    EXPECT_EQ(changed.status, RunStatus::Queued);
    const auto stages = b.store.stages(lease.run);
    ASSERT_EQ(stages.size(), 2U);
    EXPECT_EQ(stages[0].status, StageStatus::Succeeded);
    EXPECT_EQ(stages[1].status, StageStatus::Queued);
}

TEST(RunsControl, what_cannot_be_is_refused_with_the_reason) {
    CliBench b;
    b.submit("july");
    const Change resume{ControlKind::Resume, "july", ""};

    const Changed changed = change_here(b.store, resume, b.now());

    EXPECT_EQ(changed.how, How::Refused);
    EXPECT_TRUE(sentence_about(resume, changed, false).starts_with("Cannot resume july: "));
}

TEST(RunsControl, an_executor_is_asked_and_waited_for) {
    CliBench b;
    const auto lease = b.submit("july", "w1");
    int naps = 0;
    // The executor answers during the first nap, and the run stops during the third.
    const auto nap = [&](Duration) {
        ++naps;
        if (naps == 1) {
            const auto requests = b.commit(store::TakeRequests{});
            ASSERT_EQ(requests.outcome.size(), 1U);
            EXPECT_EQ(requests.outcome[0].kind, "cancel");
            EXPECT_EQ(requests.outcome[0].payload, "wrong file");
            b.commit(store::AnswerRequest{requests.outcome[0].id, true, "running"});
        }
        if (naps == 3) b.end(lease, RunStatus::Canceled);
    };

    const Changed changed =
        ask_for_change(b.outside, {ControlKind::Cancel, "july", "wrong file"}, b.now(), 10s, nap);

    EXPECT_EQ(changed.how, How::Done);
    EXPECT_EQ(changed.status, RunStatus::Canceled);
    EXPECT_EQ(naps, 3);
}

TEST(RunsControl, a_step_that_goes_on_and_an_executor_that_is_silent_are_told_apart) {
    CliBench b;
    b.submit("july", "w1");
    const Change pause{ControlKind::Pause, "july", "later"};

    const Changed silent = ask_for_change(b.outside, pause, b.now(), 1s, [](Duration) {});
    EXPECT_EQ(silent.how, How::NoAnswer);

    const auto answers = [&](Duration) {
        for (const auto& request : b.commit(store::TakeRequests{}).outcome) {
            b.commit(store::AnswerRequest{request.id, true, "running"});
        }
    };
    const Changed busy = ask_for_change(b.outside, pause, b.now(), 1s, answers);
    EXPECT_EQ(busy.how, How::Requested);
    EXPECT_TRUE(sentence_about(pause, busy, true).starts_with("july is asked to pause, "));
}

}  // namespace
}  // namespace belay::cli
