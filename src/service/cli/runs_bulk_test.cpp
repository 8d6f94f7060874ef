// Many runs at once, forks and messages from the command line.
#include "service/cli/runs_bulk.hpp"

#include <gtest/gtest.h>

#include <belay/error.hpp>

#include "core/library/host.hpp"
#include "service/cli/cli_test.hpp"
#include "service/cli/runs_list.hpp"
#include "service/cli/runs_send.hpp"

namespace belay::cli {
namespace {

using namespace std::chrono_literals;

void fail(CliBench& b, const std::string& id) {
    const auto lease = b.submit(id, "w1");
    b.record(lease, b.stage("1", "split", StageStatus::Succeeded));
    b.record(lease, b.stage("2", "ocr", StageStatus::Failed));
    b.end(lease, RunStatus::Failed, model::Failure{"StepFailed", "no text", "ocr", "2"});
}

TEST(RunsBulk, counts_only_the_runs_that_can_be_asked) {
    CliBench b;
    fail(b, "a");
    fail(b, "b");
    b.submit("c");
    Bulk bulk;
    bulk.kind = store::ControlKind::Retry;
    bulk.filter.workflow_key = "INVOICE";

    const BulkCount count = count_bulk(b.outside, bulk);

    EXPECT_EQ(count.runs, 2);
    EXPECT_EQ(count.first, (std::vector<std::string>{"b", "a"}));
}

TEST(RunsBulk, acts_here_when_nobody_executes) {
    CliBench b;
    for (int i = 0; i < 230; ++i) fail(b, "run-" + std::to_string(i));
    Bulk bulk;
    bulk.kind = store::ControlKind::Retry;
    bulk.filter.status = RunStatus::Failed;

    const BulkOutcome outcome = bulk_here(b.store, bulk, b.now());

    EXPECT_EQ(outcome.done, 230);
    EXPECT_TRUE(outcome.refused.empty());
    EXPECT_EQ(b.store.count_runs().queued, 230);
}

TEST(RunsBulk, asks_the_process_that_executes_and_tells_what_it_refused) {
    CliBench b;
    b.submit("a");
    b.submit("b");
    Bulk bulk;
    bulk.kind = store::ControlKind::Cancel;
    bulk.filter.workflow_key = "INVOICE";
    const auto answer_all = [&](Duration) {
        const auto taken = b.commit(store::TakeRequests{});
        for (const auto& request : taken.outcome)
            b.commit(store::AnswerRequest{request.id, request.run_id == "a", "a hook threw"});
    };

    const BulkOutcome outcome = bulk_by_asking(b.outside, bulk, b.now(), 1s, answer_all);

    EXPECT_EQ(outcome.done, 1);
    ASSERT_EQ(outcome.refused.size(), 1U);
    EXPECT_EQ(outcome.refused[0].first, "b");
    EXPECT_EQ(outcome.refused[0].second, "a hook threw");
}

TEST(RunsBulk, what_nobody_answers_is_counted) {
    CliBench b;
    b.submit("a");
    Bulk bulk;
    bulk.kind = store::ControlKind::Pause;
    bulk.filter.workflow_key = "INVOICE";

    EXPECT_EQ(bulk_by_asking(b.outside, bulk, b.now(), 1s, [](Duration) {}).unanswered, 1);
}

TEST(RunsBulk, a_fork_made_here_keeps_what_came_before_the_failed_step) {
    CliBench b;
    fail(b, "july");

    EXPECT_EQ(fork_here(b.store, "july", {}, b.now()), "july/fork-1");
    EXPECT_EQ(fork_here(b.store, "july", {}, b.now()), "july/fork-2");

    const model::Run fork = b.run("july/fork-1");
    EXPECT_EQ(fork.status, RunStatus::Queued);
    EXPECT_EQ(fork.forked_from, "july");
    ASSERT_EQ(b.store.stages(fork.no).size(), 1U);
    EXPECT_EQ(b.store.stages(fork.no)[0].stage_key, "split");
}

TEST(RunsBulk, a_fork_with_the_id_of_a_run_that_exists_is_an_error) {
    CliBench b;
    fail(b, "july");
    ForkOptions same;
    same.id = "july";

    try {
        fork_here(b.store, "july", same, b.now());
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::InputMismatch);
        EXPECT_NE(std::string(error.what()).find("exists already"), std::string::npos)
            << error.what();
    }
}

TEST(RunsBulk, a_fork_request_is_read_back_as_it_was_written) {
    ForkOptions options;
    options.from = "ocr";
    options.input = "{}";
    options.outputs["split"] = "[1]";
    options.id = "again";

    const ForkOptions read = engine::read_fork_request(engine::fork_request(options));

    EXPECT_EQ(read.from, "ocr");
    EXPECT_EQ(read.input, "{}");
    EXPECT_EQ(read.outputs, options.outputs);
    EXPECT_EQ(read.id, "again");
}

TEST(RunsSend, a_message_sent_here_is_listed_as_unread) {
    CliBench b;
    b.submit("july");

    EXPECT_EQ(send_here(b.store, {"july", "answer", R"({"ok":true})", "k", ""}, b.now()), "sent");
    EXPECT_EQ(send_here(b.store, {"july", "answer", R"({"ok":true})", "k", ""}, b.now()),
              "duplicate");

    list_messages(b.outside, "july", b.now(), b.screen);
    EXPECT_NE(b.text.str().find("unread"), std::string::npos) << b.text.str();
    EXPECT_NE(b.text.str().find("answer"), std::string::npos) << b.text.str();
}

TEST(RunsSend, what_is_no_json_and_what_cannot_be_read_is_refused) {
    CliBench b;
    const auto lease = b.submit("july", "w1");
    b.end(lease, RunStatus::Succeeded);

    EXPECT_THROW(send_here(b.store, {"july", "answer", "yes", "", ""}, b.now()), Error);
    EXPECT_THROW(send_here(b.store, {"july", "answer", "true", "", ""}, b.now()), Error);
}

TEST(RunsList, a_stalled_run_says_so_where_its_error_would_be) {
    CliBench b;
    const auto lease = b.submit("july", "w1");
    b.commit(store::MarkStalled{
        lease.run, model::Stall{model::StallReason::NoWorker, "no worker defines it", b.now()}});

    list_runs(b.outside, {}, "belay runs list", b.now(), b.screen);

    EXPECT_NE(b.text.str().find("stalled: no worker"), std::string::npos) << b.text.str();
}

}  // namespace
}  // namespace belay::cli
