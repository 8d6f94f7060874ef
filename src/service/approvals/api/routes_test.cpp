// routes_test.cpp — requests for approval as HTTP sees them, without a socket.
#include "service/approvals/api/routes.hpp"

#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <belay/belay.hpp>

#include "core/base/text.hpp"
#include "core/env/clock.hpp"
#include "core/library/host.hpp"
#include "service/api/api.hpp"

namespace belay::approvals {
namespace {

using api::Method;
using api::Request;
using api::Response;

struct RoutesBench {
    RoutesBench() : engine(library::make_core(memory(), quiet(), &clock)) {
        define_approval(engine);
        engine.start();
        add_approval_routes(routes, engine);
    }
    static EngineOptions quiet() {
        EngineOptions options;
        options.log_to_stderr = false;
        return options;
    }
    boost::json::value send(Method method, const std::string& target, std::string body = {}) {
        Request request;
        request.method = method;
        request.caller.organization_id = "acme";
        request.body = std::move(body);
        api::set_target(request, target);
        const auto match = routes.match(method, request.path);
        const auto& found = std::get<api::Found>(match);
        request.parameters = found.parameters;
        const Response response = found.route->call(request, {}).response();
        return boost::json::parse(std::get<std::string>(response.body));
    }
    std::string ask(const std::string& title) {
        const auto asked = send(Method::Post, "/api/approvals", R"({"title": ")" + title + R"("})");
        return std::string(asked.at("id").as_string());
    }

    env::ManualClock clock;
    Engine engine;
    api::Routes routes;
};

TEST(ApprovalRoutes, times_are_rfc_3339_in_every_answer) {
    RoutesBench b;
    const std::string now = base::format_time(b.clock.now());
    const std::string id = b.ask("Pay invoice 12?");

    const auto listed = b.send(Method::Get, "/api/approvals").at("approvals").at(0);
    const auto answered = b.send(Method::Post, "/api/approvals/" + id + "/approve");

    const api::JsonSchema schema = api::schema_of<ApprovalView>();
    EXPECT_TRUE(api::schema_violations(listed, schema).empty());
    EXPECT_TRUE(api::schema_violations(answered, schema).empty());
    EXPECT_EQ(listed.at("requested_at").as_string(), now);
    EXPECT_EQ(listed.at("expires_at").as_string(), base::format_time(b.clock.now() + kWaitAtMost));
    EXPECT_TRUE(listed.at("decided_at").is_null());
    EXPECT_EQ(answered.at("decided_at").as_string(), now);
}

TEST(ApprovalRoutes, a_misspelt_field_is_named) {
    RoutesBench b;
    try {
        b.send(Method::Post, "/api/approvals", R"({"titel": "Pay invoice 12?"})");
        FAIL() << "it was taken";
    } catch (const api::ApiError& error) {
        EXPECT_STREQ(error.what(), "there is no field `titel`: the body has title, details");
    }
}

}  // namespace
}  // namespace belay::approvals
