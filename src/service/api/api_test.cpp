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
    route.path = "/write";
    route.summary = "writes";
    route.on<Method::Post>(Once{[&](const Request&, const Claim&) -> Claimed {
        throw Error(ErrorCode::StoreUnavailable, "the disk is full");
    }});
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

}  // namespace
}  // namespace belay::api
