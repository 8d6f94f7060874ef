// What the S3 store does beyond the conformance suite: errors, retries, parts, addresses for others.
#include "ingestion/objects/s3_store.hpp"
#include "ingestion/objects/s3_headers.hpp"

#include <gtest/gtest.h>

#include "core/base/hash.hpp"
#include "core/env/memory_files.hpp"
#include "ingestion/objects/fake_s3_bench.hpp"
#include "service/http/curl_client.hpp"
#include "service/http/scripted_client.hpp"

namespace belay::objects {
namespace {

using namespace std::chrono_literals;
using http::testkit::Received;
using http::testkit::Reply;

struct Bench {
    FakeS3 s3;
    http::CurlClient http{{.addresses = http::AddressPolicy::any()}};
    env::MemoryFiles files;
    env::ManualClock clock;
    env::SeededRandom random{1};
    env::ManualPause pause{clock};
    S3Options options{.endpoint = s3.endpoint(),
                      .bucket = FakeS3::kBucket,
                      .credentials = {FakeS3::kAccessKey, FakeS3::kSecretKey},
                      .part_bytes = 5 * 1024 * 1024};
    S3Store store{options, http, files, "/", clock, random, pause};
};

const std::string kLarge = std::string(12'000'000, 'x') + "end";

S3Error error_of(const std::function<void()>& work) {
    try {
        work();
    } catch (const S3Error& error) {
        return error;
    }
    return {-1, "", "nothing was thrown"};
}

TEST(S3Store, says_what_s3_said_and_what_to_do) {
    Bench b;
    auto options = b.options;
    options.credentials.secret_key = "wrong";
    S3Store stranger{options, b.http, b.files, "/", b.clock, b.random, b.pause};

    const auto error = error_of([&] { stranger.put(Key{"acme/a"}, "x"); });

    EXPECT_EQ(error.status(), 403);
    EXPECT_EQ(error.s3_code(), "SignatureDoesNotMatch");
    EXPECT_EQ(error.code(), ErrorCode::StoreUnavailable);
    EXPECT_NE(std::string(error.what()).find("S3 PUT bucket/acme/a: 403 SignatureDoesNotMatch"),
              std::string::npos);
    EXPECT_NE(
        std::string(error.what()).find("; check the secret key and the region (request req-1)"),
        std::string::npos);
    EXPECT_TRUE(b.pause.waits.empty());  // another attempt could not help
}

TEST(S3Store, tries_again_with_longer_and_longer_waits_and_then_works) {
    Bench b;
    int failures = 3;
    b.s3.interfere = [&](const Received&) -> std::optional<Reply> {
        if (failures-- <= 0) return std::nullopt;
        return Reply{503, {}, "<Error><Code>SlowDown</Code></Error>"};
    };

    b.store.put(Key{"acme/a"}, "x");

    ASSERT_EQ(b.pause.waits.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
        const auto whole = 200ms * (1 << i);
        EXPECT_GE(b.pause.waits[i], whole / 2);
        EXPECT_LE(b.pause.waits[i], whole);
    }
    EXPECT_EQ(b.store.get(Key{"acme/a"}, 10), "x");
}

TEST(S3Store, gives_up_after_its_attempts_with_the_last_reason) {
    Bench b;
    b.s3.interfere = [](const Received&) {
        return Reply{500, {}, "<Error><Code>InternalError</Code></Error>"};
    };
    const auto error = error_of([&] { b.store.head(Key{"acme/a"}); });
    EXPECT_EQ(error.status(), 500);
    EXPECT_EQ(b.s3.requests(), 5);

    b.s3.interfere = [](const Received&) { return Reply{200, {}, "", Reply::Manner::Drop}; };
    const auto dropped = error_of([&] { b.store.remove(Key{"acme/a"}); });
    EXPECT_EQ(dropped.status(), 0);
    EXPECT_NE(std::string(dropped.what()).find("(attempt 5)"), std::string::npos) << dropped.what();
}

TEST(S3Store, waits_as_long_as_it_is_told_within_its_limit) {
    Bench b;
    int failures = 2;
    b.s3.interfere = [&](const Received&) -> std::optional<Reply> {
        --failures;
        if (failures == 1) return Reply{429, {{"Retry-After", "3"}}, ""};
        if (failures == 0) return Reply{503, {{"Retry-After", "3600"}}, ""};
        return std::nullopt;
    };
    b.store.put(Key{"acme/a"}, "x");
    EXPECT_EQ(b.pause.waits, (std::vector<Duration>{3s, 10s}));
}

TEST(S3Store, what_others_wrote_beside_an_object_is_read_as_s3_tells_it) {
    struct Told {
        std::string header, value;
    };
    for (const auto& [header, value] : {
             Told{"plain.png", "plain.png"},
             Told{"a%20b.png", "a b.png"},
             Told{"=?UTF-8?Q?caf=C3=A9_noir.png?=", "café noir.png"},
             Told{"=?utf-8?b?5p2x5Lqs?= =?UTF-8?B?LnBuZw==?=", "東京.png"},
             Told{"to =?UTF-8?Q?=C3=A5?= b", "to å b"},
             Told{"what =?=? is this", "what =?=? is this"},
             Told{"=?koi8-r?Q?=C1?=", "=?koi8-r?Q?=C1?="},
             Told{"=?UTF-8?B?no base64?=", "no base64"},
             Told{"=?UTF-8?Q?never ends", "=?UTF-8?Q?never ends"},
         }) {
        http::Headers headers;
        headers.add("x-amz-meta-name", header);
        EXPECT_EQ(s3_object_of(Key{"acme/a"}, headers).metadata.at("name"), value) << header;
    }
}

TEST(S3Store, what_we_write_beside_an_object_comes_back_whatever_it_is) {
    Bench b;
    for (const std::string& name : {std::string("=?UTF-8?Q?no?="), std::string("50% off?.png"),
                                    std::string(" å \"q' =?"), std::string("東京.png")}) {
        const auto writer = b.store.begin(10);
        writer->write(std::string_view("x"));
        writer->finish(Key{"acme/a"}, {"image/png", {{"file_name", name}}});
        EXPECT_EQ(b.store.head(Key{"acme/a"})->metadata.at("file_name"), name);
    }
}

TEST(S3Store, a_large_object_goes_in_parts_and_comes_back_whole) {
    Bench b;
    const auto writer = b.store.begin(kLarge.size());
    writer->write(kLarge);
    const auto put = writer->finish(Key{"acme/large"}, {"video/mp4", {{"workflow_type", "image"}}});

    EXPECT_TRUE(put.etag.ends_with("-3")) << put.etag;
    const auto head = b.store.head(Key{"acme/large"});
    EXPECT_EQ(head->content_type, "video/mp4");
    EXPECT_EQ(head->metadata.at("workflow_type"), "image");
    EXPECT_EQ(head->sha256, base::sha256_hex(std::string_view{kLarge}));
    EXPECT_TRUE(b.store.get(Key{"acme/large"}, 1 << 30) == kLarge);
    EXPECT_EQ(b.s3.uploads_open(), 0U);
    EXPECT_EQ(b.files.bytes_used(), kLarge.size());  // as long as the writer lives
}

TEST(S3Store, a_part_that_fails_is_sent_again_and_a_hopeless_upload_is_ended) {
    Bench b;
    int failures = 2;
    b.s3.interfere = [&](const Received& request) -> std::optional<Reply> {
        if (request.query.find("partNumber=2") == std::string::npos || failures-- <= 0)
            return std::nullopt;
        return Reply{500, {}, ""};
    };
    b.store.put(Key{"acme/large"}, kLarge);
    EXPECT_EQ(b.pause.waits.size(), 2U);

    b.s3.interfere = [&](const Received& request) -> std::optional<Reply> {
        if (request.query.find("partNumber=2") == std::string::npos) return std::nullopt;
        return Reply{403, {}, "<Error><Code>AccessDenied</Code></Error>"};
    };
    EXPECT_EQ(error_of([&] { b.store.put(Key{"acme/other"}, kLarge); }).s3_code(), "AccessDenied");
    EXPECT_EQ(b.s3.uploads_open(), 0U);
    EXPECT_FALSE(b.store.head(Key{"acme/other"}));
    EXPECT_EQ(b.files.bytes_used(), 0U);
}

TEST(S3Store, a_join_whose_answer_was_lost_is_found_out) {
    Bench b;
    S3Store* store = &b.store;
    // The first answer to the join is lost after S3 has done it: the second attempt finds no upload.
    bool lost = false;
    http::ScriptedClient losing{[&](const http::Request& request) {
        auto response = b.http.send(request);
        if (request.method == "POST" && request.body.find("<CompleteMultipartUpload>") == 0 &&
            !lost) {
            lost = true;
            throw http::Failure(http::FailureKind::Timeout, "the answer was lost");
        }
        return response;
    }};
    S3Store careful{b.options, losing, b.files, "/", b.clock, b.random, b.pause};

    const auto put = careful.put(Key{"acme/large"}, kLarge);

    EXPECT_TRUE(lost);
    EXPECT_EQ(put.etag, store->head(Key{"acme/large"})->etag);
}

TEST(S3Store, a_join_that_fails_after_a_200_is_an_error) {
    Bench b;
    b.s3.interfere = [](const Received& request) -> std::optional<Reply> {
        if (request.body.find("<CompleteMultipartUpload>") != 0) return std::nullopt;
        return Reply{
            200, {}, "\n\n<Error><Code>InternalError</Code><Message>again</Message></Error>"};
    };
    EXPECT_EQ(error_of([&] { b.store.put(Key{"acme/large"}, kLarge); }).s3_code(), "InternalError");
    EXPECT_EQ(b.s3.uploads_open(), 0U);
}

TEST(S3Store, leftovers_of_dead_uploads_are_ended_when_they_are_old) {
    Bench b;
    b.s3.interfere = [](const Received& request) -> std::optional<Reply> {
        const bool ends =
            request.method == "DELETE" || request.query.find("partNumber") != std::string::npos;
        return ends ? std::optional(Reply{403, {}, ""}) : std::nullopt;
    };
    error_of([&] { b.store.put(Key{"acme/large"}, kLarge); });
    b.s3.interfere = nullptr;
    ASSERT_EQ(b.s3.uploads_open(), 1U);  // began, says the fake, two days before the clock's time

    EXPECT_EQ(b.store.abort_leftovers(72h), 0U);
    EXPECT_EQ(b.store.abort_leftovers(24h), 1U);
    EXPECT_EQ(b.s3.uploads_open(), 0U);
}

TEST(S3Store, anyone_can_download_from_a_presigned_address) {
    Bench b;
    b.store.put(Key{"acme/kvitto å.jpg"}, "bytes");
    const auto url =
        b.store.download_url(Key{"acme/kvitto å.jpg"}, 10min, "mitt kvitto.jpg").value();

    EXPECT_EQ(b.http.send({.url = url}).body, "bytes");
    EXPECT_NE(url.find("X-Amz-Expires=600"), std::string::npos);
    auto forged = url;
    forged.replace(forged.find("X-Amz-Expires=600"), 17, "X-Amz-Expires=900");
    EXPECT_EQ(b.http.send({.url = forged}).status, 403);
}

TEST(S3Store, an_object_replaced_while_it_is_read_is_an_error_and_not_a_mix) {
    Bench b;
    b.store.put(Key{"acme/a"}, std::string(20'000'000, '1'));
    const auto reader = b.store.open(Key{"acme/a"});
    std::string piece(1'000'000, '\0');
    reader->read(std::as_writable_bytes(std::span(piece)));
    b.store.put(Key{"acme/a"}, std::string(20'000'000, '2'));

    EXPECT_EQ(error_of([&] {
                  while (reader->read(std::as_writable_bytes(std::span(piece))) > 0) {
                  }
              }).s3_code(),
              "PreconditionFailed");
}

TEST(S3Store, options_that_cannot_be_are_refused_by_name) {
    Bench b;
    const auto problem = [&](auto change) {
        auto options = b.options;
        change(options);
        try {
            S3Store store{options, b.http, b.files, "/", b.clock, b.random, b.pause};
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_NE(problem([](auto& o) { o.endpoint = "s3.local"; }).find("S3 endpoint `s3.local`"),
              std::string::npos);
    EXPECT_NE(problem([](auto& o) { o.bucket = "a/b"; }).find("S3 bucket `a/b`"),
              std::string::npos);
    EXPECT_NE(problem([](auto& o) { o.credentials.secret_key = ""; }), "");
    EXPECT_NE(problem([](auto& o) { o.part_bytes = 100; }), "");
}

TEST(S3Store, puts_the_bucket_into_the_host_where_that_is_wanted) {
    env::MemoryFiles files;
    env::ManualClock clock;
    env::SeededRandom random{1};
    env::ManualPause pause{clock};
    http::ScriptedClient http{[](const http::Request&) {
        return http::Response{.status = 200, .headers = {{"ETag", "\"e\""}}};
    }};
    S3Store store{{.endpoint = "https://s3.eu-north-1.amazonaws.com",
                   .bucket = "mine",
                   .credentials = {"a", "b", "token"},
                   .region = "eu-north-1",
                   .bucket_in_host = true},
                  http,
                  files,
                  "/",
                  clock,
                  random,
                  pause};

    EXPECT_EQ(store.put(Key{"acme/a b"}, "x").etag, "e");

    const auto& request = http.requests().at(0);
    EXPECT_EQ(request.url, "https://mine.s3.eu-north-1.amazonaws.com/acme/a%20b");
    EXPECT_EQ(request.headers.get("x-amz-security-token"), "token");
    EXPECT_NE(request.headers.get("authorization").find("/20250101/eu-north-1/s3/aws4_request"),
              std::string::npos);
}

}  // namespace
}  // namespace belay::objects
