#include "service/api/operations.hpp"

#include <gtest/gtest.h>

#include "core/model/chosen_id.hpp"
#include "service/api/api_bench.hpp"
#include "service/api/operations_views.hpp"

namespace belay::api {
namespace {

namespace json = boost::json;

// What the answer to a route breaks of its schema, as one text.
std::string breaks(const Response& response, const JsonSchema& schema) {
    std::string text;
    for (const std::string& one : schema_violations(json_of(response), schema)) text += one + "\n";
    return text;
}

TEST(Operations, a_queue_tells_its_limits_and_how_many_wait_and_run) {
    ApiBench b;
    b.engine_.queue("uploads",
                    {.concurrency = 2, .rate = belay::RateLimit{5, std::chrono::minutes{1}}});
    b.engine_.pause_queue("uploads", "audit");
    b.engine_.submit<std::string>("GREET", "july", {.id = "july", .queue = "uploads"});

    const Response response = b.get("/api/queues");

    ASSERT_EQ(response.status, 200);
    EXPECT_EQ(breaks(response, list_schema("queues", schema_of<QueueView>())), "");
    const auto queue = json_of(response).at("queues").at(0);
    EXPECT_EQ(queue.at("concurrency").as_int64(), 2);
    EXPECT_EQ(queue.at("rate").at("period_ms").as_int64(), 60'000);
    EXPECT_EQ(queue.at("in_line").as_int64(), 1);
    EXPECT_EQ(queue.at("pause_reason").as_string(), "audit");
}

TEST(Operations, a_queue_is_paused_resumed_and_limited) {
    ApiBench b;
    b.engine_.queue("uploads", {.concurrency = 2, .concurrency_per_worker = 1});

    const Response paused = b.post("/api/queues/uploads/pause", R"({"reason":"audit"})");
    EXPECT_EQ(breaks(paused, schema_of<QueueView>()), "");
    EXPECT_TRUE(json_of(paused).at("paused").as_bool());
    EXPECT_FALSE(json_of(b.post("/api/queues/uploads/resume")).at("paused").as_bool());

    // What is left out stays; null lifts.
    const auto limited =
        json_of(b.post("/api/queues/uploads/limits",
                       R"({"concurrency":null,"rate":{"starts":3,"period_ms":1000}})"));
    EXPECT_TRUE(limited.at("concurrency").is_null());
    EXPECT_EQ(limited.at("concurrency_per_worker").as_int64(), 1);
    EXPECT_EQ(limited.at("rate").at("starts").as_int64(), 3);

    for (const char* body : {"", "[]", R"({"concurrency":-1})", R"({"concurrency":1.5})",
                             R"({"rate":{"starts":3}})", R"({"speed":3})"}) {
        EXPECT_EQ(b.post("/api/queues/uploads/limits", body).status, 400) << body;
    }
    EXPECT_EQ(
        code_of(b.post("/api/queues/uploads/limits", R"({"rate":{"starts":0,"period_ms":0}})")),
        "invalid_parameter");
    EXPECT_EQ(b.post("/api/queues/nowhere/pause").status, 404);
}

TEST(Operations, a_queue_is_counted_over_the_callers_own_runs_and_for_the_server_over_all) {
    ApiBench b;
    b.engine_.queue("uploads", {.concurrency = 2});
    b.engine_.pause_queue("uploads", "audit");
    for (const std::string organization : {"acme", "acme", "other"}) {
        b.engine_.submit<std::string>("GREET", "july",
                                      {.organization_id = organization, .queue = "uploads"});
    }
    const auto in_line = [&](const std::string& organization) {
        b.bearer = b.make_token_for(organization);
        return json_of(b.get("/api/queues")).at("queues").at(0).at("in_line").as_int64();
    };
    EXPECT_EQ(in_line("acme"), 2);
    EXPECT_EQ(in_line("other"), 1);
    EXPECT_EQ(in_line("nobody"), 0);
    EXPECT_EQ(in_line("default"), 3);
}

TEST(Operations, only_the_servers_own_organization_changes_a_queue) {
    ApiBench b;
    b.engine_.queue("uploads", {.concurrency = 2});
    b.bearer = b.make_token_for("acme");

    EXPECT_EQ(json_of(b.get("/api/queues")).at("queues").as_array().size(), 1u);
    for (const char* verb : {"pause", "resume", "limits"}) {
        const Response refused = b.post(std::string("/api/queues/uploads/") + verb, "{}");
        EXPECT_EQ(code_of(refused), "not_found") << verb;
        EXPECT_NE(message_of(refused).find("the server's own"), std::string::npos) << verb;
    }
    b.bearer = b.make_token_for("default");
    EXPECT_EQ(b.post("/api/queues/uploads/pause").status, 200);
}

TEST(Operations, a_schedule_tells_when_next_runs_now_and_is_paused) {
    ApiBench b;
    b.engine_.schedule("nightly", "GREET", "you",
                       {.cron = "0 3 * * *", .organization_id = "default"});

    const Response list = b.get("/api/schedules");
    EXPECT_EQ(breaks(list, list_schema("schedules", schema_of<ScheduleView>())), "");
    EXPECT_FALSE(json_of(list).at("schedules").at(0).at("next_tick").is_null());

    const Response triggered = b.post("/api/schedules/nightly/trigger");
    EXPECT_EQ(triggered.status, 202);
    EXPECT_EQ(breaks(triggered, schema_of<TriggeredView>()), "");
    const std::string id{json_of(triggered).at("workflow_run_id").as_string()};
    ASSERT_TRUE(b.world.run_until(id, RunStatus::Succeeded));
    EXPECT_EQ(json_of(b.get("/api/runs/" + percent_encoded(id))).at("result").as_string(),
              "hello you");
    // Beside its ticks.
    EXPECT_TRUE(json_of(b.get("/api/schedules")).at("schedules").at(0).at("last_tick").is_null());

    EXPECT_TRUE(json_of(b.post("/api/schedules/nightly/pause")).at("paused").as_bool());
    EXPECT_FALSE(json_of(b.post("/api/schedules/nightly/resume")).at("paused").as_bool());
}

// Made by somebody else than the program: what it starts is asked about, as its ticks are.
TEST(Operations, a_schedule_that_others_made_starts_only_what_its_workflow_lets_in) {
    ApiBench b;
    const auto made = [&](const std::string& name, const std::string& input) {
        belay::detail::ScheduleRequest request;
        request.what = belay::detail::ScheduleRequest::What::Set;
        request.name = name;
        request.workflow = "GREET";
        request.input = input;
        request.options = {.cron = "0 3 * * *", .organization_id = "default"};
        b.world.core().change_schedule(request);
    };
    made("good", "\"you\"");
    made("bad", "\"nobody\"");
    b.engine_.schedule("own", "GREET", "nobody",
                       {.cron = "0 3 * * *", .organization_id = "default"});

    const Response refused = b.post("/api/schedules/bad/trigger");
    EXPECT_EQ(refused.status, 400);
    EXPECT_NE(message_of(refused).find("somebody is greeted"), std::string::npos);
    EXPECT_TRUE(json_of(b.get("/api/runs")).at("runs").as_array().empty());

    for (const char* name : {"good", "own"}) {
        const Response begun = b.post(std::string("/api/schedules/") + name + "/trigger");
        ASSERT_EQ(begun.status, 202) << name << message_of(begun);
        const std::string id{json_of(begun).at("workflow_run_id").as_string()};
        // One that comes from outside is kept where callers' ids are.
        const bool is_own = b.world.reader.find_run(id).has_value();
        EXPECT_EQ(is_own, name == std::string("own"));
        ASSERT_TRUE(
            b.world.run_until(is_own ? id : model::kept_id("default", id), RunStatus::Succeeded));
        EXPECT_EQ(json_of(b.get("/api/runs/" + percent_encoded(id))).at("status"), "succeeded");
    }
}

TEST(Operations, past_ticks_of_a_schedule_are_made_up_for_once_and_counted_before) {
    ApiBench b;
    b.engine_.schedule("nightly", "GREET", "you",
                       {.cron = "0 3 * * *", .organization_id = "default"});
    const std::string path = "/api/schedules/nightly/backfill";
    const auto asked = [&](const std::string& more) {
        return b.post(
            path, R"({"from": "2024-12-01T00:00:00Z", "to": "2024-12-04T00:00:00Z")" + more + "}");
    };

    const Response counted = asked(R"(, "dry_run": true)");
    EXPECT_EQ(counted.status, 200);
    EXPECT_EQ(breaks(counted, schema_of<BackfillView>()), "");
    EXPECT_EQ(json_of(counted).at("started").as_int64(), 3);
    EXPECT_EQ(b.get("/api/runs/sched_nightly_2024-12-02T03:00:00Z").status, 404);

    const Response two = asked(R"(, "limit": 2)");
    EXPECT_EQ(breaks(two, schema_of<BackfillView>()), "");
    EXPECT_EQ(json_of(two).at("started").as_int64(), 2);
    EXPECT_EQ(json_of(two).at("next").as_string(), "2024-12-03T03:00:00.000Z");
    const Response all = asked("");
    EXPECT_EQ(json_of(all).at("started").as_int64(), 1);
    EXPECT_EQ(json_of(all).at("there").as_int64(), 2);
    ASSERT_TRUE(b.world.run_until("sched_nightly_2024-12-03T03:00:00Z", RunStatus::Succeeded));

    EXPECT_EQ(code_of(b.post(path, "{}")), "invalid_parameter") << "`from` is not left out";
    EXPECT_EQ(code_of(asked(R"(, "limit": 0)")), "invalid_parameter");
    EXPECT_EQ(
        code_of(b.post(path, R"({"from": "2024-12-04T00:00:00Z", "to": "2024-12-01T00:00:00Z"})")),
        "invalid_parameter");
}

TEST(Operations, a_schedule_of_another_organization_is_not_found) {
    ApiBench b;
    b.engine_.schedule("nightly", "GREET", "you",
                       {.cron = "0 3 * * *", .organization_id = "default"});
    b.bearer = b.make_token_for("acme");

    EXPECT_TRUE(json_of(b.get("/api/schedules")).at("schedules").as_array().empty());
    for (const char* verb : {"pause", "resume", "trigger"})
        EXPECT_EQ(b.post(std::string("/api/schedules/nightly/") + verb).status, 404) << verb;
    for (const char* dry : {"true", "false"}) {
        EXPECT_EQ(b.post("/api/schedules/nightly/backfill",
                         std::string(R"({"from": "2024-12-01T00:00:00Z", "dry_run": )") + dry + "}")
                      .status,
                  404);
    }
}

TEST(Operations, activity_counts_what_ended_in_each_part_of_the_time) {
    ApiBench b;
    b.engine_.submit<std::string>("GREET", "july", {.id = "july"}).result();
    b.engine_.submit<void>("FAIL", {.id = "broken"}).wait_for(std::chrono::hours{1});

    const Response response = b.get("/api/activity?seconds=3600&buckets=6");

    ASSERT_EQ(response.status, 200);
    EXPECT_EQ(breaks(response, schema_of<ActivityView>()), "");
    const auto told = json_of(response);
    EXPECT_EQ(told.at("bucket_ms").as_int64(), 600'000);
    EXPECT_TRUE(told.at("complete").as_bool());
    std::int64_t succeeded = 0;
    std::int64_t failed = 0;
    for (const auto& bucket : told.at("buckets").as_array()) {
        succeeded += bucket.at("succeeded").as_int64();
        failed += bucket.at("failed").as_int64();
        const bool empty = bucket.at("succeeded").as_int64() + bucket.at("failed").as_int64() == 0;
        EXPECT_EQ(bucket.at("median_ms").is_null(), empty);
    }
    EXPECT_EQ(succeeded, 1);
    EXPECT_EQ(failed, 1);
    b.bearer = b.make_token_for("acme");
    const auto theirs = json_of(b.get("/api/activity"));
    for (const auto& bucket : theirs.at("buckets").as_array())
        EXPECT_EQ(bucket.at("succeeded").as_int64(), 0);
    EXPECT_EQ(b.get("/api/activity?seconds=1").status, 400);
}

TEST(Operations, failures_of_one_cause_are_one_row_and_are_retried_together) {
    ApiBench b;
    for (const char* id : {"a", "b", "c"})
        b.engine_.submit<void>("FAIL", {.id = id}).wait_for(std::chrono::hours{1});

    const Response response = b.get("/api/failures");
    EXPECT_EQ(breaks(response, schema_of<CausesView>()), "");
    const auto causes = json_of(response).at("causes").as_array();
    ASSERT_EQ(causes.size(), 1u);
    EXPECT_EQ(causes[0].at("runs").as_int64(), 3);
    EXPECT_EQ(causes[0].at("stage_key").as_string(), "break");
    const std::string cause{causes[0].at("cause").as_string()};

    b.bearer = b.make_token_for("acme");
    EXPECT_EQ(b.post("/api/failures/" + cause + "/retry").status, 404);
    b.bearer = b.make_token_for("default");
    const Response retried = b.post("/api/failures/" + cause + "/retry");
    EXPECT_EQ(breaks(retried, schema_of<RetriedView>()), "");
    EXPECT_EQ(json_of(retried).at("retried").as_int64(), 3);
    EXPECT_FALSE(json_of(retried).at("more").as_bool());
    EXPECT_EQ(b.post("/api/failures/nothing/retry").status, 404);
}

TEST(Operations, a_cause_is_the_same_whatever_number_id_or_name_its_message_has) {
    const auto cause = [](std::string message, std::string stage = "ocr") {
        model::Run run;
        run.workflow_key = "WF1_RECEIPT";
        run.failure = model::Failure{"StepFailed", std::move(message), std::move(stage), "1"};
        return cause_of(run);
    };
    EXPECT_EQ(cause("page 3 of \"july.pdf\" is broken"), cause("page 12 of \"a b.pdf\" is broken"));
    EXPECT_EQ(cause("no file file_c887c4bea8e19fed"), cause("no file file_0187c4bea8e19fe0"));
    EXPECT_EQ(cause("it's 5 too many"), cause("it's 6 too many"));
    EXPECT_EQ(cause("failed after 1 attempt: no"), cause("failed after 2 attempts: no"));
    EXPECT_NE(cause("it's 5 too many"), cause("it's 5 too few"));
    EXPECT_NE(cause("page 3 is broken"), cause("page 3 is broken", "merge_ocr"));
}

TEST(Operations, names_and_addresses_are_no_part_of_a_cause_whether_they_are_quoted_or_not) {
    const auto cause = [](std::string message, std::string stage = "fetch") {
        model::Run run;
        run.workflow_key = "FETCH_DOCUMENT";
        run.failure = model::Failure{"StepFailed", std::move(message), std::move(stage), "1"};
        return cause_of(run);
    };
    EXPECT_EQ(cause("cannot reach example.org:443: refused"),
              cause("cannot reach db.internal:5432: refused"));
    EXPECT_EQ(cause("https://a.se/x?y=1 answered 503"), cause("http://b.de/ answered 502"));
    EXPECT_EQ(cause("july.pdf has no pages"), cause("august-2.pdf has no pages"));
    EXPECT_EQ(cause("mail to anna@acme.se bounced"), cause("mail to bo@b.de bounced"));
    EXPECT_EQ(cause("no text", "ocr_page_3"), cause("no text", "ocr_page_17"));
    EXPECT_NE(cause("cannot reach example.org:443: refused"),
              cause("cannot reach example.org:443: timed out"));
    EXPECT_NE(cause("no text", "ocr_page_3"), cause("no text", "merge_ocr"));
}

TEST(Operations, a_parent_that_failed_with_its_child_is_told_with_it_and_retried_in_its_place) {
    ApiBench b;
    for (const char* id : {"july", "august"})
        b.engine_.submit<void>("PARENT", {.id = id}).wait_for(std::chrono::hours{1});

    const auto causes = json_of(b.get("/api/failures")).at("causes").as_array();
    ASSERT_EQ(causes.size(), 1u);
    EXPECT_EQ(causes[0].at("workflow_key").as_string(), "FAIL");
    EXPECT_EQ(causes[0].at("runs").as_int64(), 2);
    EXPECT_EQ(causes[0].at("parents").as_int64(), 2);

    const auto before = b.world.reader.find_run("july")->updated_at;
    const auto retried = json_of(
        b.post("/api/failures/" + std::string(causes[0].at("cause").as_string()) + "/retry"));
    EXPECT_EQ(retried.at("retried").as_int64(), 2);
    b.engine_.find<void>("july").wait_for(std::chrono::hours{1});
    const auto parent = b.world.reader.find_run("july");
    EXPECT_GT(parent->epoch, 1);
    EXPECT_GE(parent->updated_at, before);
}

TEST(Operations, workers_tell_what_they_can_run) {
    ApiBench b;
    b.engine_.submit<std::string>("GREET", "july", {.id = "july"}).result();

    const Response response = b.get("/api/workers");

    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(breaks(response, list_schema("workers", schema_of<WorkerView>())), "");
}

}  // namespace
}  // namespace belay::api
