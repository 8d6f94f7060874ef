#include "ingestion/ai/remote/workers_ai.hpp"

#include <gtest/gtest.h>

#include "ingestion/ai/remote/remote_bench.hpp"

namespace belay::ai::remote {
namespace {

using namespace std::chrono_literals;
using http::testkit::Received;
using http::testkit::Reply;

struct Bench : RemoteBench {
    WorkersAiClassifier classifier{{.account_id = "acc123",
                                    .api_token = "secret-token",
                                    .base_url = server.url("/client/v4"),
                                    .time_max = 200ms},
                                   http,
                                   clock};

    Outcome classify(std::string_view image = "bytes") {
        return outcome_of([&] { classifier.classify(image, 5); });
    }
};

TEST(WorkersAi, sends_the_picture_and_ranks_the_labels) {
    Bench b;
    b.answers(200, R"({"result":[{"label":"TABBY","score":0.2},{"label":"EGYPTIAN CAT","score":0.7},
                       {"label":"LYNX","score":0.05}],"success":true,"errors":[],"messages":[]})");

    const auto answer = b.classifier.classify(std::string_view("\xff\xd8\0jpeg", 7), 2);

    ASSERT_EQ(answer.labels.size(), 2U);
    EXPECT_EQ(answer.labels[0].label, "EGYPTIAN CAT");
    EXPECT_DOUBLE_EQ(answer.labels[0].score, 0.7);
    EXPECT_EQ(answer.labels[1].label, "TABBY");
    EXPECT_EQ(answer.model, "@cf/microsoft/resnet-50");
    const auto& request = b.received.at(0);
    EXPECT_EQ(request.method, "POST");
    EXPECT_EQ(request.target, "/client/v4/accounts/acc123/ai/run/@cf/microsoft/resnet-50");
    EXPECT_EQ(request.header("authorization"), "Bearer secret-token");
    EXPECT_EQ(request.header("content-type"), "application/octet-stream");
    EXPECT_EQ(request.body, std::string("\xff\xd8\0jpeg", 7));
}

TEST(WorkersAi, a_rate_limit_says_when_to_come_back) {
    Bench b;
    b.answers(429, R"({"success":false,"errors":[{"code":3036,"message":"rate limited"}]})",
              {{"Retry-After", "17"}});
    const auto outcome = b.classify();
    EXPECT_EQ(outcome.kind, Outcome::Later);
    EXPECT_EQ(outcome.after, 17s);
    EXPECT_NE(outcome.message.find("429"), std::string::npos);
    EXPECT_NE(outcome.message.find("(3036): rate limited"), std::string::npos);
    EXPECT_EQ(outcome.message.find("secret-token"), std::string::npos);
}

TEST(WorkersAi, a_server_error_may_be_tried_again_and_a_wrong_token_may_not) {
    Bench b;
    for (const int status : {500, 502, 503, 504}) {
        b.answers(status, "<html>Bad gateway</html>");
        EXPECT_EQ(b.classify().kind, Outcome::Retryable) << status;
    }
    b.answers(503, "", {{"Retry-After", "2"}});
    EXPECT_EQ(b.classify().after, 2s);
    for (const int status : {400, 401, 403, 404, 413}) {
        b.answers(
            status,
            R"({"success":false,"errors":[{"code":10000,"message":"Authentication error"}]})");
        EXPECT_EQ(b.classify().kind, Outcome::Final) << status;
    }
}

TEST(WorkersAi, a_server_that_hangs_or_drops_is_an_error_that_may_be_tried_again) {
    Bench b;
    for (const auto manner : {Reply::Manner::Hang, Reply::Manner::Drop, Reply::Manner::CutShort}) {
        b.answer = [&](const Received&) { return Reply{200, {}, "{\"result\":[]}", manner}; };
        EXPECT_EQ(b.classify().kind, Outcome::Retryable);
    }
}

TEST(WorkersAi, an_empty_broken_or_ill_shaped_answer_is_a_failure_that_says_so) {
    Bench b;
    const auto message = [&](const std::string& body) {
        b.answers(200, body);
        const auto outcome = b.classify();
        EXPECT_EQ(outcome.kind, Outcome::Retryable) << body;
        return outcome.message;
    };
    EXPECT_NE(message(R"({"result":[],"success":true})").find("it is empty"), std::string::npos);
    EXPECT_NE(message(R"({"result":[{"label":"A","sc)").find("not JSON"), std::string::npos);
    EXPECT_NE(message("").find("it is empty"), std::string::npos);
    EXPECT_NE(message(R"({"result":{"label":"A"}})").find("no array `result`"), std::string::npos);
    EXPECT_NE(message(R"({"result":[{"label":"A"}]})").find("not {label, score}"),
              std::string::npos);
    EXPECT_NE(message(R"({"result":[{"label":5,"score":1}]})").find("not {label, score}"),
              std::string::npos);
    EXPECT_NE(message(R"({"result":[{"label":"A","score":7}]})").find("score"), std::string::npos);
    EXPECT_NE(
        message(R"({"result":null,"success":false,"errors":[{"message":"no"}]})").find("failed"),
        std::string::npos);
    EXPECT_NE(message("[]").find("no array `result`"), std::string::npos);
    EXPECT_NE(message(std::string(100, '[') + std::string(100, ']')).find("not JSON"),
              std::string::npos);
}

TEST(WorkersAi, a_picture_above_the_limit_is_not_sent) {
    Bench b;
    const auto outcome = b.classify(std::string(10 * 1024 * 1024 + 1, 'x'));
    EXPECT_EQ(outcome.kind, Outcome::Final);
    EXPECT_TRUE(b.received.empty());
}

TEST(WorkersAi, refuses_options_that_cannot_be) {
    Bench b;
    const auto make = [&](WorkersAiOptions options) {
        WorkersAiClassifier{options, b.http, b.clock};
    };
    EXPECT_THROW(make({.account_id = "", .api_token = "t"}), Error);
    EXPECT_THROW(make({.account_id = "a/../b", .api_token = "t"}), Error);
    EXPECT_THROW(make({.account_id = "a", .api_token = ""}), Error);
    EXPECT_THROW(make({.account_id = "a", .api_token = "t", .base_url = "nowhere"}), Error);
}

}  // namespace
}  // namespace belay::ai::remote
