#include "service/api/runs.hpp"

#include <gtest/gtest.h>

#include "service/api/api_bench.hpp"
#include "service/api/run_views.hpp"

namespace belay::api {
namespace {

// What the answer to a route breaks of its schema, as one text.
std::string breaks(const Response& response, const JsonSchema& schema) {
    std::string text;
    for (const std::string& one : schema_violations(json_of(response), schema)) text += one + "\n";
    return text;
}

TEST(Runs, a_list_is_newest_first_and_goes_on_at_its_cursor) {
    ApiBench b;
    for (int i = 0; i < 5; ++i)
        b.engine_.submit<std::string>("GREET", "july", {.id = "run-" + std::to_string(i)}).result();

    const Response first = b.get("/api/runs?limit=3");
    ASSERT_EQ(first.status, 200);
    const auto page = json_of(first);
    EXPECT_EQ(page.at("runs").as_array().size(), 3u);
    EXPECT_EQ(page.at("runs").at(0).at("id").as_string(), "run-4");
    EXPECT_EQ(breaks(first, list_schema("runs", schema_of<RunSummaryView>())), "");

    const Response second =
        b.get("/api/runs?limit=3&cursor=" + std::string(page.at("next_cursor").as_string()));
    EXPECT_EQ(json_of(second).at("runs").as_array().size(), 2u);
    EXPECT_EQ(json_of(second).at("runs").at(1).at("id").as_string(), "run-0");
    EXPECT_TRUE(json_of(second).at("next_cursor").is_null());
}

TEST(Runs, filters_are_combined_and_a_wrong_one_is_refused_by_name) {
    ApiBench b;
    b.engine_.submit<std::string>("GREET", "july", {.id = "july"}).result();
    b.engine_.submit<void>("WAIT", {.id = "sleeper"});
    ASSERT_TRUE(b.world.run_until("sleeper", RunStatus::Waiting));

    const auto ids = [&](const std::string& query) {
        std::string all;
        const auto page = json_of(b.get("/api/runs?" + query));
        for (const auto& run : page.at("runs").as_array())
            all += std::string(run.at("id").as_string()) + " ";
        return all;
    };
    EXPECT_EQ(ids("status=waiting"), "sleeper ");
    EXPECT_EQ(ids("workflow_key=GREET"), "july ");
    EXPECT_EQ(ids("q=jul"), "july ");
    EXPECT_EQ(ids("q=100%25"), "");
    EXPECT_EQ(ids("status=waiting&workflow_key=GREET"), "");

    for (const char* query : {"status=sleeping", "limit=0", "limit=501", "limit=x",
                              "cursor=nonsense", "stauts=failed", "q=%zz"}) {
        if (std::string_view(query) == "q=%zz") {
            EXPECT_THROW(b.get(std::string("/api/runs?") + query), ApiError);
            continue;
        }
        const Response refused = b.get(std::string("/api/runs?") + query);
        EXPECT_EQ(refused.status, 400) << query;
        EXPECT_EQ(code_of(refused), "invalid_parameter") << query;
    }
    EXPECT_EQ(message_of(b.get("/api/runs?stauts=failed")),
              "there is no parameter `stauts` here; there are: status, state, workflow_key, "
              "q, label, since, until, limit, cursor");
}

TEST(Runs, are_found_and_counted_by_what_they_do_now) {
    ApiBench b;
    b.engine_.submit<std::string>("GREET", "july", {.id = "july"}).result();
    b.engine_.submit<void>("WAIT", {.id = "sleeper"});
    ASSERT_TRUE(b.world.run_until("sleeper", RunStatus::Waiting));

    const Response counted = b.get("/api/run-states");
    const auto states = json_of(counted).at("states").as_object();
    EXPECT_EQ(breaks(counted, schema_of<RunStatesView>()), "");
    EXPECT_EQ(states.size(), kRunStates.size());
    EXPECT_EQ(states.at("waiting").as_int64(), 1);
    EXPECT_EQ(states.at("succeeded").as_int64(), 1);
    EXPECT_EQ(states.at("helper").as_int64(), 0);
    EXPECT_EQ(json_of(b.get("/api/runs?state=waiting")).at("total").as_int64(), 1);
    EXPECT_TRUE(json_of(b.get("/api/runs?state=slot")).at("runs").as_array().empty());
    EXPECT_EQ(code_of(b.get("/api/runs?state=idle")), "invalid_parameter");
    EXPECT_EQ(code_of(b.get("/api/runs?state=slot&status=failed")), "invalid_parameter");
}

TEST(Runs, of_another_organization_are_not_counted) {
    ApiBench b;
    b.engine_.submit<std::string>("GREET", "july", {.id = "july"}).result();
    b.bearer = b.make_token_for("guests");

    const auto states = json_of(b.get("/api/run-states")).at("states").as_object();

    for (const auto& [state, count] : states) EXPECT_EQ(count.as_int64(), 0) << state;
}

TEST(Runs, are_found_by_their_labels) {
    ApiBench b;
    const belay::Labels gold{{"customer", "42"}, {"tier", "gold"}};
    b.engine_.submit<std::string>("GREET", "july", {.id = "july", .labels = gold}).result();
    b.engine_.submit<std::string>("GREET", "may", {.id = "may", .labels = {{"customer", "42"}}})
        .result();
    b.engine_.submit<std::string>("GREET", "june", {.id = "june"}).result();
    const auto ids = [&](const std::string& query) {
        std::string all;
        const auto page = json_of(b.get("/api/runs?" + query));
        for (const auto& run : page.at("runs").as_array())
            all += std::string(run.at("id").as_string()) + " ";
        return all;
    };

    EXPECT_EQ(ids("label=customer=42"), "may july ");
    EXPECT_EQ(ids("label=customer%3D42&label=tier=gold"), "july ");
    EXPECT_EQ(ids("label=customer=4"), "");
    EXPECT_EQ(json_of(b.get("/api/runs/july")).at("labels").at("tier").as_string(), "gold");
    EXPECT_EQ(json_of(b.get("/api/runs?q=june")).at("runs").at(0).at("labels").as_object().size(),
              0U);
    for (const char* query : {"label=customer", "label=a%20b=1", "label=a=1&label=a=2"})
        EXPECT_EQ(code_of(b.get(std::string("/api/runs?") + query)), "invalid_parameter") << query;
}

TEST(Runs, a_run_has_the_fixed_shape_with_its_stages) {
    ApiBench b;
    b.engine_.submit<std::string>("GREET", "july", {.id = "july", .file_id = "f1"}).result();

    const Response response = b.get("/api/runs/july");

    ASSERT_EQ(response.status, 200);
    EXPECT_EQ(breaks(response, schema_of<RunView>()), "");
    const auto run = json_of(response).as_object();
    for (const char* name : {"id", "workflow_key", "status", "current_stage", "organization_id",
                             "file_id", "created_at", "updated_at", "completed_at", "attempts",
                             "error", "cost", "saved", "stages", "deaths", "labels", "exposed"}) {
        EXPECT_TRUE(run.contains(name)) << name;
    }
    EXPECT_EQ(run.at("status").as_string(), "succeeded");
    EXPECT_EQ(run.at("file_id").as_string(), "f1");
    EXPECT_EQ(run.at("stages").at(0).at("stage_key").as_string(), "greet");
    EXPECT_EQ(run.at("stages").at(0).at("status").as_string(), "succeeded");
}

TEST(Runs, a_failed_run_tells_its_error_and_its_attempts) {
    ApiBench b;
    b.engine_.submit<void>("FAIL", {.id = "july"}).wait_for(std::chrono::hours{1});

    const Response response = b.get("/api/runs/july");

    EXPECT_EQ(breaks(response, schema_of<RunView>()), "");
    EXPECT_TRUE(
        json_of(response).at("error").at("message").as_string().ends_with("no text on the page"));
    EXPECT_EQ(json_of(response).at("error").at("stage_key").as_string(), "break");
    const Response why = b.get("/api/runs/july/why");
    EXPECT_EQ(breaks(why, schema_of<WhyView>()), "");
    EXPECT_EQ(json_of(why).at("waits_for").as_string(), "nothing");
}

TEST(Runs, an_id_with_a_slash_is_found_when_it_is_escaped) {
    ApiBench b;
    b.engine_.submit<std::string>("GREET", "july", {.id = "july/4:ocr/1 å"}).result();

    EXPECT_EQ(b.get("/api/runs/july%2F4:ocr%2F1%20%C3%A5").status, 200);
    EXPECT_EQ(b.get("/api/runs/july/4:ocr/1").status, 404);
}

TEST(Runs, a_run_is_canceled_paused_resumed_and_retried) {
    ApiBench b;
    b.engine_.submit<void>("WAIT", {.id = "july"});
    ASSERT_TRUE(b.world.run_until("july", RunStatus::Waiting));

    const Response paused = b.post("/api/runs/july/pause", R"({"reason":"audit"})");
    EXPECT_EQ(paused.status, 200);
    EXPECT_EQ(breaks(paused, schema_of<ControlView>()), "");
    EXPECT_EQ(json_of(paused).at("status").as_string(), "paused");
    EXPECT_EQ(b.world.run("july").failure->message, "audit");
    EXPECT_EQ(json_of(b.post("/api/runs/july/resume")).at("status").as_string(), "queued");
    EXPECT_EQ(b.post("/api/runs/july/cancel").status, 200);
    ASSERT_TRUE(b.world.run_until("july", RunStatus::Canceled));
    EXPECT_EQ(b.post("/api/runs/july/retry").status, 200);
}

TEST(Runs, what_its_state_forbids_is_a_conflict_with_the_reason) {
    ApiBench b;
    b.engine_.submit<std::string>("GREET", "july", {.id = "july"}).result();

    for (const char* verb : {"cancel", "pause", "resume", "retry"}) {
        const Response refused = b.post(std::string("/api/runs/july/") + verb);
        EXPECT_EQ(refused.status, 409) << verb;
        EXPECT_EQ(code_of(refused), "conflict") << verb;
        EXPECT_NE(message_of(refused), "") << verb;
    }
    EXPECT_EQ(code_of(b.post("/api/runs/july/cancel", "{\"reason\":7}")), "invalid_json");
    EXPECT_EQ(code_of(b.post("/api/runs/july/cancel", "{")), "invalid_json");
    EXPECT_EQ(code_of(b.post("/api/runs/july/copy")), "not_found");
    EXPECT_EQ(code_of(b.get("/api/runs/july/cancel")), "method_not_allowed");
}

// P9
TEST(Organization, a_run_of_another_organization_is_not_found_by_any_handler) {
    ApiBench b;
    b.engine_.submit<std::string>("GREET", "july", {.id = "july", .organization_id = "acme"})
        .result();
    b.engine_.submit<std::string>("GREET", "mine", {.id = "mine", .organization_id = "umbrella"})
        .result();
    const std::string acme = b.make_token_for("acme");
    const std::string umbrella = b.make_token_for("umbrella");

    b.bearer = umbrella;
    for (const char* path : {"/api/runs/july", "/api/runs/july/why"}) {
        EXPECT_EQ(b.get(path).status, 404) << path;
        EXPECT_EQ(message_of(b.get(path)), "there is no run `july`") << path;
    }
    for (const char* verb : {"cancel", "pause", "resume", "retry"})
        EXPECT_EQ(b.post(std::string("/api/runs/july/") + verb).status, 404) << verb;
    const auto runs = json_of(b.get("/api/runs")).at("runs").as_array();
    ASSERT_EQ(runs.size(), 1u);
    EXPECT_EQ(runs[0].at("id").as_string(), "mine");
    EXPECT_EQ(json_of(b.get("/api/runs?q=july")).at("runs").as_array().size(), 0u);

    b.bearer = acme;
    EXPECT_EQ(b.get("/api/runs/july").status, 200);
    EXPECT_EQ(b.get("/api/runs/mine").status, 404);
}

TEST(Runs, a_message_reaches_its_run_once) {
    ApiBench b;
    b.engine_.submit<std::string>("ASK", {.id = "question"});
    ASSERT_TRUE(b.world.run_until("question", RunStatus::Waiting));

    const Response sent = b.post("/api/runs/question/messages/answer", "\"yes\"");

    EXPECT_EQ(sent.status, 202);
    EXPECT_EQ(breaks(sent, schema_of<SentView>()), "");
    EXPECT_EQ(b.engine_.find<std::string>("question").result(), "yes");
    EXPECT_EQ(code_of(b.post("/api/runs/question/messages/answer", "\"no\"")), "conflict");
    EXPECT_EQ(code_of(b.post("/api/runs/none/messages/answer", "1")), "not_found");
    b.engine_.submit<std::string>("ASK", {.id = "other"});
    EXPECT_EQ(code_of(b.post("/api/runs/other/messages/answer", "{oops")), "invalid_json");
}

TEST(Runs, a_fork_is_a_new_run_with_what_was_changed) {
    ApiBench b;
    b.engine_.submit<std::string>("GREET", "july", {.id = "july"}).result();

    const Response forked = b.post("/api/runs/july/fork", R"({"input": "august", "id": "august"})");

    EXPECT_EQ(forked.status, 202);
    EXPECT_EQ(breaks(forked, schema_of<ControlView>()), "");
    EXPECT_EQ(b.engine_.find<std::string>("august").result(), "hello august");
    EXPECT_EQ(b.engine_.find<std::string>("july").result(), "hello july");
    EXPECT_EQ(code_of(b.post("/api/runs/none/fork")), "not_found");
    EXPECT_EQ(code_of(b.post("/api/runs/july/fork", R"({"form": "greet"})")), "invalid_json");
    EXPECT_EQ(code_of(b.post("/api/runs/july/fork", R"({"from": "no_such_step"})")), "not_found");
}

TEST(Runs, an_id_that_a_guest_chooses_is_its_own_and_is_called_so) {
    ApiBench b;
    const std::string acme = b.make_token_for("acme");
    const std::string umbrella = b.make_token_for("umbrella");
    b.engine_.submit<std::string>("GREET", "a", {.id = "a", .organization_id = "acme"}).result();
    b.engine_.submit<std::string>("GREET", "u", {.id = "u", .organization_id = "umbrella"})
        .result();

    // Free, taken by the other, taken by a run that nobody of them sees: the same answer.
    for (const std::string id : {"new", "u", "imgcls_0123456789abcdef0123456789abcdef"}) {
        b.bearer = acme;
        const Response made =
            b.post("/api/runs/a/fork", fmt::format(R"({{"from":"greet","id":"{}"}})", id));
        EXPECT_EQ(made.status, 202) << id;
        EXPECT_EQ(json_of(made).at("id").as_string(), id);
        EXPECT_EQ(json_of(b.get("/api/runs/" + id)).at("forked_from").as_string(), "a");
        EXPECT_EQ(
            b.post("/api/runs/a/fork", fmt::format(R"({{"from":"greet","id":"{}"}})", id)).status,
            409);
    }
    b.bearer = umbrella;
    EXPECT_EQ(json_of(b.get("/api/runs/u")).at("workflow_key").as_string(), "GREET");
    EXPECT_TRUE(json_of(b.get("/api/runs/u")).at("forked_from").is_null());
    EXPECT_EQ(b.get("/api/runs/new").status, 404);
    EXPECT_EQ(b.get("/api/runs/chosen@acme%2Fnew").status, 404);
}

TEST(Runs, a_fork_gives_no_output_that_the_workflow_does_not_let_in) {
    ApiBench b;
    b.engine_.submit<std::string>("GREET", "july", {.id = "july"}).result();

    const Response refused = b.post("/api/runs/july/fork", R"({"outputs": {"greet": "forged"}})");

    EXPECT_EQ(refused.status, 400);
    EXPECT_NE(message_of(refused).find("`greet`"), std::string::npos) << message_of(refused);
}

TEST(Runs, guests_do_not_read_the_names_of_machines) {
    ApiBench b;
    const std::string own = b.make_token_for("default");
    const std::string acme = b.make_token_for("acme");
    for (const char* organization : {"default", "acme"}) {
        SubmitOptions options;
        options.id = organization;
        options.organization_id = organization;
        b.engine_.submit<void>("FAIL", options).wait_for(std::chrono::seconds{10});
    }
    const std::string host = b.world.attempts("acme").at(0).worker;
    const std::string name = host.substr(0, host.find('/') + 1);

    for (const char* path : {"", "/why", "/history"}) {
        b.bearer = acme;
        const Response guest = b.get(std::string("/api/runs/acme") + path);
        EXPECT_EQ(std::get<std::string>(guest.body).find('"' + name), std::string::npos) << path;
    }
    b.bearer = own;
    EXPECT_NE(std::get<std::string>(b.get("/api/runs/default").body).find('"' + name),
              std::string::npos);
}

TEST(Runs, a_fork_under_a_taken_id_or_with_an_input_that_does_not_fit_is_refused) {
    ApiBench b;
    b.engine_.submit<std::string>("GREET", "july", {.id = "july"}).result();

    const Response taken = b.post("/api/runs/july/fork", R"({"from": "greet", "id": "july"})");
    EXPECT_EQ(taken.status, 409);
    EXPECT_EQ(message_of(taken),
              "run `july` exists already, and a fork is a new run: choose another id");
    EXPECT_EQ(b.post("/api/runs/july/fork", R"({"from": "greet", "id": "bad\nid"})").status, 400);
    const Response unfit = b.post("/api/runs/july/fork", R"({"from": "greet", "input": 5})");
    EXPECT_EQ(unfit.status, 400);
    EXPECT_EQ(message_of(unfit), "the input of GREET: expected a string, found a number");
    EXPECT_EQ(json_of(b.get("/api/runs")).at("runs").as_array().size(), 1u);
}

}  // namespace
}  // namespace belay::api
