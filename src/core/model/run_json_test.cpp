#include "core/model/run_json.hpp"

#include <gtest/gtest.h>
#include <boost/json.hpp>

#include "core/base/text.hpp"

namespace belay::model {
namespace {

Stage stage_at(std::string path, std::int64_t position) {
    Stage stage;
    stage.path = std::move(path);
    stage.stage_key = "s" + stage.path;
    stage.position = position;
    return stage;
}

TEST(RunJson, has_every_field_of_the_fixed_shape) {
    model::Run run;
    run.id = "july";
    run.created_at = run.updated_at = base::parse_time("2026-03-01T12:00:00.5Z").value();
    run.input = R"({"file_id":"f"})";

    const auto json = run_json(run, {stage_at("2", 2), stage_at("1", 1)}, {}, {}, {});

    for (const auto* name :
         {"id", "workflow_key", "status", "current_stage", "organization_id", "file_id",
          "created_at", "updated_at", "completed_at", "attempts", "error", "cost", "stages"}) {
        EXPECT_TRUE(json.contains(name)) << name;
    }
    EXPECT_EQ(json.at("created_at").as_string(), "2026-03-01T12:00:00.500Z");
    EXPECT_TRUE(json.at("completed_at").is_null());
    EXPECT_TRUE(json.at("error").is_null());
    EXPECT_EQ(json.at("input").at("file_id").as_string(), "f");
    const auto& stages = json.at("stages").as_array();
    EXPECT_EQ(stages.at(0).at("stage_key").as_string(), "s1");
    for (const auto* name : {"position", "status", "attempt", "started_at", "finished_at",
                             "duration_ms", "message", "output"}) {
        EXPECT_TRUE(stages.at(0).as_object().contains(name)) << name;
    }
}

TEST(RunJson, a_stage_knows_how_long_it_took_and_which_attempts_failed) {
    Stage stage = stage_at("1", 1);
    stage.started_at = Time{Duration{1000}};
    stage.finished_at = Time{Duration{1250}};
    Attempt failed;
    failed.path = "1";
    failed.message = "no paper";

    const auto json = run_json(model::Run{}, {stage}, {failed}, {}, {});

    const auto& row = json.at("stages").as_array().at(0);
    EXPECT_EQ(row.at("duration_ms").as_int64(), 250);
    EXPECT_EQ(row.at("failed_attempts").as_array().at(0).at("message").as_string(), "no paper");
}

TEST(RunJson, the_costs_of_its_steps_are_added_up_and_none_is_an_empty_object) {
    Stage first = stage_at("1", 1);
    first.cost = R"({"money":{"USD":"0.5"},"tokens_in":100})";
    Stage second = stage_at("2", 2);
    second.cost = R"({"money":{"USD":"1"},"tokens_in":20})";

    const auto json = run_json({}, {first, second, stage_at("3", 3)}, {}, {}, {});

    EXPECT_EQ(boost::json::serialize(json.at("cost")),
              R"({"money":{"USD":"1.5"},"tokens_in":120})");
    EXPECT_TRUE(run_json({}, {}, {}, {}, {}).at("cost").as_object().empty());
}

TEST(RunJson, a_death_names_no_machine) {
    Death death{3,
                "db7.example.com/4711/a1b2c3d4",
                Time{Duration{1000}},
                "web1/9/ffff0000",
                Time{Duration{2000}},
                "ocr",
                true,
                DeathReason::Signal};
    Death unseen{4, "db7.example.com/4711/a1b2c3d4", Time{Duration{1000}}, "", {}, "", false, {}};

    const auto deaths = run_json({}, {}, {}, {death, unseen}, {}).at("deaths").as_array();

    EXPECT_EQ(serialize(deaths.at(0)),
              R"({"worker":"a1b2c3d4","epoch":3,"last_seen":"1970-01-01T00:00:01.000Z",)"
              R"("picked_up_by":"ffff0000","picked_up_at":"1970-01-01T00:00:02.000Z",)"
              R"("stage":"ocr","charged":true,"reason":"signal"})");
    EXPECT_TRUE(deaths.at(1).at("picked_up_by").is_null());
    EXPECT_TRUE(deaths.at(1).at("stage").is_null());
    EXPECT_EQ(deaths.at(1).at("reason").as_string(), "unknown");
}

}  // namespace
}  // namespace belay::model
