#include "ingestion/web/fetch/fetch.hpp"

#include <gtest/gtest.h>

#include "service/http/curl_client.hpp"
#include "service/http/testkit/test_server.hpp"

namespace belay::web::fetch {
namespace {

using namespace std::chrono_literals;
using http::testkit::Received;
using http::testkit::Reply;

struct Bench {
    std::function<Reply(const Received&)> answer;
    std::vector<Received> received;
    http::testkit::TestServer server{[this](const Received& request) {
        received.push_back(request);
        return answer(request);
    }};
    http::CurlClient client{{.addresses = http::AddressPolicy::public_only().allow("127.0.0.1")}};
    env::ManualClock clock;
    FetchOptions options{.time_max = 300ms, .body_bytes_max = 100'000};

    Page fetch(const std::string& path = "/", const Validators& validators = {}) {
        return fetch_page(client, clock, server.url(path), validators, options);
    }

    std::string refusal(const std::string& url) {
        try {
            fetch_page(client, clock, url, {}, options);
        } catch (const PageRefused& refused) {
            return std::string(to_string(refused.why()));
        } catch (const RetryAfter& later) {
            return "later " + std::to_string(later.after().count());
        } catch (const std::exception&) {
            return "again";
        }
        return "";
    }
};

TEST(FetchPage, gives_the_bytes_and_what_the_server_said) {
    Bench b;
    b.answer = [](const Received&) {
        return Reply{200,
                     {{"Content-Type", "text/html; charset=ISO-8859-1"},
                      {"ETag", "\"v1\""},
                      {"Last-Modified", "Wed, 01 Jan 2025 00:00:00 GMT"}},
                     "<p>caf\xe9"};
    };
    const auto page = b.fetch("/a");

    EXPECT_EQ(page.final_url, b.server.url("/a"));
    EXPECT_EQ(page.status, 200);
    EXPECT_EQ(page.kind, PageKind::Html);
    EXPECT_EQ(page.content_type, "text/html");
    EXPECT_EQ(page.charset, "iso-8859-1");
    EXPECT_EQ(page.body, "<p>caf\xe9");
    EXPECT_EQ(page.etag, "\"v1\"");
    EXPECT_FALSE(page.not_modified);
    EXPECT_NE(b.received.at(0).header("accept").find("text/markdown"), std::string::npos);
}

TEST(FetchPage, an_unchanged_page_costs_no_body) {
    Bench b;
    b.answer = [](const Received& request) {
        return request.header("if-none-match") == "\"v1\""
                   ? Reply{304, {}, ""}
                   : Reply{200, {{"Content-Type", "text/plain"}}, "new"};
    };
    const auto same = b.fetch("/", {"\"v1\"", "Wed, 01 Jan 2025 00:00:00 GMT"});
    EXPECT_TRUE(same.not_modified);
    EXPECT_EQ(same.etag, "\"v1\"");
    EXPECT_EQ(b.received.at(0).header("if-modified-since"), "Wed, 01 Jan 2025 00:00:00 GMT");
    EXPECT_EQ(b.fetch("/", {"\"v0\"", ""}).body, "new");
}

TEST(FetchPage, follows_redirects_and_asks_about_each_address) {
    Bench b;
    std::vector<std::string> asked;
    b.options.allows = [&](const std::string& url, std::stop_token) {
        asked.push_back(url);
        return url.find("forbidden") == std::string::npos;
    };
    b.answer = [](const Received& request) {
        if (request.path == "/a") return Reply{301, {{"Location", "/b"}}};
        if (request.path == "/x") return Reply{301, {{"Location", "/forbidden"}}};
        return Reply{200, {{"Content-Type", "text/markdown"}}, "# hi"};
    };

    EXPECT_EQ(b.fetch("/a").final_url, b.server.url("/b"));
    EXPECT_EQ(asked, (std::vector<std::string>{b.server.url("/a"), b.server.url("/b")}));
    EXPECT_EQ(b.refusal(b.server.url("/x")), "Robots");
    EXPECT_EQ(b.refusal(b.server.url("/forbidden")), "Robots");
    EXPECT_EQ(b.received.size(), 3U);
}

TEST(FetchPage, refuses_what_cannot_get_better) {
    Bench b;
    b.answer = [](const Received& request) {
        if (request.path == "/missing") return Reply{404, {}, "no"};
        if (request.path == "/film")
            return Reply{200, {{"Content-Type", "video/mp4"}}, std::string(90'000, 'x')};
        if (request.path == "/large")
            return Reply{200, {{"Content-Type", "text/html"}}, std::string(100'001, 'x')};
        if (request.path == "/inner") return Reply{302, {{"Location", "http://127.0.0.2/"}}};
        if (request.path == "/loop") return Reply{302, {{"Location", "/loop"}}};
        if (request.path == "/binary") return Reply{200, {}, std::string("\0\1", 2)};
        if (request.path == "/odd") return Reply{304, {}, ""};
        return Reply{};
    };
    EXPECT_EQ(b.refusal(b.server.url("/missing")), "Status");
    EXPECT_EQ(b.refusal(b.server.url("/film")), "UnsupportedType");
    EXPECT_EQ(b.refusal(b.server.url("/large")), "TooLarge");
    EXPECT_EQ(b.refusal(b.server.url("/inner")), "RefusedAddress");
    EXPECT_EQ(b.refusal(b.server.url("/loop")), "Redirects");
    EXPECT_EQ(b.refusal(b.server.url("/binary")), "UnsupportedType");
    EXPECT_EQ(b.refusal(b.server.url("/odd")), "Status");
    EXPECT_EQ(b.refusal("file:///etc/passwd"), "BadUrl");
    EXPECT_EQ(b.refusal("http://user:pw@example.org/"), "BadUrl");
    EXPECT_EQ(b.refusal("http://169.254.169.254/latest"), "RefusedAddress");
    EXPECT_EQ(b.refusal("https://127.0.0.1:" + std::to_string(b.server.port())), "Tls");
}

TEST(FetchPage, says_how_a_private_address_is_allowed) {
    Bench b;
    try {
        fetch_robots(b.client, "http://127.0.0.2/");
        FAIL() << "it may not be asked";
    } catch (const PageRefused& refused) {
        const std::string_view why = refused.what();
        EXPECT_NE(why.find("127.0.0.2 is loopback"), std::string_view::npos) << why;
        EXPECT_NE(why.find("--fetch-allow"), std::string_view::npos) << why;
        EXPECT_NE(why.find("--allow"), std::string_view::npos) << why;
    }
}

TEST(FetchPage, what_may_pass_is_tried_again_as_the_server_says) {
    Bench b;
    b.answer = [](const Received& request) {
        if (request.path == "/busy") return Reply{503, {{"Retry-After", "30"}}, ""};
        if (request.path == "/error") return Reply{500, {}, ""};
        return Reply{200, {}, "", Reply::Manner::Hang};
    };
    EXPECT_EQ(b.refusal(b.server.url("/busy")), "later 30000");
    EXPECT_EQ(b.refusal(b.server.url("/error")), "again");
    EXPECT_EQ(b.refusal(b.server.url("/hang")), "again");
}

TEST(FetchRobots, is_taken_as_the_standard_wants) {
    Bench b;
    b.answer = [](const Received&) { return Reply{200, {}, "User-agent: *\nDisallow: /x\n"}; };
    EXPECT_EQ(std::get<RobotsRules>(fetch_robots(b.client, b.server.url("/some/page?q"))).text,
              "User-agent: *\nDisallow: /x\n");
    EXPECT_EQ(b.received.at(0).target, "/robots.txt");
    b.answer = [](const Received&) { return Reply{200, {}, std::string(2'000'000, 'x')}; };
    EXPECT_EQ(std::get<RobotsRules>(fetch_robots(b.client, b.server.url())).text.size(),
              500U * 1024);
    b.answer = [](const Received&) { return Reply{404, {}, "none"}; };
    EXPECT_TRUE(std::holds_alternative<NoRobotsRules>(fetch_robots(b.client, b.server.url())));
    for (const int status : {429, 500, 503}) {
        b.answer = [=](const Received&) { return Reply{status, {}, ""}; };
        EXPECT_TRUE(
            std::holds_alternative<RobotsUnavailable>(fetch_robots(b.client, b.server.url())))
            << status;
    }
    try {
        fetch_robots(b.client, "http://127.0.0.2/");
        FAIL() << "it may not be asked";
    } catch (const PageRefused& refused) {
        EXPECT_EQ(refused.why(), Refusal::RefusedAddress);
    }
}

}  // namespace
}  // namespace belay::web::fetch
