// live_test.cpp — /api/live over a real socket: resuming, organizations, the slow and the many.
#include <thread>

#include <gtest/gtest.h>

#include "service/server/server_bench.hpp"

namespace belay::server {
namespace {

using namespace std::chrono_literals;

// A WebSocket client of a few lines.
class Watcher {
public:
    explicit Watcher(ServerBench& bench, const std::string& query = "",
                     const std::string& more = "", int receive_buffer = 0)
        : client_(bench.server->port(), receive_buffer) {
        client_.send(
            "GET /api/live" + query +
            " HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n" +
            more + "\r\n");
        answer = client_.receive();
        if (answer.status == 101) hello = next();
    }

    // The next message; a close frame is "closed CODE".
    std::string next() {
        const std::string head = client_.take(2);
        std::size_t length = static_cast<unsigned char>(head[1]) & 0x7FU;
        if (length == 126) {
            const std::string more = client_.take(2);
            length = static_cast<std::size_t>(static_cast<unsigned char>(more[0])) << 8U |
                     static_cast<unsigned char>(more[1]);
        } else if (length == 127) {
            length = 0;
            for (const char c : client_.take(8))
                length = length << 8U | static_cast<unsigned char>(c);
        }
        std::string text = client_.take(length);
        if ((head[0] & 0x0F) == 0x08)
            return "closed " + std::to_string(static_cast<unsigned char>(text[0]) << 8U |
                                              static_cast<unsigned char>(text[1]));
        return text;
    }
    std::string type_of_next() {
        return std::string(boost::json::parse(next()).at("type").as_string());
    }
    std::int64_t id() const { return boost::json::parse(hello).at("id").as_int64(); }
    void send(std::string_view bytes) { client_.send(bytes); }
    bool closed() { return client_.closed(); }

