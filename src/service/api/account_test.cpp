#include "service/api/account.hpp"

#include <gtest/gtest.h>

#include "service/api/account_views.hpp"
#include "service/api/api_bench.hpp"
#include "service/api/audit.hpp"

namespace belay::api {
namespace {

namespace json = boost::json;

// What a browser keeps of a Set-Cookie.
std::string cookie_of(const Response& response) {
    const std::string header(response.headers.get("Set-Cookie"));
    return header.substr(0, header.find(';'));
}

// Signs the page in: from then on every request carries its cookie, and its word.
Response sign_in(ApiBench& b, const std::string& secret) {
    b.cookie.clear();
    b.csrf.clear();
    Response response = b.post("/api/session", json::serialize(json::object{{"token", secret}}));
    if (response.status == 200) {
        b.cookie = cookie_of(response);
        b.csrf = std::string(json_of(response).at("csrf").as_string());
    }
    return response;
}

Response erase(ApiBench& b, std::string target) {
    return b.send(b.request(Method::Delete, std::move(target)));
}
Response patch(ApiBench& b, std::string target, std::string body) {
    Request request = b.request(Method::Patch, std::move(target));
    request.body = std::move(body);
    request.headers.set("Content-Type", "application/json");
    return b.send(std::move(request));
}

TEST(Session, a_token_opens_one_whose_cookie_no_script_can_read) {
    ApiBench b;
    const std::string secret = b.make_token_for("acme", "browser");

    const Response response = sign_in(b, secret);

    EXPECT_EQ(response.status, 200);
    EXPECT_TRUE(schema_violations(json_of(response), schema_of<SessionView>()).empty());
    const std::string header(response.headers.get("Set-Cookie"));
    EXPECT_NE(header.find("HttpOnly"), std::string::npos);
    EXPECT_NE(header.find("SameSite=Strict"), std::string::npos);
    EXPECT_NE(header.find("belay_session_8080="), std::string::npos);
    EXPECT_EQ(header.find(secret), std::string::npos);
    EXPECT_EQ(json_of(response).at("token").at("name").as_string(), "browser");
    EXPECT_EQ(b.get("/api/runs").status, 200);
    EXPECT_EQ(json_of(b.get("/api/session")).at("organization_id").as_string(), "acme");
}

TEST(Session, a_wrong_token_opens_none_and_is_counted_as_a_guess) {
    ApiBench b;
    b.make_token_for("acme");

    Response response = sign_in(b, "belay_wrong");
    EXPECT_EQ(response.status, 401);
    EXPECT_FALSE(response.headers.find("Set-Cookie"));
    for (int i = 0; i < 30; ++i) response = sign_in(b, "belay_wrong");

    EXPECT_EQ(response.status, 429);
}

TEST(Session, what_changes_something_needs_the_word_that_only_its_page_was_told) {
    ApiBench b;
    sign_in(b, b.make_token_for("acme"));
    const std::string word = b.csrf;

    for (const std::string& wrong : {std::string(), std::string(word.size(), '0')}) {
        b.csrf = wrong;
        EXPECT_EQ(code_of(b.post("/api/tokens", R"({"name": "x"})")), "forbidden_origin");
        EXPECT_EQ(code_of(erase(b, "/api/session")), "forbidden_origin");
        EXPECT_EQ(b.get("/api/runs").status, 200) << "looking needs none";
    }
    b.csrf = word;
    EXPECT_EQ(b.post("/api/tokens", R"({"name": "x"})").status, 201);
}

TEST(Session, ends_when_it_is_too_old) {
    ApiBench b;
    sign_in(b, b.make_token_for("acme"));

    b.world.sim.clock().advance(kSessionLasts - std::chrono::minutes{1});
    EXPECT_EQ(b.get("/api/runs").status, 200);
    b.world.sim.clock().advance(std::chrono::minutes{2});

    EXPECT_EQ(b.get("/api/runs").status, 401);
    EXPECT_FALSE(json_of(b.get("/api/session")).at("signed_in").as_bool());
    EXPECT_EQ(b.auth.revoked().size(), 1u);
}

TEST(Session, ends_with_its_token_also_for_who_watches) {
    ApiBench b;
    sign_in(b, b.make_token_for("acme"));
    const std::string id = b.last_token_id;
    const auto session = b.sessions.find(b.cookie.substr(b.cookie.find('=') + 1), true);
    ASSERT_TRUE(session);

    b.tables.transact([&](Tx& tx) { token_request(tx, revoke_request(id)); });

    EXPECT_EQ(b.get("/api/runs").status, 401);
    EXPECT_TRUE(b.auth.revoked().contains(session->id));
}

TEST(Session, signing_out_ends_it_on_the_server_as_well) {
    ApiBench b;
    sign_in(b, b.make_token_for("acme"));

    const Response response = erase(b, "/api/session");

    EXPECT_EQ(response.status, 204);
    EXPECT_NE(response.headers.get("Set-Cookie").find("Max-Age=0"), std::string_view::npos);
    EXPECT_EQ(b.get("/api/runs").status, 401) << "a copy of the cookie is worth nothing";
}

TEST(Session, another_ports_cookie_is_not_ours) {
    ApiBench b;
    sign_in(b, b.make_token_for("acme"));

    b.cookie.replace(b.cookie.find("8080"), 4, "8081");

    EXPECT_EQ(b.get("/api/runs").status, 401);
}

TEST(Session, without_tokens_it_chooses_the_organization_until_the_first_token_is_made) {
    ApiBench b;
    b.engine_.submit<std::string>("GREET", "july", {.id = "july", .organization_id = "acme"})
        .result();

    EXPECT_EQ(json_of(b.get("/api/session")).at("organizations").at(0).as_string(), "default");
    const Response chosen = b.post("/api/session", R"({"organization": "acme"})");
    b.cookie = cookie_of(chosen);
    b.csrf = std::string(json_of(chosen).at("csrf").as_string());

    EXPECT_EQ(json_of(b.get("/api/runs")).at("runs").as_array().size(), 1u);
    b.make_token_for("default");
    EXPECT_EQ(b.get("/api/runs").status, 401);
    EXPECT_EQ(b.post("/api/session", R"({"organization": "acme"})").status, 401);
}

TEST(TokensOverHttp, are_made_named_listed_and_revoked_for_ones_own_organization) {
    ApiBench b;
    b.bearer = b.make_token_for("acme", "first");

    const Response made = b.post("/api/tokens", R"({"name": "second"})");
    EXPECT_EQ(made.status, 201);
    EXPECT_TRUE(schema_violations(json_of(made), schema_of<NewTokenView>()).empty());
    const std::string secret(json_of(made).at("token").as_string());
    const std::string id(json_of(made).at("id").as_string());
    b.make_token_for("other", "theirs");
    const auto listed = json_of(b.get("/api/tokens"));
    EXPECT_TRUE(schema_violations(listed, schema_of<TokensView>()).empty());
    EXPECT_EQ(listed.at("tokens").as_array().size(), 2u) << "not the other organization's";
    EXPECT_EQ(json::serialize(listed).find(secret), std::string::npos);

    EXPECT_EQ(erase(b, "/api/tokens/" + b.last_token_id).status, 404) << "another's";
    EXPECT_EQ(b.post("/api/tokens", R"({"name": "x", "organization_id": "other"})").status, 403);
    EXPECT_EQ(erase(b, "/api/tokens/" + id).status, 204);
    b.bearer = secret;
    EXPECT_EQ(b.get("/api/runs").status, 401);
}

TEST(TokensOverHttp, the_first_one_signs_in_the_page_that_made_it) {
    ApiBench b;

    const Response made = b.post("/api/tokens", R"({"name": "first"})");

    EXPECT_EQ(b.get("/api/runs").status, 401);
    b.cookie = cookie_of(made);
    EXPECT_EQ(b.get("/api/runs").status, 200);
}

TEST(TokensOverHttp, a_secret_is_not_kept_with_an_idempotency_key) {
    ApiBench b;
    Request request = b.request(Method::Post, "/api/tokens", {{"Idempotency-Key", "k"}});
    request.body = R"({"name": "first"})";

    const std::string secret(json_of(b.send(std::move(request))).at("token").as_string());

    for (const SqlRow row : b.tables.rows("SELECT body FROM api_idempotency"))
        EXPECT_EQ(row.get<std::string>(0).find(secret), std::string::npos);
}

TEST(SettingsOverHttp, are_an_organizations_own_and_refuse_what_is_none) {
    ApiBench b;
    b.bearer = b.make_token_for("acme");

    const Response changed =
        patch(b, "/api/settings",
              R"({"language": "sv", "home_currency": "EUR", "accounts": {"5790": "6990"}})");

    EXPECT_EQ(changed.status, 200);
    EXPECT_TRUE(schema_violations(json_of(changed), schema_of<SettingsView>()).empty());
    EXPECT_EQ(json_of(b.get("/api/settings")).at("home_currency").as_string(), "EUR");
    for (const char* wrong : {R"({"language": "xx"})", R"({"home_currency": "euro"})",
                              R"({"accounts": {"5790": "x"}})", R"({"colour": "red"})", "[]"})
        EXPECT_EQ(patch(b, "/api/settings", wrong).status, 400) << wrong;
    EXPECT_EQ(patch(b, "/api/settings", R"({"language": null})").status, 200);
    EXPECT_TRUE(json_of(b.get("/api/settings")).at("language").is_null());
    b.bearer = b.make_token_for("other");
    EXPECT_TRUE(json_of(b.get("/api/settings")).at("home_currency").is_null());
}

TEST(SettingsOverHttp, a_webhook_is_the_owners_to_set_and_its_secret_is_told_to_nobody) {
    ApiBench b;
    const std::string body =
        R"({"webhook": {"url": "https://a.example/hook", "secret": "sixteen characters!"}})";
    b.bearer = b.make_token_for("acme");
    EXPECT_EQ(patch(b, "/api/settings", body).status, 403);

    b.bearer = b.make_token_for("default");
    const Response set = patch(b, "/api/settings", body);

    EXPECT_EQ(set.status, 200);
    EXPECT_TRUE(schema_violations(json_of(set), schema_of<SettingsView>()).empty());
    EXPECT_EQ(json_of(set).at("webhook").at("url").as_string(), "https://a.example/hook");
    for (const char* path : {"/api/settings", "/api/audit"})
        EXPECT_EQ(std::get<std::string>(b.get(path).body).find("sixteen"), std::string::npos);
    EXPECT_EQ(webhook_setting(b.tables, "default")->secret, "sixteen characters!");
    for (const char* wrong :
         {R"({"webhook": {"url": "ftp://a", "secret": "sixteen characters!"}})",
          R"({"webhook": {"url": "https://a.example", "secret": "short"}})", R"({"webhook": 1})"})
        EXPECT_EQ(patch(b, "/api/settings", wrong).status, 400) << wrong;
    EXPECT_EQ(patch(b, "/api/settings", R"({"webhook": null})").status, 200);
    EXPECT_FALSE(webhook_setting(b.tables, "default"));
}

TEST(Audit, tells_which_token_did_what_to_what_and_only_to_its_organization) {
    ApiBench b;
    b.bearer = b.make_token_for("acme", "anna");
    b.engine_.submit<void>("FAIL", {.id = "july", .organization_id = "acme"})
        .wait_for(std::chrono::hours{1});

    EXPECT_EQ(b.post("/api/runs/july/retry", R"({"reason": "again"})").status, 200);
    patch(b, "/api/settings", R"({"language": "de"})");

    const auto told = json_of(b.get("/api/audit"));
    EXPECT_TRUE(schema_violations(told, list_schema("audit", schema_of<AuditView>())).empty());
    const auto& rows = told.at("audit").as_array();
    ASSERT_EQ(rows.size(), 2u);
    EXPECT_EQ(rows[0].at("action").as_string(), "settings");
    EXPECT_EQ(rows[1].at("action").as_string(), "retry");
    EXPECT_EQ(rows[1].at("target").as_string(), "july");
    EXPECT_EQ(rows[1].at("token_name").as_string(), "anna");
    EXPECT_NE(rows[1].at("detail").as_string().find("again"), json::string::npos);
    EXPECT_EQ(json_of(b.get("/api/audit?action=retry")).at("audit").as_array().size(), 1u);
    b.bearer = b.make_token_for("other");
    EXPECT_TRUE(json_of(b.get("/api/audit")).at("audit").as_array().empty());
}

TEST(Audit, what_was_refused_or_done_before_is_not_told) {
    ApiBench b;
    b.engine_.submit<void>("FAIL", {.id = "july"}).wait_for(std::chrono::hours{1});
    const Headers key{{"Idempotency-Key", "once"}};

    EXPECT_EQ(b.post("/api/runs/none/retry").status, 404);
    EXPECT_EQ(b.post("/api/runs/july/resume").status, 409);
    b.post("/api/runs/july/retry", "", key);
    b.post("/api/runs/july/retry", "", key);

    EXPECT_EQ(json_of(b.get("/api/audit")).at("audit").as_array().size(), 1u);
}

TEST(Audit, pages_go_on_where_the_last_ended) {
    ApiBench b;
    b.tables.transact([&](Tx& tx) {
        for (int i = 0; i < 5; ++i)
            write_audit(tx, {"default", "", "", "delete", std::to_string(i), ""});
    });

    const auto first = json_of(b.get("/api/audit?limit=3"));
    ASSERT_EQ(first.at("audit").as_array().size(), 3u);
    const auto second = json_of(
        b.get("/api/audit?limit=3&cursor=" + std::string(first.at("next_cursor").as_string())));

    ASSERT_EQ(second.at("audit").as_array().size(), 2u);
    EXPECT_EQ(second.at("audit").as_array()[1].at("target").as_string(), "0");
    EXPECT_TRUE(second.at("next_cursor").is_null());
}

}  // namespace
}  // namespace belay::api
