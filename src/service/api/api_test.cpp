#include "service/api/api.hpp"

#include <gtest/gtest.h>

#include "service/api/api_bench.hpp"

namespace belay::api {
namespace {

TEST(Api, a_path_that_is_not_there_and_a_method_that_is_not_taken) {
    ApiBench b;
    EXPECT_EQ(code_of(b.get("/nothing")), "not_found");
    const Response refused = b.post("/api/runs");
    EXPECT_EQ(code_of(refused), "method_not_allowed");
    EXPECT_EQ(refused.headers.get("Allow"), "GET, HEAD");
    const Response options = b.send(b.request(Method::Options, "/api/runs"));
    EXPECT_EQ(options.status, 204);
    EXPECT_EQ(options.headers.get("Allow"), "GET, HEAD, OPTIONS");
}

TEST(Api, every_answer_has_the_security_headers_and_its_request_id) {
    ApiBench b;
    for (const Response& response : {b.get("/healthz"), b.get("/nothing"), b.get("/api/runs")}) {
        EXPECT_EQ(response.headers.get("X-Content-Type-Options"), "nosniff");
        EXPECT_NE(response.headers.get("Content-Security-Policy").find("frame-ancestors 'none'"),
                  std::string::npos);
        EXPECT_EQ(response.headers.get("X-Request-Id"), "req-1");
        EXPECT_FALSE(response.headers.find("Access-Control-Allow-Origin"));
    }
}

TEST(Api, a_fault_of_ours_is_logged_and_not_told) {
    ApiBench b;
    Route broken;
    broken.path = "/broken";
    broken.summary = "breaks";
    broken.handler = [](const Request&) -> Response {
        throw std::logic_error("secret path /etc/x");
    };
    b.api.routes().add(std::move(broken));

    const Response response = b.get("/broken");

    EXPECT_EQ(response.status, 500);
    EXPECT_EQ(code_of(response), "internal");
    EXPECT_EQ(message_of(response).find("secret"), std::string::npos);
    EXPECT_EQ(b.faults, std::vector<std::string>{"secret path /etc/x"});
}

TEST(Api, a_store_that_cannot_be_written_is_unavailable_and_says_when_to_come_back) {
    ApiBench b;
    Route route;
    route.method = Method::Post;
    route.path = "/write";
    route.summary = "writes";
    route.handler = [&](const Request&) -> Response {
        throw Error(ErrorCode::StoreUnavailable, "the disk is full");
    };
    b.api.routes().add(std::move(route));

    const Response response = b.post("/write");

    EXPECT_EQ(response.status, 503);
    EXPECT_EQ(code_of(response), "unavailable");
    EXPECT_EQ(response.headers.get("Retry-After"), "1");
}

TEST(Api, health_readiness_and_numbers) {
    ApiBench b;
    b.engine_.submit<std::string>("GREET", "july", {.id = "july"}).result();

    EXPECT_EQ(json_of(b.get("/healthz")).at("status").as_string(), "ok");
    EXPECT_EQ(json_of(b.get("/readyz")).at("status").as_string(), "ready");
    const Response metrics = b.get("/metrics");
    EXPECT_EQ(metrics.headers.get("Content-Type"), "text/plain; version=0.0.4; charset=utf-8");
    EXPECT_NE(std::get<std::string>(metrics.body).find("belay_runs{status=\"succeeded\"} 1"),
              std::string::npos);
}

TEST(Api, the_numbers_of_all_are_for_the_servers_own_organization) {
    ApiBench b;
    EXPECT_EQ(b.get("/metrics").status, 200);  // no token is needed yet
    b.bearer = b.make_token_for("other");

    const Response refused = b.get("/metrics");

    EXPECT_EQ(refused.status, 403);
    EXPECT_EQ(code_of(refused), "forbidden");
    EXPECT_NE(message_of(refused).find("belong to `default`, the server's own organization"),
              std::string::npos);
    EXPECT_EQ(message_of(refused).find("belay_runs"), std::string::npos);
    b.bearer = b.make_token_for("default");
    EXPECT_EQ(b.get("/metrics").status, 200);
}

TEST(Api, the_description_has_every_route_with_its_answers) {
    ApiBench b;
    const auto document = json_of(b.get("/openapi.json")).as_object();

    EXPECT_EQ(document.at("openapi").as_string(), "3.1.0");
    const auto& paths = document.at("paths").as_object();
    for (const auto& route : b.api.routes().all())
        ASSERT_TRUE(paths.contains(route->path)) << route->path;
    const auto& show = paths.at("/api/runs/{id}").at("get");
    EXPECT_EQ(show.at("parameters").at(0).at("name").as_string(), "id");
    EXPECT_TRUE(show.at("responses").as_object().contains("404"));
    EXPECT_TRUE(show.at("responses")
                    .at("200")
                    .at("content")
                    .at("application/json")
                    .as_object()
                    .contains("schema"));
    EXPECT_TRUE(paths.at("/healthz").at("get").as_object().contains("security"));
}

TEST(Api, a_body_that_is_not_json_by_its_type_is_refused) {
    ApiBench b;
    Request request =
        b.request(Method::Post, "/api/runs/july/cancel", {{"Content-Type", "text/plain"}});
    request.body = "{}";
    EXPECT_EQ(code_of(b.send(std::move(request))), "unsupported_media_type");
}

TEST(Idempotency, the_same_key_gives_the_same_answer_and_does_it_once) {
    ApiBench b;
    int done = 0;
    Route route;
    route.method = Method::Post;
    route.path = "/count";
    route.summary = "counts";
    route.takes = Takes::Json;
    route.body_optional = true;
    route.handler = [&](const Request&) { return json_response(202, {{"n", ++done}}); };
    b.api.routes().add(std::move(route));
    const Headers key{{"Idempotency-Key", "k1"}};

    EXPECT_EQ(json_of(b.post("/count", "{}", key)).at("n").as_int64(), 1);
    const Response again = b.post("/count", "{}", key);
    EXPECT_EQ(again.status, 202);
    EXPECT_EQ(json_of(again).at("n").as_int64(), 1);
    EXPECT_EQ(again.headers.get("Idempotent-Replayed"), "true");
    EXPECT_EQ(code_of(b.post("/count", R"({"x":1})", key)), "idempotency_mismatch");
    EXPECT_EQ(json_of(b.post("/count", "{}")).at("n").as_int64(), 2);
    EXPECT_EQ(code_of(b.post("/count", "{}", {{"Idempotency-Key", std::string(300, 'k')}})),
              "invalid_parameter");

    b.world.sim.clock();  // a day later the key is free
    Idempotency short_lived(b.tables, b.world.sim.clock(), Duration{0});
    const Request request = b.request(Method::Post, "/count");
    EXPECT_TRUE(std::holds_alternative<Idempotency::Turn>(short_lived.begin(request, "k1")));
}

TEST(Idempotency, an_answer_that_says_not_now_is_not_kept_and_one_under_way_is_told) {
    ApiBench b;
    int tries = 0;
    Response inner;
    Route route;
    route.method = Method::Post;
    route.path = "/flaky";
    route.summary = "fails first";
    route.handler = [&](const Request&) -> Response {
        inner = b.post("/flaky", "", {{"Idempotency-Key", "k"}});
        if (++tries == 1) throw Error(ErrorCode::StoreUnavailable, "the disk is full");
        return json_response(200, {{"tries", tries}});
    };
    b.api.routes().add(std::move(route));

    EXPECT_EQ(b.post("/flaky", "", {{"Idempotency-Key", "k"}}).status, 503);
    EXPECT_EQ(code_of(inner), "idempotency_in_progress");
    EXPECT_EQ(json_of(b.post("/flaky", "", {{"Idempotency-Key", "k"}})).at("tries").as_int64(), 2);
}

TEST(Idempotency, a_key_belongs_to_its_organization) {
    ApiBench b;
    const std::string acme = b.make_token_for("acme");
    const std::string umbrella = b.make_token_for("umbrella");
    Route route;
    route.method = Method::Post;
    route.path = "/who";
    route.summary = "tells who asks";
    route.handler = [](const Request& r) {
        return json_response(200, {{"who", r.caller.organization_id}});
    };
    b.api.routes().add(std::move(route));

    b.bearer = acme;
    EXPECT_EQ(json_of(b.post("/who", "", {{"Idempotency-Key", "k"}})).at("who").as_string(),
              "acme");
    b.bearer = umbrella;
    EXPECT_EQ(json_of(b.post("/who", "", {{"Idempotency-Key", "k"}})).at("who").as_string(),
              "umbrella");
}

}  // namespace
}  // namespace belay::api