    Answer answer;
    std::string hello;

private:
    Client client_;
};

TEST(Live, events_come_as_they_happen_and_after_a_reconnect_none_is_missed) {
    ServerBench b;
    std::int64_t seen = 0;
    {
        Watcher watcher(b);
        ASSERT_EQ(watcher.answer.status, 101);
        b.feed.publish("default", "first", R"({"run":"july"})");
        const auto event = boost::json::parse(watcher.next());
        EXPECT_EQ(event.at("type").as_string(), "first");
        EXPECT_EQ(event.at("data").at("run").as_string(), "july");
        seen = event.at("id").as_int64();
    }
    for (int i = 0; i < 250; ++i) b.feed.publish("default", "missed", "null");

    Watcher again(b, "?after=" + std::to_string(seen));
    for (int i = 0; i < 250; ++i) ASSERT_EQ(again.type_of_next(), "missed") << i;
    b.feed.publish("default", "now", "null");
    EXPECT_EQ(again.type_of_next(), "now");
}

TEST(Live, an_id_that_is_not_kept_is_told_to_reload_and_goes_on) {
    ServerBench b;
    Watcher watcher(b, "?after=17");
    EXPECT_EQ(watcher.type_of_next(), "reload");
    b.feed.publish("default", "next", "null");
    EXPECT_EQ(watcher.type_of_next(), "next");
}

// P9
TEST(Live, an_organization_sees_only_its_own_events) {
    ServerBench b;
    const auto token_for = [&](const std::string& organization) {
        const auto token = api::make_token(organization, "t");
        b.tables.transact([&](Tx& tx) { api::token_request(tx, token.request); });
        return token.secret;
    };
    const std::string acme = token_for("acme");
    const std::string umbrella = token_for("umbrella");
    Watcher header(b, "", "Authorization: Bearer " + acme + "\r\n");
    Watcher subprotocol(b, "", "Sec-WebSocket-Protocol: belay, belay.bearer." + umbrella + "\r\n");
    ASSERT_EQ(subprotocol.answer.status, 101);
    EXPECT_EQ(subprotocol.answer.headers.get("Sec-WebSocket-Protocol"), "belay");
    EXPECT_EQ(Watcher(b).answer.status, 401);

    b.feed.publish("umbrella", "theirs", "null");
    b.feed.publish("acme", "ours", "null");

    EXPECT_EQ(header.type_of_next(), "ours");
    EXPECT_EQ(subprotocol.type_of_next(), "theirs");
}

TEST(Live, revoking_a_token_ends_its_watchers_and_its_downloads_and_nobody_elses) {
    ServerBench b;
    const auto made = [&](const std::string& organization) {
        auto token = api::make_token(organization, "t");
        b.tables.transact([&](Tx& tx) { api::token_request(tx, token.request); });
        return token;
    };
    const auto leaver = made("acme");
    const auto stayer = made("acme");
    const auto bearer = [](const api::NewToken& token) {
        return "Authorization: Bearer " + token.secret + "\r\n";
    };
    Watcher leaving(b, "", bearer(leaver));
    Watcher staying(b, "", bearer(stayer));
    Client download(b.server->port(), 4096);
    download.send("GET /endless HTTP/1.1\r\nHost: localhost\r\n" + bearer(leaver) + "\r\n");
    download.take(15);  // it has begun

    b.tables.transact([&](Tx& tx) { api::token_request(tx, api::revoke_request(leaver.id)); });
    b.clock.advance(1s);

    EXPECT_TRUE(leaving.closed());
    EXPECT_THROW(while (true) download.take(65'536), std::runtime_error);
    b.feed.publish("acme", "after", "null");
    EXPECT_EQ(staying.type_of_next(), "after");
}

TEST(Live, pages_of_others_and_requests_that_are_no_websocket_are_refused) {
    ServerBench b;
    EXPECT_EQ(error_code_of(Watcher(b, "", "Origin: http://evil.example\r\n").answer),
              "forbidden_origin");
    EXPECT_EQ(Watcher(b, "", "Origin: http://localhost\r\n").answer.status, 101);
    const Answer plain = b.client().get("/api/live");
    EXPECT_EQ(plain.status, 426);
    EXPECT_EQ(plain.headers.get("Upgrade"), "websocket");
    EXPECT_EQ(error_code_of(Watcher(b, "?after=x").answer), "invalid_parameter");
}

TEST(Live, one_who_does_not_read_is_cut_off_and_the_others_are_not) {
    ServerLimits limits;
    limits.live_lag_max = 100;
    ServerBench b(limits);
    Watcher slow(b, "", "", 4096);
    Watcher quick(b);
    const std::string large = "\"" + std::string(100'000, 'x') + "\"";

    // Until the socket's buffers are full, and a hundred events more.
    std::int64_t published = 0;
    while (b.server->counts().listeners == 2) {
        b.feed.publish("default", "large", large);
        ++published;
        ASSERT_EQ(quick.type_of_next(), "large");
        ASSERT_LT(published, 5000);
    }

    EXPECT_EQ(b.server->counts().listeners, 1u);
    b.feed.publish("default", "after", "null");
    EXPECT_EQ(quick.type_of_next(), "after");
}

TEST(Live, one_whose_write_takes_too_long_is_cut_off) {
    ServerBench b;
    Watcher slow(b, "", "", 4096);
    const std::string large = "\"" + std::string(1'000'000, 'x') + "\"";
    for (int i = 0; i < 50; ++i) b.feed.publish("default", "large", large);

    for (int i = 0; i < 1000 && b.server->counts().listeners > 0; ++i) {
        b.clock.advance(31s);
        std::this_thread::yield();
        b.client().get("/healthz");
    }
    EXPECT_EQ(b.server->counts().listeners, 0u);
}

TEST(Live, a_ping_is_answered_and_a_goodbye_is_returned) {
    ServerBench b;
    Watcher watcher(b);
    watcher.send(std::string("\x89\x80\0\0\0\0", 6));
    EXPECT_EQ(watcher.next(), "");  // a pong
    watcher.send(std::string("\x88\x82\0\0\0\0\x03\xe8", 8));
    EXPECT_EQ(watcher.next(), "closed 1000");
    EXPECT_TRUE(watcher.closed());
}

TEST(Live, what_a_watcher_may_send_is_bounded) {
    ServerBench b;
    Watcher watcher(b);
    watcher.send(std::string("\x81\xfe\x20\0\0\0\0\0", 8) + std::string(0x2000, 'x'));
    EXPECT_EQ(watcher.next(), "closed 1009");
}

TEST(Live, a_thousand_watchers_get_every_event) {
    ServerBench b;
    std::vector<std::unique_ptr<Watcher>> watchers;
    for (int i = 0; i < 1000; ++i) watchers.push_back(std::make_unique<Watcher>(b));
    EXPECT_EQ(b.server->counts().listeners, 1000u);

    for (int i = 0; i < 3; ++i) b.feed.publish("default", "event", "null");

    for (const auto& watcher : watchers) {
        for (int i = 0; i < 3; ++i) ASSERT_EQ(watcher->type_of_next(), "event");
    }
}

TEST(Live, when_the_server_stops_watchers_are_told_that_it_goes) {
    ServerBench b;
    std::thread stopper;
    {
        Watcher watcher(b);
        stopper = std::thread([&] { b.server->stop(30s); });
        EXPECT_EQ(watcher.next(), "closed 1001");
        watcher.send(std::string("\x88\x82\0\0\0\0\x03\xe9", 8));
    }
    stopper.join();
}

}  // namespace
}  // namespace belay::server
