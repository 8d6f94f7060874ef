#include "service/api/auth.hpp"

#include <gtest/gtest.h>

#include "service/api/api_bench.hpp"

namespace belay::api {
namespace {

using namespace std::chrono_literals;

TEST(Auth, on_loopback_no_token_is_needed_until_one_was_made) {
    ApiBench b;
    EXPECT_EQ(b.get("/api/runs").status, 200);

    const std::string secret = b.make_token_for("default");

    const Response refused = b.get("/api/runs");
    EXPECT_EQ(refused.status, 401);
    EXPECT_EQ(code_of(refused), "unauthorized");
    EXPECT_TRUE(refused.headers.get("WWW-Authenticate").starts_with("Bearer"));
    b.bearer = secret;
    EXPECT_EQ(b.get("/api/runs").status, 200);
    b.tables.transact([&](Tx& tx) { token_request(tx, revoke_request(b.last_token_id)); });
    EXPECT_EQ(b.get("/api/runs").status, 401);
    b.bearer.clear();
    EXPECT_EQ(b.get("/api/runs").status, 401);  // revoking does not open it again
    EXPECT_EQ(b.get("/healthz").status, 200);
}

TEST(Auth, where_no_token_is_needed_the_caller_says_for_whom_he_asks) {
    ApiBench b;
    Auth& auth = b.auth;
    const auto asks = [&](const std::string& name) {
        Request request;
        request.headers.set(std::string(kOrganizationHeader), name);
        return auth.caller_of(request).organization_id;
    };
    EXPECT_EQ(auth.caller_of(Request{}).organization_id, "default");
    EXPECT_EQ(asks("acme"), "acme");
    EXPECT_EQ(asks("%C3%A5%20b"), "å b");
    for (const char* wrong : {"", "*", "a%2Fb", "..", "a%0Ab", "%ZZ", "%FF"})
        EXPECT_THROW(asks(wrong), ApiError) << wrong;

    // A token speaks for its own, whatever is said.
    const std::string secret = b.make_token_for("other");
    EXPECT_THROW(asks("acme"), ApiError);
    Request with_token;
    with_token.headers.set("Authorization", "Bearer " + secret);
    with_token.headers.set(std::string(kOrganizationHeader), "acme");
    EXPECT_EQ(auth.caller_of(with_token).organization_id, "other");
}

TEST(Auth, elsewhere_a_token_is_always_needed) {
    ApiBench b({.default_organization = "default", .loopback = false});
    EXPECT_EQ(b.get("/api/runs").status, 401);
    EXPECT_EQ(b.get("/metrics").status, 401);
    EXPECT_EQ(b.get("/healthz").status, 200);
}

TEST(Auth, an_organization_that_could_not_upload_gets_no_token) {
    for (const char* bad : {"a/b", "/", ".", "..", "", "a\nb"})
        EXPECT_THROW(make_token(bad, "ci"), Error) << bad;
    try {
        make_token("a/b", "ci");
    } catch (const Error& error) {
        EXPECT_STREQ(
            error.what(),
            "`a/b` cannot be the organization of a token: it has a slash, and a file's key is "
            "`organization/name`");
    }
    for (const char* good : {"acme", "*", "a b", "år"})
        EXPECT_NO_THROW(make_token(good, "a/b")) << good;
}

TEST(Auth, a_request_of_another_process_is_held_to_the_same_names) {
    ApiBench b;
    std::string request = make_token("a_b", "ci").request;
    request.replace(request.find("a_b"), 3, "a/b");
    EXPECT_THROW(b.tables.transact([&](Tx& tx) { token_request(tx, request); }), Error);
}

TEST(Auth, what_is_no_token_is_refused) {
    ApiBench b;
    b.make_token_for("default");
    for (const char* header : {"Basic dXNlcg==", "Bearer", "Bearer ", "Bearer belay_", "Bearer x",
                               "Bearer belay_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}) {
        EXPECT_EQ(b.get("/api/runs", {{"Authorization", header}}).status, 401) << header;
    }
}

TEST(Auth, a_websocket_may_send_its_token_as_a_subprotocol) {
    ApiBench b;
    const std::string secret = b.make_token_for("acme");
    const Request request = b.request(
        Method::Get, "/api/live", {{"Sec-WebSocket-Protocol", "belay, belay.bearer." + secret}});
    EXPECT_EQ(b.auth.caller_of(request).organization_id, "acme");
}

TEST(Auth, a_token_above_its_rate_is_told_when_to_come_back) {
    ApiBench b({}, {.per_second = 1, .burst = 2});
    b.bearer = b.make_token_for("acme");
    EXPECT_EQ(b.get("/api/runs").status, 200);
    EXPECT_EQ(b.get("/api/runs").status, 200);

    const Response refused = b.get("/api/runs");

    EXPECT_EQ(refused.status, 429);
    EXPECT_EQ(code_of(refused), "rate_limited");
    EXPECT_EQ(refused.headers.get("Retry-After"), "1");
}

TEST(Auth, one_who_guesses_is_slowed_down_and_a_right_token_passes) {
    ApiBench b;
    const std::string secret = b.make_token_for("acme");
    b.bearer = "belay_wrong";
    for (int i = 0; i < 20; ++i) EXPECT_EQ(b.get("/api/runs").status, 401);

    const Response refused = b.get("/api/runs");

    EXPECT_EQ(code_of(refused), "rate_limited");
    EXPECT_EQ(refused.headers.get("Retry-After"), "1");
    b.bearer = secret;
    EXPECT_EQ(b.get("/api/runs").status, 200);
}

TEST(Auth, two_tokens_are_none) {
    ApiBench b;
    const std::string secret = "Bearer " + b.make_token_for("acme");
    EXPECT_EQ(b.get("/api/runs", {{"Authorization", secret}, {"Authorization", secret}}).status,
              400);
}

TEST(Tokens, only_the_hash_is_stored_and_the_last_use_is_noted) {
    ApiBench b;
    const std::string secret = b.make_token_for("acme", "ci");
    EXPECT_TRUE(secret.starts_with("belay_"));
    EXPECT_EQ(secret.size(), 6u + 43u);
    ASSERT_EQ(b.tokens.list().size(), 1u);
    EXPECT_FALSE(b.tokens.list()[0].last_used_at);

    EXPECT_EQ(b.tokens.find(secret)->organization_id, "acme");

    EXPECT_EQ(b.tokens.list()[0].name, "ci");
    EXPECT_EQ(b.tokens.list()[0].last_used_at, b.world.sim.clock().now());
    for (const auto& row : b.tables.rows("SELECT id || name || lookup || hash FROM api_tokens"))
        EXPECT_EQ(row.get<std::string>(0).find(secret.substr(6)), std::string::npos);
}

TEST(Tokens, names_and_requests_that_cannot_be_are_refused) {
    ApiBench b;
    EXPECT_THROW(make_token("", "x"), Error);
    EXPECT_THROW(make_token("acme", std::string(101, 'x')), Error);
    EXPECT_THROW(make_token("acme", "a\nb"), Error);
    const auto apply = [&](const std::string& request) {
        b.tables.transact([&](Tx& tx) { token_request(tx, request); });
    };
    EXPECT_THROW(apply(revoke_request("tok_none")), Error);
    EXPECT_THROW(apply(R"({"action":"steal"})"), Error);
    EXPECT_THROW(apply("nonsense"), Error);
}

TEST(Tokens, texts_are_compared_whole) {
    EXPECT_TRUE(equal_in_constant_time("abc", "abc"));
    EXPECT_FALSE(equal_in_constant_time("abc", "abd"));
    EXPECT_FALSE(equal_in_constant_time("abc", "ab"));
}

}  // namespace
}  // namespace belay::api
