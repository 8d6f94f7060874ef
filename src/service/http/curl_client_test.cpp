#include "service/http/curl_client.hpp"

#include <future>
#include <thread>

#include <gtest/gtest.h>

#include "service/http/testkit/test_server.hpp"

namespace belay::http {
namespace {

using namespace std::chrono_literals;
using testkit::Received;
using testkit::Reply;
using testkit::TestServer;
using Manner = Reply::Manner;

CurlOptions local() { return {.addresses = AddressPolicy::public_only().allow("127.0.0.1")}; }

std::optional<FailureKind> kind_of_failure(Client& client, const Request& request) {
    try {
        client.send(request);
        return std::nullopt;
    } catch (const Failure& failure) {
        return failure.kind();
    }
}

Request get(const std::string& url) { return {.url = url}; }

TEST(CurlClient, sends_method_headers_and_body_and_returns_the_answer) {
    TestServer server{[](const Received& request) {
        return Reply{201,
                     {{"X-Answer", "yes"}},
                     request.method + " " + request.target + " " + request.header("x-ask") + " " +
                         request.header("content-type") + " " + request.body};
    }};
    CurlClient client{local()};

    for (const std::string method : {"POST", "PUT", "PATCH"}) {
        const auto response = client.send({.method = method,
                                           .url = server.url("/p?q=1"),
                                           .headers = {{"X-Ask", "me"}, {"Content-Type", "text/x"}},
                                           .body = "body"});
        EXPECT_EQ(response.status, 201);
        EXPECT_EQ(response.headers.get("x-answer"), "yes");
        EXPECT_EQ(response.body, method + " /p?q=1 me text/x body");
    }
}

TEST(CurlClient, a_status_is_a_value) {
    TestServer server{[](const Received&) { return Reply{503, {}, "busy"}; }};
    CurlClient client{local()};
    const auto response = client.send(get(server.url("/")));
    EXPECT_EQ(response.status, 503);
    EXPECT_EQ(response.body, "busy");
}

TEST(CurlClient, head_and_delete_have_no_body) {
    TestServer server{[](const Received& request) {
        return request.method == "HEAD" ? Reply{200, {{"Content-Length", "99"}}, ""}
                                        : Reply{204, {}, ""};
    }};
    CurlClient client{local()};
    const Request head{.method = "HEAD", .url = server.url("/"), .limits = {.body_bytes_max = 10}};
    EXPECT_EQ(client.send(head).headers.get("content-length"), "99");
    EXPECT_EQ(client.send({.method = "DELETE", .url = server.url("/")}).status, 204);
}

TEST(CurlClient, uses_a_connection_again) {
    TestServer server{[](const Received&) { return Reply{200, {}, "x"}; }};
    CurlClient client{local()};
    for (int i = 0; i < 10; ++i) client.send(get(server.url("/")));
    EXPECT_EQ(server.requests(), 10);
    EXPECT_EQ(server.connections(), 1);
}

TEST(CurlClient, may_be_used_by_many_threads) {
    TestServer server{[](const Received& request) { return Reply{200, {}, request.target}; }};
    CurlClient client{local()};
    std::atomic<int> right = 0;
    {
        std::vector<std::jthread> threads;
        for (int t = 0; t < 8; ++t) {
            threads.emplace_back([&, t] {
                for (int i = 0; i < 25; ++i) {
                    const auto path = "/" + std::to_string(t) + "/" + std::to_string(i);
                    right += client.send(get(server.url(path))).body == path ? 1 : 0;
                }
            });
        }
    }
    EXPECT_EQ(right, 200);
    EXPECT_LE(server.connections(), 8);
}

TEST(CurlClient, refuses_an_address_that_is_not_allowed) {
    TestServer server{[](const Received&) { return Reply{}; }};
    CurlClient client;
    const auto port = std::to_string(server.port());

    for (const auto* host : {"127.0.0.1", "localhost", "0x7f.1", "2130706433", "0.0.0.0", "[::1]",
                             "[::ffff:127.0.0.1]"}) {
        EXPECT_EQ(kind_of_failure(client, get("http://" + std::string(host) + ":" + port + "/")),
                  FailureKind::RefusedAddress)
            << host;
    }
    EXPECT_EQ(server.connections(), 0);
}

TEST(CurlClient, says_which_address_is_refused_and_why) {
    CurlClient client{{.resolve = {"evil.example:80:169.254.169.254"}}};
    try {
        client.send(get("http://evil.example/latest/meta-data"));
        FAIL();
    } catch (const Failure& failure) {
        EXPECT_STREQ(
            failure.what(),
            "http://evil.example/latest/meta-data: the address is refused: 169.254.169.254 is "
            "link-local");
        EXPECT_FALSE(failure.is_transient());
    }
}

TEST(CurlClient, follows_redirects_and_says_where_it_ended) {
    TestServer server{[](const Received& request) {
        if (request.path == "/a") return Reply{301, {{"Location", "b?x=1"}}, "moved"};
        if (request.path == "/b") return Reply{302, {{"Location", "/c"}}};
        return Reply{200, {}, request.method + request.body};
    }};
    CurlClient client{local()};

    const auto response = client.send({.url = server.url("/a"), .redirects_max = 5});
    EXPECT_EQ(response.body, "GET");
    EXPECT_EQ(response.url, server.url("/c"));
    const auto posted =
        client.send({.method = "POST", .url = server.url("/a"), .body = "x", .redirects_max = 5});
    EXPECT_EQ(posted.body, "GET");
    EXPECT_EQ(client.send(get(server.url("/a"))).status,
              301);  // 0 redirects: an answer like others
}

TEST(CurlClient, repeats_the_body_where_the_redirect_says_so) {
    TestServer server{[](const Received& request) {
        if (request.path == "/a") return Reply{307, {{"Location", "/b"}}};
        return Reply{200, {}, request.method + request.body};
    }};
    CurlClient client{local()};
    EXPECT_EQ(
        client.send({.method = "POST", .url = server.url("/a"), .body = "x", .redirects_max = 1})
            .body,
        "POSTx");
}

TEST(CurlClient, checks_the_address_after_every_redirect) {
    std::string target;
    TestServer server{[&](const Received&) { return Reply{302, {{"Location", target}}}; }};
    auto options = local();
    options.resolve = {"inner.example:80:10.0.0.1"};
    CurlClient client{options};

    for (const std::string to : {"http://127.0.0.2/", "http://inner.example/", "http://[::1]/"}) {
        target = to;
        EXPECT_EQ(kind_of_failure(client, {.url = server.url("/"), .redirects_max = 5}),
                  FailureKind::RefusedAddress)
            << to;
    }
}

TEST(CurlClient, ends_a_loop_of_redirects_and_refuses_other_schemes) {
    std::string target = "/";
    TestServer server{[&](const Received&) { return Reply{302, {{"Location", target}}}; }};
    CurlClient client{local()};
    EXPECT_EQ(kind_of_failure(client, {.url = server.url("/"), .redirects_max = 3}),
              FailureKind::TooManyRedirects);
    EXPECT_EQ(server.requests(), 4);
    target = "file:///etc/passwd";
    EXPECT_EQ(kind_of_failure(client, {.url = server.url("/"), .redirects_max = 3}),
              FailureKind::TooManyRedirects);
}

TEST(CurlClient, keeps_credentials_at_their_origin) {
    TestServer other{[](const Received& request) {
        return Reply{200, {}, request.header("authorization")};
    }};
    TestServer server{[&](const Received& request) {
        if (request.path == "/same") return Reply{302, {{"Location", "/end"}}};
        if (request.path == "/other") return Reply{302, {{"Location", other.url("/")}}};
        return Reply{200, {}, request.header("authorization")};
    }};
    CurlClient client{local()};
    const auto ask = [&](const std::string& path) {
        return client
            .send({.url = server.url(path),
                   .headers = {{"Authorization", "secret"}},
                   .redirects_max = 1})
            .body;
    };
    EXPECT_EQ(ask("/same"), "secret");
    EXPECT_EQ(ask("/other"), "");
}

TEST(CurlClient, stops_reading_at_the_limit_whatever_was_announced) {
    for (const auto manner : {Manner::Plain, Manner::Chunked}) {
        TestServer server{[&](const Received&) {
            return Reply{200, {}, std::string(100'001, 'x'), manner};
        }};
        CurlClient client{local()};
        EXPECT_EQ(kind_of_failure(client,
                                  {.url = server.url("/"), .limits = {.body_bytes_max = 100'000}}),
                  FailureKind::TooLarge);
        EXPECT_EQ(client.send({.url = server.url("/"), .limits = {.body_bytes_max = 100'001}})
                      .body.size(),
                  100'001U);
    }
}

TEST(CurlClient, counts_the_bytes_of_a_compressed_answer_after_unpacking) {
    // 10,000 zeros, compressed.
    const std::string bomb{
        "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xed\xc1\x01\x0d\x00\x00\x00\xc2\xa0\xf7\x4f\x6d"
        "\x0e"
        "\x37\xa0\x00\x00\x00\x00\x00\x00\x00\x00\x00\xe0\xdf\x00\x2e\xca\x3b\x4d\x10\x27\x00\x00",
        45};
    TestServer server{[&](const Received& request) {
        return Reply{200,
                     {{"Content-Encoding", "gzip"}},
                     request.header("accept-encoding").empty() ? "" : bomb};
    }};
    CurlClient client{local()};
    const Request request{
        .url = server.url("/"), .limits = {.body_bytes_max = 5000}, .accept_compressed = true};
    EXPECT_EQ(kind_of_failure(client, request), FailureKind::TooLarge);
    EXPECT_EQ(client.send({.url = server.url("/"), .accept_compressed = true}).body,
              std::string(10'000, '\0'));
}

TEST(CurlClient, gives_a_good_answer_to_the_sink_and_an_error_to_the_body) {
    int status = 200;
    TestServer server{[&](const Received&) {
        return Reply{status, {}, std::string(5000, 'x'), Manner::Chunked};
    }};
    CurlClient client{local()};
    std::size_t seen = 0;
    Request request{.url = server.url("/"),
                    .sink = [&](std::span<const std::byte> bytes) { seen += bytes.size(); }};

    EXPECT_EQ(client.send(request).body, "");
    EXPECT_EQ(seen, 5000U);
    status = 404;
    EXPECT_EQ(client.send(request).body.size(), 5000U);
    EXPECT_EQ(seen, 5000U);
    status = 200;
    request.sink = [](std::span<const std::byte>) { throw std::logic_error("the disk is full"); };
    EXPECT_THROW(client.send(request), std::logic_error);
}

TEST(CurlClient, tells_the_headers_before_the_body_and_each_redirect_before_it_is_followed) {
    TestServer server{[](const Received& request) {
        if (request.path == "/a") return Reply{302, {{"Location", "/b"}}, "moved"};
        if (request.path == "/none") return Reply{204, {}, ""};
        return Reply{
            200, {{"Content-Type", "video/mp4"}}, std::string(50'000'000, 'x'), Manner::Chunked};
    }};
    CurlClient client{local()};
    std::vector<std::string> told;
    Request request{.url = server.url("/a"),
                    .redirects_max = 3,
                    .on_redirect = [&](const std::string& url) { told.push_back(url); },
                    .on_headers =
                        [&](int status, const Headers& headers) {
                            told.push_back(std::to_string(status) + headers.get("content-type"));
                            if (status == 200) throw std::logic_error("no films");
                        }};

    EXPECT_THROW(client.send(request), std::logic_error);
    EXPECT_EQ(told, (std::vector<std::string>{server.url("/b"), "200video/mp4"}));
    request.url = server.url("/none");
    client.send(request);
    EXPECT_EQ(told.back(), "204");
}

TEST(CurlClient, a_server_that_hangs_or_trickles_is_a_timeout) {
    for (const auto manner : {Manner::Hang, Manner::Trickle}) {
        TestServer server{[&](const Received&) { return Reply{200, {}, "xxxx", manner}; }};
        CurlClient client{local()};
        EXPECT_EQ(kind_of_failure(client, {.url = server.url("/"), .limits = {.total = 50ms}}),
                  FailureKind::Timeout);
    }
}

TEST(CurlClient, a_stop_ends_a_request_at_once) {
    std::promise<void> asked;
    TestServer server{[&](const Received&) {
        asked.set_value();
        return Reply{200, {}, "", Manner::Hang};
    }};
    CurlClient client{local()};
    std::stop_source stop;
    std::jthread stopper{[&] {
        asked.get_future().wait();
        stop.request_stop();
    }};
    try {
        client.send(get(server.url("/")), stop.get_token());
        FAIL();
    } catch (const Failure& failure) {
        EXPECT_EQ(failure.kind(), FailureKind::Stopped);
    }
}

TEST(CurlClient, names_what_went_wrong_on_the_way) {
    TestServer server{[&](const Received& request) {
        if (request.path == "/drop") return Reply{200, {}, "", Manner::Drop};
        if (request.path == "/cut") return Reply{200, {}, "12345678", Manner::CutShort};
        if (request.path == "/gzip") return Reply{200, {{"Content-Encoding", "gzip"}}, "no gzip"};
        return Reply{200, {}, "no HTTP at all\r\n\r\n", Manner::Raw};
    }};
    CurlClient client{local()};

    EXPECT_EQ(kind_of_failure(client, get(server.url("/drop"))), FailureKind::Connect);
    EXPECT_EQ(kind_of_failure(client, get(server.url("/cut"))), FailureKind::Connect);
    EXPECT_EQ(kind_of_failure(client, {.url = server.url("/gzip"), .accept_compressed = true}),
              FailureKind::Protocol);
    EXPECT_EQ(kind_of_failure(client, get(server.url("/raw"))), FailureKind::Protocol);
    EXPECT_EQ(kind_of_failure(client, get("http://name.invalid/")), FailureKind::Dns);
    EXPECT_EQ(kind_of_failure(client, get("ftp://127.0.0.1/")), FailureKind::BadUrl);
    EXPECT_EQ(kind_of_failure(client, get("https://127.0.0.1:" + std::to_string(server.port()))),
              FailureKind::Tls);
    EXPECT_EQ(kind_of_failure(client, get("http://127.0.0.1:1/")), FailureKind::Connect);
    EXPECT_EQ(kind_of_failure(client, {.url = server.url("/"), .headers = {{"X", "a\r\nb: c"}}}),
              FailureKind::BadUrl);
}

TEST(CurlClient, trusts_only_certificates_that_somebody_it_knows_has_signed) {
    const testkit::TlsIdentity identity;
    TestServer server{[](const Received&) { return Reply{200, {}, "over TLS"}; }, &identity};
    const auto url = [&](const std::string& host) {
        return "https://" + host + ":" + std::to_string(server.port()) + "/";
    };
    auto knowing = local();
    knowing.ca_file = identity.certificate_file();
    knowing.resolve = {"other.example:" + std::to_string(server.port()) + ":127.0.0.1"};
    CurlClient stranger{local()};
    CurlClient friendly{knowing};

    EXPECT_EQ(kind_of_failure(stranger, get(url("127.0.0.1"))), FailureKind::Tls);
    EXPECT_EQ(friendly.send(get(url("127.0.0.1"))).body, "over TLS");
    EXPECT_EQ(kind_of_failure(friendly, get(url("other.example"))), FailureKind::Tls);
}

TEST(CurlClient, takes_no_proxy_from_the_environment) {
    TestServer server{[](const Received&) { return Reply{200, {}, "direct"}; }};
    ::setenv("http_proxy", "http://127.0.0.1:1", 1);
    CurlClient client{local()};
    EXPECT_EQ(client.send(get(server.url("/"))).body, "direct");
    ::unsetenv("http_proxy");
}

}  // namespace
}  // namespace belay::http
