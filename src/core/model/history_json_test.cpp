#include "core/model/history_json.hpp"

#include <gtest/gtest.h>

#include <boost/json.hpp>

#include <belay/error.hpp>

#include "core/base/text.hpp"

namespace belay::model {
namespace {

using namespace std::chrono_literals;
namespace json = boost::json;

const Time kStart = base::parse_time("2026-11-15T20:00:00.123Z").value();

History example() {
    History history;
    Run& run = history.run;
    run.id = "july";
    run.workflow_key = "INVOICE";
    run.status = RunStatus::Failed;
    run.current_stage = "ocr";
    run.input = R"({"total":0.1000000000000000055,"name":"räk \"smörgås\""})";
    run.failure = Failure{"StepFailed", "no text", "ocr", "2"};
    run.progress = Progress{1, 2, "pages"};
    run.organization_id = "acme";
    run.code_version = "v1";
    run.worker = "w1";
    run.epoch = 3;
    run.attempts = 2;
    run.created_at = kStart;
    run.updated_at = kStart + 5s;
    run.started_at = kStart + 1s;
    run.completed_at = kStart + 5s;
    Stage split;
    split.path = "1";
    split.stage_key = "split";
    split.status = StageStatus::Succeeded;
    split.position = 1;
    split.started_at = kStart + 1s;
    split.finished_at = kStart + 2s;
    split.output = "[1,2,12345678901234567890123]";
    split.cost = R"({"tokens_in":5})";
    Stage ocr;
    ocr.path = "2";
    ocr.stage_key = "ocr";
    ocr.kind = StageKind::Transaction;
    ocr.status = StageStatus::Failed;
    ocr.position = 2;
    ocr.attempt = 2;
    ocr.message = "no text";
    ocr.error_code = "StepFailed";
    history.stages = {ocr, split};
    history.attempts = {Attempt{"2", 1, kStart + 2s, kStart + 3s, "StepFailed", "503", "w1"}};
    return history;
}

json::object document() { return json::parse(history_json(example())).as_object(); }

std::string refused(std::string_view text) {
    try {
        read_history(text);
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::BadValue);
        return error.what();
    }
    return "not refused";
}

TEST(HistoryJson, is_read_back_as_it_was) {
    const std::string text = history_json(example());

    const History history = read_history(text);

    EXPECT_EQ(history_json(history), text);
    EXPECT_EQ(history.run.input, example().run.input);
    EXPECT_EQ(history.run.failure, example().run.failure);
    EXPECT_EQ(history.run.progress, example().run.progress);
    EXPECT_EQ(history.run.created_at, kStart);
    EXPECT_EQ(history.run.epoch, 3);
    ASSERT_EQ(history.stages.size(), 2u);
    EXPECT_EQ(history.stages[0], example().stages[1]) << "stages stand by position";
    EXPECT_EQ(history.stages[1], example().stages[0]);
    EXPECT_EQ(history.attempts, example().attempts);
}

TEST(HistoryJson, values_keep_their_text_to_the_letter) {
    const History history = read_history(history_json(example()));

    EXPECT_EQ(history.stages[0].output, "[1,2,12345678901234567890123]");
}

TEST(HistoryJson, has_a_line_for_every_stage) {
    const std::string text = history_json(example());

    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 11);
    EXPECT_TRUE(text.starts_with("{\n  \"belay_history\": 2,\n  \"run\": {\"id\":\"july\","));
}

TEST(HistoryJson, a_run_without_any_stage_has_a_history_too) {
    History empty;
    empty.run.id = "x";

    EXPECT_EQ(history_json(read_history(history_json(empty))), history_json(empty));
}

TEST(HistoryJson, what_is_missing_unknown_or_wrong_is_named) {
    const std::string start = "this is not a history that Belay can read: ";
    const auto with = [](auto change) {
        json::object changed = document();
        change(changed);
        return refused(json::serialize(changed));
    };

    EXPECT_EQ(with([](auto& d) { d.erase("belay_history"); }),
              start + "belay_history is missing: `belay runs export` writes it");
    EXPECT_EQ(
        with([](auto& d) { d["belay_history"] = 3; }),
        start + "belay_history is 3, and this Belay reads versions 1 to 2; a newer one wrote it");
    EXPECT_EQ(with([](auto& d) { d["run"].as_object().erase("input"); }),
              start + "run.input is missing");
    EXPECT_EQ(with([](auto& d) { d["run"].as_object()["color"] = "red"; }),
              start + "run.color is not known to version 2");
    EXPECT_EQ(with([](auto& d) { d["run"].as_object()["status"] = "done"; }),
              start + "run.status `done` is not a word known here");
    EXPECT_EQ(with([](auto& d) { d["stages"].as_array()[1].as_object()["attempt"] = "2"; }),
              start + "stages[1].attempt should be a whole number and is a string");
    EXPECT_EQ(with([](auto& d) { d["stages"].as_array()[0].as_object()["started_at"] = "today"; }),
              start + "stages[0].started_at `today` is not a time in RFC 3339");
    EXPECT_EQ(with([](auto& d) { d["stages"].as_array()[0].as_object()["path"] = "2"; }),
              start + "stages has two at the path `2`");
    EXPECT_EQ(with([](auto& d) { d["attempts"].as_array()[0].as_object()["path"] = "9"; }),
              start + "attempts has one of `9`, where there is no stage");
    EXPECT_EQ(with([](auto& d) { d["attempts"] = nullptr; }),
              start + "attempts should be a list and is null");
    EXPECT_NE(refused("{").find("is not JSON"), std::string::npos);
    EXPECT_NE(refused("[]"), "not refused");
    EXPECT_NE(refused(std::string(100'000, '[')), "not refused");
}

TEST(HistoryJson, a_document_of_the_first_version_is_still_read) {
    json::object first = document();
    first["belay_history"] = 1;
    for (const char* later : {"parent_id", "parent_path", "deadline_at", "signals", "forked_from",
                              "seed_id", "generation", "continued_input"}) {
        first["run"].as_object().erase(later);
    }
    for (auto& stage : first["stages"].as_array()) stage.as_object().erase("attempts_before");

    const History history = read_history(json::serialize(first));

    EXPECT_EQ(history.run.id, "july");
    EXPECT_EQ(history.stages.size(), 2u);
}

TEST(HistoryJson, every_member_that_is_taken_away_is_missed) {
    const json::object whole = document();
    for (const auto& member : whole.at("run").as_object()) {
        json::object changed = whole;
        changed["run"].as_object().erase(member.key());
        EXPECT_NE(refused(json::serialize(changed)), "not refused") << member.key();
    }
    for (const auto& member : whole.at("stages").as_array()[0].as_object()) {
        json::object changed = whole;
        changed["stages"].as_array()[0].as_object().erase(member.key());
        EXPECT_NE(refused(json::serialize(changed)), "not refused") << member.key();
    }
}

}  // namespace
}  // namespace belay::model
