#include "service/api/gate.hpp"

#include <gtest/gtest.h>

#include "service/api/errors.hpp"

namespace belay::api {
namespace {

Request request_of(Method method, Headers headers) {
    Request request;
    request.method = method;
    set_target(request, "/api/runs");
    request.headers = std::move(headers);
    return request;
}

std::string refused(const Gate& gate, const Request& request, bool websocket = false) {
    try {
        check_gate(gate, request, websocket);
    } catch (const ApiError& error) {
        return std::string(row_of(error.problem()).code);
    }
    return "";
}

TEST(Gate, on_loopback_the_host_must_be_a_name_of_this_machine) {
    const Gate gate;
    for (const char* host : {"localhost", "localhost:8080", "127.0.0.1:8080", "[::1]:8080",
                             "LOCALHOST:1", "belay.localhost:8080"}) {
        EXPECT_EQ(refused(gate, request_of(Method::Get, {{"Host", host}})), "") << host;
    }
    for (const char* host : {"evil.example", "evil.example:8080", "127.0.0.1.evil.example",
                             "localhost.evil.example", "evillocalhost"}) {
        EXPECT_EQ(refused(gate, request_of(Method::Get, {{"Host", host}})), "forbidden_host")
            << host;
    }
    EXPECT_EQ(refused(gate, request_of(Method::Get, {})), "bad_request");
    Gate open;
    open.loopback = false;
    EXPECT_EQ(refused(open, request_of(Method::Get, {{"Host", "belay.example"}})), "");
}

TEST(Gate, what_changes_something_must_come_from_our_own_page_or_from_none) {
    const Gate gate;
    const Headers::Field host{"Host", "localhost:8080"};
    EXPECT_EQ(refused(gate, request_of(Method::Post, {host})), "");
    EXPECT_EQ(refused(gate, request_of(Method::Post, {host, {"Origin", "http://localhost:8080"}})),
              "");
    for (const char* origin :
         {"http://evil.example", "null", "http://localhost:9999", "https://localhost:8080"}) {
        const Headers headers{host, {"Origin", origin}};
        EXPECT_EQ(refused(gate, request_of(Method::Post, headers)), "forbidden_origin") << origin;
        EXPECT_EQ(refused(gate, request_of(Method::Delete, headers)), "forbidden_origin") << origin;
        EXPECT_EQ(refused(gate, request_of(Method::Get, headers), true), "forbidden_origin")
            << origin;
        EXPECT_EQ(refused(gate, request_of(Method::Get, headers)), "") << origin;
    }
    EXPECT_EQ(refused(gate, request_of(Method::Post, {host, {"Sec-Fetch-Site", "cross-site"}})),
              "forbidden_origin");
}

TEST(Gate, cors_is_off_until_an_origin_is_named) {
    const Headers from_shop{{"Host", "localhost"}, {"Origin", "https://shop.example"}};
    Response closed;
    add_cors_headers({}, request_of(Method::Get, from_shop), closed);
    EXPECT_FALSE(closed.headers.find("Access-Control-Allow-Origin"));

    Gate gate;
    gate.cors_origins = {"https://shop.example"};
    Response open;
    add_cors_headers(gate, request_of(Method::Options, from_shop), open);
    EXPECT_EQ(open.headers.get("Access-Control-Allow-Origin"), "https://shop.example");
    EXPECT_NE(open.headers.get("Access-Control-Allow-Methods"), "");
    EXPECT_EQ(refused(gate, request_of(Method::Post, from_shop)), "");
    Response other;
    add_cors_headers(gate, request_of(Method::Get, {{"Origin", "https://evil.example"}}), other);
    EXPECT_FALSE(other.headers.find("Access-Control-Allow-Origin"));
}

TEST(Gate, security_headers_do_not_overwrite_what_a_handler_said) {
    Response response;
    response.headers.set("Content-Security-Policy", "default-src 'none'");
    add_security_headers(response);
    EXPECT_EQ(response.headers.get("Content-Security-Policy"), "default-src 'none'");
    EXPECT_EQ(response.headers.get("X-Content-Type-Options"), "nosniff");
    EXPECT_EQ(response.headers.get("X-Frame-Options"), "DENY");
}

}  // namespace
}  // namespace belay::api
