// http_test.cpp — requests over a real socket: what is kept alive, refused, cut off and let finish.
#include <fstream>
#include <thread>

#include <gtest/gtest.h>
#include <zlib.h>

#include "service/server/gzip.hpp"
#include "service/server/http_text.hpp"
#include "service/server/pace.hpp"
#include "service/server/server_bench.hpp"

namespace belay::server {
namespace {

using namespace std::chrono_literals;

std::string gunzipped(const std::string& packed) {
    z_stream stream{};
    inflateInit2(&stream, 15 + 16);
    std::string out(10'000'000, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream.avail_in = static_cast<uInt>(packed.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
    out.resize(stream.total_out);
    inflateEnd(&stream);
    return out;
}

// A limit that begins when the server has noticed something binds some time after that.
template <class F>
void pass_time_until(ServerBench& b, Duration step, F holds) {
    while (!holds()) {
        b.clock.advance(step);
        std::this_thread::yield();
    }
}

// Whoever is late is told so, although time may pass once more before the answer is written: the steps are shorter
// than what a writer is given.
ServerLimits patient() {
    ServerLimits limits;
    limits.linger_time = 1h;
    limits.idle_time = 10'000h;  // before the first byte of a request is seen, it is not late
    return limits;
}
void pass_time_until_one_is_late(ServerBench& b) {
    pass_time_until(b, 11s, [&] { return b.server->counts().timed_out > 0; });
}

TEST(Http, a_connection_is_kept_alive_and_requests_may_be_pipelined) {
    ServerBench b;
    Client client = b.client();
    for (int i = 0; i < 3; ++i) EXPECT_EQ(client.get("/healthz").status, 200);

    client.send(
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
        "GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n"
        "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}"
        "HEAD /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");

    EXPECT_EQ(client.receive().status, 200);
    EXPECT_EQ(client.receive().status, 404);
    EXPECT_EQ(client.receive().status, 200);
    const Answer head = client.receive(true);
    EXPECT_EQ(head.status, 200);
    EXPECT_NE(head.headers.get("Content-Length"), "0");
    EXPECT_EQ(head.headers.get("Connection"), "close");
    EXPECT_TRUE(client.closed());
}

TEST(Http, a_body_may_come_in_chunks_and_in_single_bytes) {
    ServerBench b;
    Client client = b.client();
    const std::string request =
        "POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
        "3\r\n{\"a\r\n5;x=y\r\n\":12}\r\n0\r\nTrailer: x\r\n\r\n";
    for (const char c : request) client.send({&c, 1});

    const Answer answer = client.receive();
    EXPECT_EQ(answer.status, 200);
    EXPECT_NE(answer.body.find(R"({\"a\":12})"), std::string::npos) << answer.body;
    EXPECT_EQ(client.get("/healthz").status, 200);
}

TEST(Http, what_two_servers_could_read_differently_is_refused_and_ends_the_connection) {
    ServerBench b;
    for (const char* header :
         {"Transfer-Encoding: identity", "Transfer-Encoding: gzip, chunked",
          "Transfer-Encoding: xchunked", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
          "X: a\r\n b", "X:\r\n\tb"}) {
        Client client = b.client();
        client.send(std::string("POST /echo HTTP/1.1\r\nHost: localhost\r\n") + header +
                    "\r\n\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
        const Answer answer = client.receive();
        EXPECT_EQ(answer.status, 400) << header;
        EXPECT_TRUE(client.closed()) << header;
    }
}

TEST(Http, the_head_of_a_chunk_that_does_not_end_is_refused) {
    ServerBench b;
    Client client = b.client();
    client.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5;" +
                std::string(1'000'000, 'x'));
    EXPECT_EQ(client.receive().status, 400);
}

TEST(Pace, who_was_quick_at_first_has_earned_nothing) {
    Pace pace{30s, 1024};
    pace.waited(10s);
    pace.moved(100 * 1024 * 1024);
    EXPECT_EQ(pace.left(), 30s);
    pace.waited(20s);
    pace.moved(30 * 1024 - 1);
    EXPECT_EQ(pace.left(), 10s);
    pace.moved(1);
    EXPECT_EQ(pace.left(), 30s);
    pace.waited(31s);
    EXPECT_EQ(pace.left(), 0s);
}

TEST(Http, headers_that_are_too_large_are_431) {
    ServerBench b;
    Client client = b.client();
    client.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(20'000, 'x'));
    const Answer answer = client.receive();
    EXPECT_EQ(answer.status, 431);
    EXPECT_EQ(error_code_of(answer), "headers_too_large");
    EXPECT_EQ(answer.headers.get("X-Content-Type-Options"), "nosniff");
}

TEST(Http, a_body_that_is_too_large_is_413_said_or_not) {
    ServerBench b;
    Client said = b.client();
    EXPECT_EQ(said.post("/echo", "application/json", std::string(1001, ' ')).status, 413);
    Client unsaid = b.client();
    unsaid.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (int i = 0; i < 300; ++i) unsaid.send("8\r\n        \r\n");
    const Answer answer = unsaid.receive();
    EXPECT_EQ(answer.status, 413);
    EXPECT_EQ(error_code_of(answer), "payload_too_large");
    EXPECT_EQ(answer.headers.get("Connection"), "close");
}

TEST(Http, what_is_not_http_is_400) {
    ServerBench b;
    for (const char* bytes :
         {"nonsense\r\n\r\n", "GET / HTTP/9.9\r\n\r\n",
          "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n",
          "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nTransfer-Encoding: "
          "chunked\r\n\r\n",
          "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n",
          "GET / HTTP/1.1\r\nHost : a\r\n\r\n", "GET /\x01 HTTP/1.1\r\nHost: a\r\n\r\n",
          "GET /?a=%zz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
          "GET healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"}) {
        Client client = b.client();
        client.send(bytes);
        EXPECT_EQ(client.receive().status, 400) << bytes;
        EXPECT_TRUE(client.closed()) << bytes;
    }
    EXPECT_EQ(b.client().get("/healthz").status, 200);
}

TEST(Http, a_foreign_host_and_a_foreign_origin_are_403) {
    ServerBench b;
    Client client = b.client();
    client.send("GET /api/runs HTTP/1.1\r\nHost: evil.example\r\n\r\n");
    EXPECT_EQ(error_code_of(client.receive()), "forbidden_host");
    EXPECT_EQ(error_code_of(client.post("/echo", "application/json", "{}",
                                        "Origin: http://evil.example\r\n")),
              "forbidden_origin");
    EXPECT_EQ(client.post("/echo", "application/json", "{}", "Origin: http://localhost\r\n").status,
              200);
}

TEST(Http, expect_100_continue_is_answered_before_the_body_is_sent) {
    ServerBench b;
    Client client = b.client();
    client.send(
        "POST /echo HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: "
        "2\r\n\r\n");
    EXPECT_EQ(client.receive().status, 100);
    client.send("{}");
    EXPECT_EQ(client.receive().status, 200);
    client.send(
        "POST /nothing HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: "
        "2\r\n\r\n");
    EXPECT_EQ(client.receive().status, 404);
}

TEST(Http, text_is_compressed_for_those_who_take_it) {
    ServerBench b;
    Client client = b.client();
    const Answer packed = client.get("/big", "Accept-Encoding: gzip\r\n");
    EXPECT_EQ(packed.headers.get("Content-Encoding"), "gzip");
    EXPECT_EQ(packed.headers.get("Vary"), "Accept-Encoding");
    EXPECT_LT(packed.body.size(), 20'000u);
    EXPECT_EQ(gunzipped(packed.body), b.big);
    EXPECT_EQ(client.get("/big").body, b.big);
}

TEST(Http, every_request_has_an_id_and_one_line_in_the_log) {
    ServerBench b;
    Client client = b.client();
    EXPECT_EQ(
        client.get("/healthz?secret=1", "X-Request-Id: abc-1\r\n").headers.get("X-Request-Id"),
        "abc-1");
    EXPECT_EQ(client.get("/healthz", "X-Request-Id: a b\r\n").headers.get("X-Request-Id").size(),
              26u);
    b.server->stop();

    ASSERT_EQ(b.log.size(), 2u);
    const auto line = boost::json::parse(b.log[0]);
    EXPECT_EQ(line.at("request_id").as_string(), "abc-1");
    EXPECT_EQ(line.at("status").as_int64(), 200);
    EXPECT_EQ(line.at("path").as_string(), "/healthz");
    EXPECT_EQ(line.at("remote").as_string(), "127.0.0.1");
}

TEST(Time, headers_that_come_drop_by_drop_are_cut_with_408) {
    ServerLimits limits = patient();
    limits.body_time = 10'000h;  // the answer before may still be on its way
    ServerBench b(limits);
    Client client = b.client();
    client.send(
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nGET /healthz HTTP/1.1\r\nX-Slow: ");
    EXPECT_EQ(client.receive().status, 200);

    pass_time_until_one_is_late(b);

    EXPECT_EQ(error_code_of(client.receive()), "request_timeout");
    pass_time_until(b, 2h, [&] { return client.has_something(); });
    EXPECT_TRUE(client.closed());
}

TEST(Time, a_connection_that_says_nothing_is_closed) {
    ServerBench b;
    Client silent = b.client();
    Client idle = b.client();
    EXPECT_EQ(idle.get("/healthz").status, 200);

    pass_time_until(b, 11s, [&] {
        EXPECT_EQ(idle.get("/healthz").status, 200);
        return silent.has_something();
    });
    EXPECT_TRUE(silent.closed());
    pass_time_until(b, 61s, [&] { return idle.has_something(); });
    EXPECT_TRUE(idle.closed());
}

TEST(Time, a_body_that_comes_too_slowly_is_cut_and_what_was_stored_is_given_up) {
    ServerBench b(patient());
    Client client = b.client();
    const std::string body = form_with(std::string(600'000, 'x'));
    client.send("POST /ingest/upload HTTP/1.1\r\nHost: localhost\r\nContent-Type: " +
                std::string(kFormType) + "\r\nContent-Length: " + std::to_string(body.size()) +
                "\r\n\r\n");
    constexpr std::size_t kSent =
        256 * 1024 + 1;  // what the server hands on at once: nothing is left unread
    client.send(std::string_view(body).substr(0, kSent));
    while (b.sink.bytes < kSent - body.find("xxx")) std::this_thread::yield();

    b.clock.advance(20s);  // of the 30 s in which 30 KiB must come: not yet
    EXPECT_EQ(b.client().get("/healthz").status, 200);
    EXPECT_FALSE(client.has_something());
    pass_time_until_one_is_late(b);

    EXPECT_EQ(error_code_of(client.receive()), "request_timeout");
    b.server->stop();
    EXPECT_EQ(b.sink.given_up, 1);
}

TEST(Limits, one_connection_too_many_is_told_so) {
    ServerLimits limits;
    limits.connections_max = 2;
    ServerBench b(limits);
    Client one = b.client();
    Client two = b.client();
    EXPECT_EQ(one.get("/healthz").status, 200);
    EXPECT_EQ(two.get("/healthz").status, 200);

    Client three = b.client();

    EXPECT_EQ(three.receive().status, 503);
    EXPECT_EQ(one.get("/healthz").status, 200);
}

TEST(Stop, a_request_under_way_is_finished_and_idle_ones_are_closed) {
    ServerBench b;
    Client idle = b.client();
    EXPECT_EQ(idle.get("/healthz").status, 200);
    Client busy = b.client();
    busy.send("GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n");
    b.slow_began.get_future().wait();

    std::thread stopper([&] { b.server->stop(30s); });
    EXPECT_TRUE(idle.closed());
    b.slow_may_end.set_value();

    const Answer answer = busy.receive();
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.headers.get("Connection"), "close");
    stopper.join();
    EXPECT_THROW(b.client(), std::runtime_error);
}

// ---- answers that come later

void wait_for_later(ServerBench& b, int count) {
    while (b.later_begun < count) std::this_thread::yield();
}

TEST(Later, requests_that_wait_hold_no_thread) {
    ServerOptions options;
    options.pool_threads = 1;
    ServerBench b({}, options);
    std::vector<Client> clients;
    for (int i = 0; i < 40; ++i) {
        clients.push_back(b.client());
        clients.back().send(
            "POST /later HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}");
    }
    wait_for_later(b, 40);

    EXPECT_EQ(b.client().get("/healthz").status, 200);
    for (int i = 0; i < 40; ++i)
        EXPECT_TRUE(
            b.waiting[static_cast<std::size_t>(i)].answer(api::json_response(200, {{"turn", i}})));

    for (Client& client : clients) {
        const Answer answer = client.receive();
        EXPECT_EQ(answer.status, 200);
        EXPECT_NE(answer.body.find("turn"), std::string::npos);
        EXPECT_EQ(answer.headers.get("X-Content-Type-Options"), "nosniff");
        EXPECT_EQ(client.get("/healthz").status, 200);  // the connection goes on
    }
    EXPECT_EQ(b.later_gone, 0);
}

TEST(Later, an_answer_counts_once_and_may_be_given_at_once_or_be_a_refusal) {
    ServerBench b;
    Client client = b.client();
    EXPECT_EQ(client.post("/later", "application/json", "at once").status, 200);
    EXPECT_EQ(error_code_of(client.post("/later", "application/json", "refuse")), "conflict");
    EXPECT_EQ(client.post("/later", "application/json", "drop").status, 500);
    client.send("POST /later HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}");
    wait_for_later(b, 2);

    EXPECT_TRUE(b.waiting[0].fail(
        std::make_exception_ptr(api::ApiError(api::Problem::NotFound, "there is none"))));
    EXPECT_FALSE(b.waiting[0].answer(api::json_response(200, {})));

    EXPECT_EQ(error_code_of(client.receive()), "not_found");
    EXPECT_FALSE(b.waiting[0].is_gone());
}

TEST(Later, a_client_that_hangs_up_is_noticed) {
    ServerBench b;
    {
        Client client = b.client();
        client.send("POST /later HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}");
        wait_for_later(b, 1);
    }
    while (b.later_gone == 0) std::this_thread::yield();

    EXPECT_TRUE(b.waiting[0].is_gone());
    EXPECT_FALSE(b.waiting[0].answer(api::json_response(200, {})));
    EXPECT_EQ(b.client().get("/healthz").status, 200);
}

TEST(Later, a_request_that_comes_behind_one_that_waits_is_answered_after_it) {
    ServerBench b;
    Client client = b.client();
    client.send(
        "POST /later HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}"
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    wait_for_later(b, 1);
    client.send("GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n");

    b.waiting[0].answer(api::json_response(202, {}));

    EXPECT_EQ(client.receive().status, 202);
    EXPECT_EQ(client.receive().status, 200);
    EXPECT_EQ(client.receive().status, 404);
}

TEST(Later, who_waits_too_long_or_for_a_server_that_stops_is_told) {
    ServerBench b;
    Client late = b.client();
    late.send("POST /later HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}");
    wait_for_later(b, 1);
    pass_time_until(b, 11min, [&] { return b.later_gone > 0; });
    EXPECT_EQ(error_code_of(late.receive()), "unavailable");

    Client stopped = b.client();
    stopped.send("POST /later HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}");
    wait_for_later(b, 2);
    std::thread stopper([&] { b.server->stop(30s); });
    EXPECT_EQ(error_code_of(stopped.receive()), "stopping");
    stopper.join();
    EXPECT_EQ(b.later_gone, 2);
}

TEST(Listen, a_port_that_is_taken_is_said_with_what_to_do) {
    ServerBench b;
    ServerOptions options;
    options.port = b.server->port();
    Server second(b.api, b.clock, b.random, options);
    try {
        second.start();
        FAIL() << "it should not have started";
    } catch (const ListenFailed& error) {
        EXPECT_NE(std::string(error.what()).find("is taken"), std::string::npos) << error.what();
    }
    EXPECT_TRUE(is_loopback("localhost"));
    EXPECT_TRUE(is_loopback("[::1]"));
    EXPECT_FALSE(is_loopback("0.0.0.0"));
    EXPECT_THROW(is_loopback("example.org"), Error);
}

TEST(HttpText, no_value_can_add_a_header) {
    api::Response response;
    response.headers.set("X-Name", "a\r\nSet-Cookie: b");
    const std::string text = head_text(response, true, Time{});
    EXPECT_NE(text.find("X-Name: a  Set-Cookie: b\r\n"), std::string::npos);
    EXPECT_NE(text.find("Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n"), std::string::npos);
    EXPECT_EQ(origin_form("http://localhost:80/a?b"), "/a?b");
    EXPECT_EQ(origin_form("http://localhost"), "/");
}

}  // namespace
}  // namespace belay::server
