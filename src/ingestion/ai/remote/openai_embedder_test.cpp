#include "ingestion/ai/remote/openai_embedder.hpp"

#include <gtest/gtest.h>
#include <boost/json.hpp>

#include "ingestion/ai/remote/remote_bench.hpp"

namespace belay::ai::remote {
namespace {

using namespace std::chrono_literals;
using http::testkit::Received;
using http::testkit::Reply;

const std::vector<std::string> kTwo{"one", "two"};

struct Bench : RemoteBench {
    std::vector<Cost> costs;
    OpenAiEmbedderOptions options{.endpoint = {.base_url = server.url("/v1/"), .api_key = "sk-1"},
                                  .model = "bge",
                                  .texts_per_call = 2,
                                  .prices = {{"bge", Price::per_million("0.02", "0")}},
                                  .on_cost = [this](const Cost& cost) { costs.push_back(cost); }};
    OpenAiEmbedder embedder{options, http, clock};

    Outcome embed(const std::vector<std::string>& texts = kTwo) {
        return outcome_of([&] { embedder.embed(texts); });
    }
};

TEST(OpenAiEmbedder, gives_vectors_of_length_one_in_the_order_of_the_texts) {
    Bench b;
    b.answers(200, R"({"data":[{"index":1,"embedding":[0,2]},{"index":0,"embedding":[3,4]}],
                       "usage":{"prompt_tokens":50,"total_tokens":50}})");

    const auto vectors = b.embedder.embed(kTwo);

    ASSERT_EQ(vectors.size(), 2U);
    EXPECT_FLOAT_EQ(vectors[0][0], 0.6F);
    EXPECT_FLOAT_EQ(vectors[0][1], 0.8F);
    EXPECT_FLOAT_EQ(vectors[1][1], 1.0F);
    EXPECT_EQ(b.embedder.dimension(), 2U);
    const auto body = boost::json::parse(b.received.at(0).body);
    EXPECT_EQ(b.received.at(0).target, "/v1/embeddings");
    EXPECT_EQ(b.received.at(0).header("authorization"), "Bearer sk-1");
    EXPECT_EQ(body.at("model").as_string(), "bge");
    EXPECT_EQ(body.at("input").as_array().size(), 2U);
    ASSERT_EQ(b.costs.size(), 1U);
    EXPECT_EQ(b.costs[0].money.at("USD").amount(), "0.000001");
}

TEST(OpenAiEmbedder, asks_for_many_texts_in_several_calls) {
    Bench b;
    b.answer = [](const Received& request) {
        boost::json::array data;
        const auto body = boost::json::parse(request.body);
        for (const auto& text : body.at("input").as_array())
            data.push_back(
                boost::json::object{{"embedding", {std::stod(text.as_string().c_str()), 1.0}}});
        return Reply{200, {}, boost::json::serialize(boost::json::object{{"data", data}})};
    };

    const auto vectors = b.embedder.embed(std::vector<std::string>{"0", "1", "2", "3", "4"});

    EXPECT_EQ(b.received.size(), 3U);
    ASSERT_EQ(vectors.size(), 5U);
    for (std::size_t i = 0; i < 5; ++i)
        EXPECT_NEAR(vectors[i][0] / vectors[i][1], static_cast<double>(i), 1e-5);
}

TEST(OpenAiEmbedder, an_answer_that_is_not_what_was_asked_for_is_a_failure_that_says_so) {
    Bench b;
    const auto message = [&](const std::string& body) {
        b.answers(200, body);
        const auto outcome = b.embed();
        EXPECT_EQ(outcome.kind, Outcome::Retryable) << body;
        return outcome.message;
    };
    EXPECT_EQ(message(R"({"data":[]})"), "embeddings with bge: 0 vectors came for 2 texts");
    EXPECT_EQ(message(R"({})"), "embeddings with bge: the answer has no array `data`");
    EXPECT_EQ(message(R"({"data":[{"embedding":[1]},{"embedding":[0]}]})"),
              "embeddings with bge: a vector has no direction");
    EXPECT_EQ(message(R"({"data":[{"embedding":[1]},{"embedding":[1,2]}]})"),
              "embeddings with bge: a vector has 2 numbers, not 1");
    EXPECT_EQ(message(R"({"data":[{"embedding":["x"]},{"embedding":[1]}]})"),
              "embeddings with bge: a vector is not an array of numbers");
    EXPECT_EQ(message(R"({"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]})"),
              "embeddings with bge: an `index` is wrong");
    EXPECT_NE(message("{\"data\":[{").find("not JSON"), std::string::npos);
}

TEST(OpenAiEmbedder, a_text_without_a_word_never_works) {
    Bench b;
    EXPECT_EQ(b.embed({" \n"}).kind, Outcome::Final);
    EXPECT_EQ(b.embed(std::vector<std::string>(3000, "x")).kind, Outcome::Final);
    EXPECT_TRUE(b.received.empty());
}

TEST(OpenAiEmbedder, rate_limits_are_retried_as_the_server_says_and_an_empty_account_is_not) {
    Bench b;
    b.answers(429, R"({"error":{"message":"slow down","code":"rate_limit_exceeded"}})",
              {{"retry-after-ms", "1500"}});
    EXPECT_EQ(b.embed().after, 1500ms);
    b.answers(429, R"({"error":{"message":"slow down"}})");
    EXPECT_EQ(b.embed().kind, Outcome::Retryable);
    b.answers(429, R"({"error":{"message":"no money left","code":"insufficient_quota"}})",
              {{"Retry-After", "1"}});
    EXPECT_EQ(b.embed().kind, Outcome::Final);
    b.answers(404, R"({"error":"model 'bge' not found"})");
    const auto outcome = b.embed();
    EXPECT_EQ(outcome.kind, Outcome::Final);
    EXPECT_NE(outcome.message.find("model 'bge' not found"), std::string::npos);
}

TEST(OpenAiEmbedder, can_be_stopped) {
    Bench b;
    std::stop_source stop;
    b.answer = [&](const Received&) {
        stop.request_stop();
        return Reply{200, {}, "", Reply::Manner::Hang};
    };
    EXPECT_EQ(outcome_of([&] { b.embedder.embed(kTwo, stop.get_token()); }).kind,
              Outcome::Retryable);
}

}  // namespace
}  // namespace belay::ai::remote
