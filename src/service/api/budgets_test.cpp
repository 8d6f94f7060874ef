#include <gtest/gtest.h>

#include "service/api/api_bench.hpp"
#include "service/api/operations_views.hpp"
#include "service/api/run_views.hpp"

namespace belay::api {
namespace {

namespace json = boost::json;

constexpr const char* kTwenty = R"({"amount": "20", "currency": "USD", "per": "day"})";

std::string breaks(const Response& response, const JsonSchema& schema) {
    std::string text;
    for (const std::string& one : schema_violations(json_of(response), schema)) text += one + "\n";
    return text;
}

struct BudgetRoutes : testing::Test {
    ApiBench b;
    std::string own = b.make_token_for("default");
    std::string acme = b.make_token_for("acme");

    void as(const std::string& token) { b.bearer = token; }
    std::string names() {
        std::string out;
        const auto list = json_of(b.get("/api/budgets"));
        for (const auto& one : list.at("budgets").as_array())
            out += std::string(one.at("name").as_string()) + " ";
        return out;
    }
    // A run of acme that asked for 30 USD and is paused for it.
    void pause_a_run(const std::string& id) {
        b.engine_.submit<void>("PAY", {.id = id, .organization_id = "acme"});
        ASSERT_TRUE(b.world.run_until(id, RunStatus::Paused));
    }
};

TEST_F(BudgetRoutes, a_budget_is_set_seen_and_removed) {
    as(own);
    const Response set = b.post("/api/budgets/models", kTwenty);
    ASSERT_EQ(set.status, 200) << message_of(set);
    EXPECT_EQ(breaks(set, schema_of<SetBudgetView>()), "");
    const Response tokens =
        b.post("/api/budgets/papers", R"({"tokens": 5000, "per": "run", "workflow": "GREET"})");
    ASSERT_EQ(tokens.status, 200) << message_of(tokens);

    const Response list = b.get("/api/budgets");
    EXPECT_EQ(breaks(list, list_schema("budgets", schema_of<BudgetView>())), "");
    const auto models = json_of(list).at("budgets").at(0);
    EXPECT_EQ(models.at("limit").as_string(), "20");
    EXPECT_EQ(models.at("spent").as_string(), "0");
    EXPECT_EQ(models.at("unit").as_string(), "USD");
    EXPECT_EQ(json_of(list).at("budgets").at(1).at("amount").as_string(), "5000");

    EXPECT_EQ(b.post("/api/budgets/models/remove").status, 200);
    EXPECT_EQ(names(), "papers ");
    EXPECT_EQ(b.post("/api/budgets/models/remove").status, 404);
}

TEST_F(BudgetRoutes, what_is_no_limit_is_refused) {
    as(own);
    for (const char* body :
         {"", "[]", R"({"per": "day"})", R"({"amount": "20", "per": "day"})",
          R"({"amount": "20", "currency": "USD", "tokens": 5, "per": "day"})",
          R"({"amount": "-1", "currency": "USD", "per": "day"})", R"({"tokens": 0, "per": "day"})",
          R"({"tokens": 5, "per": "week"})", R"({"tokens": 5, "per": "day", "more": 1})"}) {
        EXPECT_EQ(b.post("/api/budgets/models", body).status, 400) << body;
    }
    const auto why = [&](const char* body) {
        return std::string(
            json_of(b.post("/api/budgets/models", body)).at("error").at("message").as_string());
    };
    EXPECT_EQ(why(R"({"amount": "20", "per": "day"})"),
              "`amount` and `currency` are given together");
    EXPECT_EQ(why(R"({"amount": "20", "tokens": 5, "per": "day"})"),
              "a limit is of money or of tokens, not of both");
    EXPECT_EQ(names(), "");
}

TEST_F(BudgetRoutes, an_organization_sets_its_own_and_sees_what_the_server_set_for_it) {
    as(own);
    b.post("/api/budgets/all", R"({"tokens": 5000, "per": "day", "organization": "*"})");
    b.post("/api/budgets/given",
           R"({"amount": "20", "currency": "USD", "per": "day", "organization": "acme"})");
    as(acme);
    EXPECT_EQ(b.post("/api/budgets/mine", kTwenty).status, 200);
    for (const char* others : {R"({"tokens": 5, "per": "day", "organization": "*"})",
                               R"({"tokens": 5, "per": "day", "organization": "default"})"}) {
        EXPECT_EQ(b.post("/api/budgets/theirs", others).status, 400) << others;
    }
    EXPECT_EQ(names(), "mine given ");
    // Of the same name it is its own, and the server's stands beside it.
    EXPECT_EQ(b.post("/api/budgets/given", R"({"tokens": 9, "per": "day"})").status, 200);
    EXPECT_EQ(b.post("/api/budgets/given/remove").status, 200);
    EXPECT_EQ(b.post("/api/budgets/given/remove").status, 404);
    EXPECT_EQ(names(), "mine given ");
    as(b.make_token_for("umbrella"));
    EXPECT_EQ(names(), "");
    EXPECT_EQ(b.post("/api/budgets/mine/remove").status, 404);
    as(own);
    EXPECT_EQ(names(), "mine all given ");
}

TEST_F(BudgetRoutes, a_run_that_its_own_budget_paused_is_let_go_on_by_its_organization) {
    as(acme);
    b.post("/api/budgets/mine", kTwenty);
    pause_a_run("july");
    const std::string path = "/api/runs/july/approve";
    for (const char* body :
         {R"({"amount": "1", "tokens": 5})", R"({"amount": "x", "currency": "USD"})",
          R"({"amount": "40"})", R"({"limit": 1})"}) {
        EXPECT_EQ(b.post(path, body).status, 400) << body;
    }
    EXPECT_EQ(b.post(path, R"({"amount": "25", "currency": "USD"})").status, 409);
    EXPECT_EQ(b.post(path, R"({"tokens": 500})").status, 409);
    as(b.make_token_for("umbrella"));
    EXPECT_EQ(b.post(path).status, 404);

    as(acme);
    const Response approved = b.post(path, R"({"amount": "40", "currency": "USD"})");
    ASSERT_EQ(approved.status, 200) << message_of(approved);
    EXPECT_EQ(breaks(approved, schema_of<ControlView>()), "");
    EXPECT_EQ(json_of(approved).at("status").as_string(), "queued");
    EXPECT_EQ(json_of(b.get("/api/budgets?run=july")).at("budgets").at(0).at("limit").as_string(),
              "40");
    EXPECT_EQ(b.post(path).status, 409);
}

TEST_F(BudgetRoutes, what_the_servers_own_set_is_approved_by_nobody_else) {
    as(own);
    b.post("/api/budgets/given",
           R"({"amount": "20", "currency": "USD", "per": "day", "organization": "acme"})");
    pause_a_run("july");
    as(acme);
    for (const char* body : {"", R"({"amount": "40", "currency": "USD"})"}) {
        const Response refused = b.post("/api/runs/july/approve", body);
        EXPECT_EQ(refused.status, 409) << body;
        EXPECT_NE(message_of(refused).find("set by `default`"), std::string::npos)
            << message_of(refused);
    }
    as(own);
    b.engine_.approve_spending("july");
    EXPECT_TRUE(b.world.run_until("july", RunStatus::Succeeded));
}

}  // namespace
}  // namespace belay::api
