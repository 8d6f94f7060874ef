// upload_test.cpp — files over a real socket: whole, in constant memory, refused, given up.
#include <fstream>
#include <thread>

#include <gtest/gtest.h>

#include "service/server/server_bench.hpp"

namespace belay::server {
namespace {

std::size_t resident_bytes() {
    std::ifstream statm("/proc/self/statm");
    std::size_t total = 0;
    std::size_t resident = 0;
    statm >> total >> resident;
    return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

TEST(Upload, a_file_of_a_mebibyte_arrives_to_the_byte_many_times_on_one_connection) {
    ServerBench b;
    Client client = b.client();
    std::string content(1 << 20, '\0');
    for (std::size_t i = 0; i < content.size(); ++i)
        content[i] = static_cast<char>(i * 31 + i / 977);

    for (int i = 0; i < 5; ++i) {
        const Answer answer = client.post("/ingest/upload", kFormType, form_with(content));
        ASSERT_EQ(answer.status, 202) << answer.body;
        const auto json = boost::json::parse(answer.body);
        EXPECT_EQ(json.at("uploads").at(0).at("sha256").as_string(), base::sha256_hex(content));
        EXPECT_EQ(json.at("uploads").at(0).at("name").as_string(), "photo.jpg");
        EXPECT_EQ(json.at("workflow_type").as_string(), "image");
    }
    EXPECT_EQ(b.sink.finished, 5);
    EXPECT_EQ(b.sink.given_up, 0);
}

TEST(Upload, two_hundred_mebibytes_take_no_more_memory_than_one) {
    ServerBench b;
    constexpr std::size_t kMebibytes = 200;
    const std::string mebibyte(1 << 20, 'x');
    const std::string form = form_with("");
    const auto split = form.find("\r\n--XyZ--");
    Client client = b.client();
    client.post("/ingest/upload", kFormType, form_with(mebibyte));  // what a first upload allocates
    const std::size_t before = resident_bytes();

    client.send("POST /ingest/upload HTTP/1.1\r\nHost: localhost\r\nContent-Type: " +
                std::string(kFormType) + "\r\nContent-Length: " +
                std::to_string(form.size() + kMebibytes * mebibyte.size()) + "\r\n\r\n");
    client.send(std::string_view(form).substr(0, split));
    std::size_t most = 0;
    for (std::size_t i = 0; i < kMebibytes; ++i) {
        ASSERT_TRUE(client.send(mebibyte));
        most = std::max(most, resident_bytes());
    }
    client.send(std::string_view(form).substr(split));
    const Answer answer = client.receive();

    ASSERT_EQ(answer.status, 202) << answer.body;
    EXPECT_EQ(boost::json::parse(answer.body).at("uploads").at(0).at("size").as_int64(),
              static_cast<std::int64_t>(kMebibytes << 20));
    EXPECT_LT(most, before + (16 << 20));
}

TEST(Upload, what_is_not_a_form_is_refused_and_the_next_request_works) {
    ServerBench b;
    EXPECT_EQ(error_code_of(b.client().post("/ingest/upload", "application/json", "{}")),
              "unsupported_media_type");
    EXPECT_EQ(error_code_of(b.client().post("/ingest/upload", "multipart/form-data", "x")),
              "unsupported_media_type");
    EXPECT_EQ(error_code_of(b.client().post("/ingest/upload", kFormType, "no boundary here")),
              "invalid_multipart");
    const std::string body = form_with("x");
    EXPECT_EQ(error_code_of(
                  b.client().post("/ingest/upload", kFormType, body.substr(0, body.size() - 8))),
              "invalid_multipart");
    EXPECT_EQ(b.sink.finished, 0);
    EXPECT_EQ(b.client().post("/ingest/upload", kFormType, form_with("x")).status, 202);
    EXPECT_EQ(b.client().post("/ingest/upload", kFormType, "").status, 400);
}

TEST(Upload, what_the_sink_refuses_and_what_is_above_a_limit_is_said) {
    ServerLimits limits;
    limits.file_bytes_max = 100'000;
    limits.upload_bytes_max = 500'000;
    limits.field_bytes_max = 1000;
    ServerBench b(limits);
    EXPECT_EQ(
        error_code_of(b.client().post("/ingest/upload", kFormType, form_with("x", "refused.exe"))),
        "unsupported_media_type");
    const Answer file =
        b.client().post("/ingest/upload", kFormType, form_with(std::string(200'000, 'x')));
    EXPECT_EQ(file.status, 413);
    EXPECT_NE(file.body.find("photo.jpg is larger than 100000 bytes"), std::string::npos)
        << file.body;
    const auto told = boost::json::parse(file.body);
    EXPECT_TRUE(told.at("uploads").as_array().empty());
    EXPECT_EQ(told.at("errors").at(0).at("name").as_string(), "photo.jpg");
    EXPECT_EQ(
        b.client().post("/ingest/upload", kFormType, form_with(std::string(600'000, 'x'))).status,
        413);
    const std::string field = "--XyZ\r\nContent-Disposition: form-data; name=f\r\n\r\n" +
                              std::string(2000, 'x') + "\r\n--XyZ--";
    EXPECT_EQ(b.client().post("/ingest/upload", kFormType, field).status, 413);
    b.server->stop();
    EXPECT_EQ(b.sink.begun, b.sink.finished + b.sink.given_up);
}

TEST(Upload, the_same_file_with_the_same_key_is_handled_once) {
    ServerBench b;
    const auto upload = [&](std::string_view content) {
        return b.client().post("/ingest/upload", kFormType, form_with(content),
                               "Idempotency-Key: k1\r\n");
    };
    const Answer first = upload("x");
    const Answer again = upload("x");

    EXPECT_EQ(again.body, first.body);
    EXPECT_EQ(again.headers.get("Idempotent-Replayed"), "true");
    EXPECT_EQ(b.sink.finished, 1);
    EXPECT_EQ(upload("y").status, 422);
}

TEST(Upload, a_client_that_hangs_up_leaves_nothing) {
    ServerBench b;
    {
        Client client = b.client();
        client.send("POST /ingest/upload HTTP/1.1\r\nHost: localhost\r\nContent-Type: " +
                    std::string(kFormType) + "\r\nContent-Length: 1000000\r\n\r\n" +
                    form_with(std::string(500'000, 'x')).substr(0, 400'000));
        while (b.sink.begun == 0) std::this_thread::yield();
    }
    b.server->stop();
    EXPECT_EQ(b.sink.given_up, 1);
    EXPECT_EQ(b.sink.finished, 0);
}

}  // namespace
}  // namespace belay::server
