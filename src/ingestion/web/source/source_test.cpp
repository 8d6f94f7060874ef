// source_test.cpp — sites are asked for their rules once, and for pages not too fast.
#include <optional>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <belay/error.hpp>

#include "core/env/clock.hpp"
#include "core/env/pause.hpp"
#include "ingestion/web/source/host_gate.hpp"
#include "ingestion/web/source/page_reader.hpp"
#include "ingestion/web/source/robots_cache.hpp"
#include "ingestion/web/source/sanity_source.hpp"
#include "service/http/curl_client.hpp"
#include "service/http/testkit/test_server.hpp"

namespace belay::web::source {
namespace {

using namespace std::chrono_literals;

TEST(HostGate, gives_turns_in_order_at_their_distance_for_each_host) {
    env::ManualClock clock;
    env::ManualPause pause{clock};
    HostGate gate{clock, pause};

    for (const std::string url : {"/1", "/2", "/3"}) gate.enter("a.example", url, 2s, {});
    gate.enter("b.example", "/1", 2s, {});
    gate.enter("a.example", "/4", 0s, {});

    EXPECT_EQ(pause.waits, (std::vector<Duration>{2s, 2s}));
}

// When the gate tells whoever asks to come back: nothing if it lets it in.
std::optional<Duration> told_to_wait(HostGate& gate, const std::string& url, Duration interval) {
    try {
        gate.enter("slow.example", url, interval, {});
        return std::nullopt;
    } catch (const RetryAfter& later) {
        return later.after();
    }
}

TEST(HostGate, a_turn_that_is_far_away_is_kept_for_a_later_attempt) {
    env::ManualClock clock;
    env::ManualPause pause{clock};
    HostGate gate{clock, pause};
    constexpr int kInLine = 16;

    EXPECT_FALSE(told_to_wait(gate, "/0", 30s));
    for (int i = 1; i < kInLine; ++i)
        EXPECT_EQ(told_to_wait(gate, fmt::format("/{}", i), 30s), Duration{30s} * i);

    // Each comes back once, when it was told to, and goes in: however many stand in line, nobody asks a third time.
    for (int i = 1; i < kInLine; ++i) {
        clock.advance(30s);
        EXPECT_FALSE(told_to_wait(gate, fmt::format("/{}", i), 30s)) << i;
    }
    EXPECT_TRUE(pause.waits.empty());
}

struct RobotsBench {
    std::string text = "User-agent: *\nDisallow: /private\nCrawl-delay: 3\nSitemap: /map.xml\n";
    int status = 200;
    int asked = 0;
    http::testkit::TestServer server{[this](const auto&) {
        ++asked;
        return http::testkit::Reply{status, {}, text};
    }};
    http::CurlClient client{{.addresses = http::AddressPolicy::any()}};
    env::ManualClock clock;
    RobotsCache robots{client, clock};
};

TEST(RobotsCache, asks_a_site_once_an_hour) {
    RobotsBench b;

    EXPECT_TRUE(b.robots.allows(b.server.url("/page"), {}));
    EXPECT_FALSE(b.robots.allows(b.server.url("/private/page"), {}));
    EXPECT_EQ(b.robots.crawl_delay(b.server.url("/")), Duration{3s});
    EXPECT_EQ(b.robots.sitemaps(b.server.url("/"), {}).size(), 1u);
    EXPECT_EQ(b.asked, 1);
    b.clock.advance(1h);
    EXPECT_TRUE(b.robots.allows(b.server.url("/page"), {}));
    EXPECT_EQ(b.asked, 2);
}

TEST(RobotsCache, without_a_file_all_is_allowed_and_with_a_broken_server_nothing_is) {
    RobotsBench b;
    b.status = 404;
    EXPECT_TRUE(b.robots.allows(b.server.url("/private"), {}));

    RobotsBench broken;
    broken.status = 503;
    EXPECT_THROW(broken.robots.allows(broken.server.url("/page"), {}), RetryAfter);
    broken.status = 200;
    EXPECT_THROW(broken.robots.allows(broken.server.url("/page"), {}), RetryAfter);
    broken.clock.advance(1min);
    EXPECT_TRUE(broken.robots.allows(broken.server.url("/page"), {}));
}

TEST(PortableText, becomes_markdown) {
    const auto blocks = boost::json::parse(R"([
        {"_type":"block","style":"h2","children":[{"_type":"span","text":"Knots"}]},
        {"_type":"block","style":"normal","markDefs":[{"_key":"k","_type":"link","href":"https://x.example/"}],
         "children":[{"text":"Tie ","marks":[]},{"text":"this","marks":["strong","k"]},{"text":"."}]},
        {"_type":"block","listItem":"bullet","level":1,"children":[{"text":"one"}]},
        {"_type":"block","listItem":"bullet","level":2,"children":[{"text":"two"}]},
        {"_type":"code","language":"sh","code":"ls"},
        {"_type":"widget"}, 7])");

    EXPECT_EQ(
        portable_text(blocks),
        "## Knots\n\nTie [**this**](https://x.example/).\n\n- one\n  - two\n\n```sh\nls\n```");
}

TEST(PlainText, leaves_the_marks_of_markdown_out) {
    EXPECT_EQ(plain_text("# Title\n\n> A *quoted* [link](https://x.example/a) "
                         "![alt](p.png).\n\n```sh\na * b\n```\n"),
              "Title\n\nA quoted link .\n\na * b");
    EXPECT_EQ(plain_text(""), "");
    EXPECT_EQ(plain_text("[open"), "[open");
}

}  // namespace
}  // namespace belay::web::source
