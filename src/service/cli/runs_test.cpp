// runs_test.cpp — what list, show, why and tail print.
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include <belay/error.hpp>

#include "service/cli/cli_test.hpp"
#include "service/cli/find_run.hpp"
#include "service/cli/runs_control.hpp"
#include "service/cli/runs_list.hpp"
#include "service/cli/runs_show.hpp"
#include "service/cli/runs_why.hpp"
#include "service/cli/tail.hpp"

namespace belay::cli {
namespace {

using namespace std::chrono_literals;

const model::Failure kFailure{
    .code = "StepFailed", .message = "no text\nat all", .stage = "ocr", .path = "1"};

TEST(RunsList, shows_the_newest_first_and_how_to_see_more) {
    CliBench b;
    b.submit("first");
    const auto lease = b.submit("second", "w1");
    b.clock.advance(90s);
    b.end(lease, RunStatus::Failed, kFailure);
    store::RunFilter filter;

    list_runs(b.outside, filter, "belay runs list", b.now(), b.screen);
    EXPECT_EQ(b.text.str(),
              "ID      WORKFLOW  STATUS  STAGE         AGE    DURATION  ERROR\n"
              "second  INVOICE   failed  -      1 min 30 s  1 min 30 s  no text\n"
              "first   INVOICE   queued  -      1 min 30 s           -\n");

    b.text.str("");
    filter.limit = 1;
    list_runs(b.outside, filter, "belay runs list --limit 1", b.now(), b.screen);
    EXPECT_NE(b.text.str().find("There are more: belay runs list --limit 1 --before 2\n"),
              std::string::npos)
        << b.text.str();
}

TEST(RunsList, an_empty_store_says_what_to_do) {
    CliBench b;

    list_runs(b.outside, {}, "", b.now(), b.screen);

    EXPECT_EQ(
        b.text.str(),
        "No runs in memory yet. A program makes one with engine.submit(\"WORKFLOW\", input).\n");
}

TEST(RunsList, its_json_has_a_cursor) {
    CliBench b;
    b.submit("first");
    b.submit("second");
    store::RunFilter filter;
    filter.limit = 1;

    list_runs_json(b.outside, filter, b.screen);

    const auto page = boost::json::parse(b.text.str());
    EXPECT_EQ(page.at("runs").as_array().size(), 1U);
    EXPECT_EQ(page.at("runs").as_array()[0].at("id").as_string(), "second");
    EXPECT_EQ(page.at("next_cursor").as_string(), "2");
}

TEST(RunsShow, shows_stages_by_depth_with_their_failed_attempts_beneath) {
    CliBench b;
    const auto lease = b.submit("july", "w1");
    auto outer = b.stage("1", "pages", StageStatus::Running);
    outer.kind = model::StageKind::Scope;
    b.record(lease, outer);
    auto inner = b.stage("1.1", "ocr", StageStatus::Retrying);
    inner.position = 2;
    inner.next_attempt_at = b.now() + 20s;
    inner.message = "503";
    model::Attempt failed;
    failed.path = "1.1";
    failed.started_at = b.now();
    failed.finished_at = b.now() + 250ms;
    failed.message = "503";
    b.record(lease, inner, {failed});

    show_run(b.outside, b.run("july"), b.now(), b.screen);

    const std::string text = b.text.str();
    EXPECT_NE(text.find("status       running\n"), std::string::npos) << text;
    EXPECT_NE(text.find("input        {\"file_id\":\"f\"}\n"), std::string::npos) << text;
    EXPECT_NE(
        text.find("#    STAGE  STATUS    ATTEMPT  STARTED (UTC)  DURATION  OUTPUT / MESSAGE\n"
                  "1    pages  running         1  00:00:00.000       0 ms\n"
                  "1.1    ocr  retrying        1  00:00:00.000       0 ms  next attempt in 20 s\n"
                  "       └ attempt 1 failed at 00:00:00.250 after 250 ms: 503\n"),
        std::string::npos)
        << text;
}

TEST(RunsShow, shows_what_a_step_returned_cut_as_text_and_whole_as_json) {
    CliBench b;
    const auto lease = b.submit("july", "w1");
    auto nothing = b.stage("1", "save", StageStatus::Succeeded);
    nothing.output = "null";
    b.record(lease, nothing);
    auto little = b.stage("2", "ocr", StageStatus::Succeeded);
    little.position = 2;
    little.output = R"({"pages":3})";
    b.record(lease, little);
    auto much = b.stage("3", "text", StageStatus::Succeeded);
    much.position = 3;
    much.output = '"' + std::string(5000, 'x') + '"';
    b.record(lease, much);

    show_run(b.outside, b.run("july"), b.now(), b.screen);
    const std::string text = b.text.str();
    EXPECT_NE(text.find("0 ms\n2  ocr"), std::string::npos) << text;
    EXPECT_NE(text.find("0 ms  {\"pages\":3}\n"), std::string::npos) << text;
    EXPECT_NE(text.find("xxx… (4.9 KiB; all of it with --json)\n"), std::string::npos) << text;
    EXPECT_LT(text.size(), 1500U);

    b.text.str("");
    show_run_json(b.outside, b.run("july"), b.screen);
    const auto stages = boost::json::parse(b.text.str()).at("stages").as_array();
    EXPECT_TRUE(stages.at(0).at("output").is_null());
    EXPECT_EQ(stages.at(1).at("output").at("pages").as_int64(), 3);
    EXPECT_EQ(stages.at(2).at("output").as_string().size(), 5000U);
}

TEST(RunsShow, the_worker_of_a_run_that_is_queued_again_is_its_last) {
    CliBench b;
    const auto lease = b.submit("july", "w1");
    show_run(b.outside, b.run("july"), b.now(), b.screen);
    EXPECT_NE(b.text.str().find("\nworker       w1\n"), std::string::npos) << b.text.str();

    b.end(lease, RunStatus::Failed, kFailure);
    change_here(b.store, {store::ControlKind::Retry, "july", ""}, b.now());
    b.text.str("");
    show_run(b.outside, b.run("july"), b.now(), b.screen);
    EXPECT_EQ(b.text.str().find("\nworker "), std::string::npos) << b.text.str();
}

TEST(RunsWhy, suggests_the_command_that_helps) {
    CliBench b;
    b.end(b.submit("july", "w1"), RunStatus::Failed, kFailure);

    tell_why(b.outside, b.run("july"), std::nullopt, " --store own.db", b.now(), b.screen);

    EXPECT_TRUE(b.text.str().ends_with("  belay runs retry july --store own.db\n")) << b.text.str();
}

TEST(RunsWhy, suggests_no_retry_of_what_was_undone) {
    CliBench b;
    b.end(b.submit("july", "w1"), RunStatus::Failed, kFailure);
    model::Run run = b.run("july");
    run.undo_plan = "{}";

    tell_why(b.outside, run, std::nullopt, "", b.now(), b.screen);

    EXPECT_EQ(b.text.str().find("runs retry"), std::string::npos) << b.text.str();
}

TEST(FindRun, takes_the_beginning_of_an_id_if_it_is_one_runs_alone) {
    CliBench b;
    b.submit("wf1_aaaa");
    b.submit("wf1_abbb");

    EXPECT_EQ(find_run(b.outside, "wf1_aaaa").id, "wf1_aaaa");
    EXPECT_EQ(find_run(b.outside, "wf1_ab…").id, "wf1_abbb");
    EXPECT_THROW(find_run(b.outside, "wf1_"), Error);
    EXPECT_THROW(find_run(b.outside, "wf"), Error);
    EXPECT_THROW(find_run(b.outside, "aaaa"), Error);
}

std::string refusal_of(store::Store& store, const std::string& typed) {
    try {
        find_run(store, typed);
    } catch (const Error& error) {
        return error.what();
    }
    return "found";
}

TEST(FindRun, says_that_a_beginning_is_too_short_only_if_a_longer_one_would_do) {
    CliBench b;
    b.submit("wf1_aaaa");

    EXPECT_NE(refusal_of(b.outside, "wf1").find("give at least 4 characters of the id"),
              std::string::npos);
    EXPECT_TRUE(refusal_of(b.outside, "zzz").starts_with("there is no run `zzz`"));
    EXPECT_TRUE(refusal_of(b.outside, "").starts_with("there is no run ``"));
}

std::string told(const std::vector<TailLine>& lines) {
    std::string text;
    for (const TailLine& line : lines) {
        text += line.run_id + " " + (line.stage_key.empty() ? "run" : line.stage_key) + " " +
                line.status + "\n";
    }
    return text;
}

TEST(Tail, gives_each_change_of_a_run_once_and_sees_its_end) {
    CliBench b;
    const auto lease = b.submit("july", "w1");
    Tail tail{b.outside, lease.run};
    EXPECT_EQ(told(tail.look()), "july run running\n");

    b.clock.advance(1s);
    b.record(lease, b.stage("1", "ocr", StageStatus::Running));
    EXPECT_EQ(told(tail.look()), "july ocr running\n");
    EXPECT_EQ(told(tail.look()), "");

    b.clock.advance(1s);
    b.record(lease, b.stage("1", "ocr", StageStatus::Succeeded));
    EXPECT_FALSE(tail.ended());
    b.end(lease, RunStatus::Succeeded);
    EXPECT_EQ(told(tail.look()), "july ocr succeeded\njuly run succeeded\n");
    EXPECT_TRUE(tail.ended());
}

TEST(Tail, follows_a_run_through_its_retry) {
    CliBench b;
    const auto lease = b.submit("july", "w1");
    b.record(lease, b.stage("1", "ocr", StageStatus::Failed));
    b.end(lease, RunStatus::Failed, kFailure);
    Tail tail{b.outside, std::nullopt};
    EXPECT_EQ(told(tail.look()), "");

    b.clock.advance(1s);
    change_here(b.store, {store::ControlKind::Retry, "july", ""}, b.now());
    EXPECT_EQ(told(tail.look()), "july ocr queued\njuly run queued\n");
}

TEST(Tail, of_all_runs_begins_with_the_unfinished_ones) {
    CliBench b;
    b.end(b.submit("old", "w1"), RunStatus::Succeeded);
    b.submit("waits");
    Tail tail{b.outside, std::nullopt};
    EXPECT_EQ(told(tail.look()), "waits run queued\n");

    const auto lease = b.submit("new", "w1");
    b.end(lease, RunStatus::Failed, kFailure);
    EXPECT_EQ(told(tail.look()), "new run failed\n");
}

}  // namespace
}  // namespace belay::cli
