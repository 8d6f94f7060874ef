#include "ingestion/ai/remote/openai_extractor.hpp"

#include <gtest/gtest.h>
#include <boost/json.hpp>

#include "ingestion/ai/remote/remote_bench.hpp"

namespace belay::ai::remote {
namespace {

using namespace std::chrono_literals;
namespace json = boost::json;

const Schema kSchema{
    json::parse(R"({"type": "object", "required": ["total"], "additionalProperties": false,
                                     "properties": {"total": {"type": ["string", "null"]}}})")};
const Task kTask{"receipt", "Read the receipt.", kSchema};

struct Bench : RemoteBench {
    OpenAiExtractor extractor{{.endpoint = {.base_url = server.url("/v1"), .time_max = 200ms},
                               .model = "gpt-x",
                               .text_bytes_max = 1000,
                               .prices = {{"gpt-x", Price::per_million("2.50", "10")}}},
                              http,
                              clock};

    void says(const std::string& content, const std::string& finish = "stop") {
        const json::object message{{"role", "assistant"}, {"content", content}};
        answers(200,
                json::serialize(json::object{
                    {"choices", {json::object{{"message", message}, {"finish_reason", finish}}}},
                    {"usage", {{"prompt_tokens", 1200}, {"completion_tokens", 30}}}}));
    }

    Outcome extract(const std::string& text = "TOTAL 12,50") {
        return outcome_of([&] { extractor.extract(kTask, text); });
    }
};

TEST(OpenAiExtractor, asks_with_the_schema_and_returns_the_validated_answer_with_its_cost) {
    Bench b;
    b.says(R"({"total": "12,50"})");

    const auto found = b.extractor.extract(kTask, "TOTAL 12,50");

    EXPECT_EQ(found.value, json::parse(R"({"total": "12,50"})"));
    EXPECT_EQ(found.model, "gpt-x");
    EXPECT_EQ(found.cost.tokens_in, 1200);
    EXPECT_EQ(found.cost.tokens_out, 30);
    EXPECT_EQ(found.cost.money.at("USD").amount(), "0.0033");
    const auto body = json::parse(b.received.at(0).body);
    EXPECT_EQ(b.received.at(0).target, "/v1/chat/completions");
    EXPECT_EQ(b.received.at(0).header("authorization"), "");
    EXPECT_EQ(body.at("messages").at(0).at("content").as_string(), "Read the receipt.");
    EXPECT_EQ(body.at("messages").at(1).at("content").as_string(), "TOTAL 12,50");
    EXPECT_EQ(body.at("max_tokens").to_number<int>(), 8192);
    EXPECT_EQ(body.at("temperature").to_number<int>(), 0);
    EXPECT_EQ(body.at("response_format").at("type").as_string(), "json_schema");
    EXPECT_EQ(body.at("response_format").at("json_schema").at("schema"), kSchema.json());
    EXPECT_EQ(body.at("response_format").at("json_schema").at("name").as_string(), "receipt");
}

TEST(OpenAiExtractor, can_speak_to_models_that_want_other_fields) {
    Bench b;
    b.says(R"({"total": null})");
    OpenAiExtractor newer{{.endpoint = {.base_url = b.server.url("/v1")},
                           .model = "o-x",
                           .tokens_out_field = "max_completion_tokens",
                           .temperature = std::nullopt},
                          b.http,
                          b.clock};
    newer.extract(kTask, "x");
    const auto body = json::parse(b.received.at(0).body).as_object();
    EXPECT_TRUE(body.contains("max_completion_tokens"));
    EXPECT_FALSE(body.contains("max_tokens"));
    EXPECT_FALSE(body.contains("temperature"));
}

TEST(OpenAiExtractor, reads_an_answer_in_a_markdown_fence) {
    Bench b;
    b.says("```json\n{\"total\": null}\n```\n");
    EXPECT_EQ(b.extractor.extract(kTask, "x").value, json::parse(R"({"total": null})"));
}

TEST(OpenAiExtractor, an_answer_that_is_not_what_was_asked_for_is_a_failure_that_says_so) {
    Bench b;
    const auto message = [&](const std::string& content) {
        b.says(content);
        const auto outcome = b.extract();
        EXPECT_EQ(outcome.kind, Outcome::Retryable) << content;
        return outcome.message;
    };
    EXPECT_EQ(message(""), "receipt with gpt-x: the answer is empty");
    EXPECT_EQ(message(R"({"total": 5})"),
              "receipt with gpt-x: the answer is not what was asked for: $.total: "
              "[\"string\",\"null\"] is needed, not "
              "a number");
    EXPECT_EQ(message("{}"),
              "receipt with gpt-x: the answer is not what was asked for: $: `total` is missing");
    EXPECT_NE(message("The total is 12,50.").find("not JSON"), std::string::npos);
    EXPECT_NE(message(R"({"total": "12)").find("not JSON"), std::string::npos);
    b.answers(200, R"({"choices":[]})");
    EXPECT_EQ(b.extract().message, "receipt with gpt-x: the answer has no choices");
    b.answers(200, "[]");
    EXPECT_EQ(b.extract().message, "receipt with gpt-x: the answer has no choices");
}

TEST(OpenAiExtractor, a_refusal_a_cut_answer_and_a_long_text_do_not_get_better) {
    Bench b;
    b.says(R"({"total": "1)", "length");
    EXPECT_EQ(b.extract().kind, Outcome::Final);
    b.answers(200, R"({"choices":[{"message":{"content":null,"refusal":"I cannot"}}]})");
    EXPECT_EQ(b.extract().message, "receipt with gpt-x: the model refuses: I cannot");
    const auto outcome = b.extract(std::string(1001, 'x'));
    EXPECT_EQ(outcome.kind, Outcome::Final);
    EXPECT_EQ(outcome.message,
              "receipt with gpt-x: the text has 1001 bytes, more than 1000, the limit");
}

TEST(OpenAiExtractor, limits_and_failures_of_the_server_are_what_a_step_understands) {
    Bench b;
    b.answers(429, R"({"error":{"message":"slow","code":"rate_limit_exceeded"}})",
              {{"Retry-After", "20"}});
    EXPECT_EQ(b.extract().after, 20s);
    b.answers(500, "oops");
    EXPECT_EQ(b.extract().kind, Outcome::Retryable);
    b.answers(401, R"({"error":{"message":"Incorrect API key"}})");
    EXPECT_EQ(b.extract().kind, Outcome::Final);
    b.answer = [](const auto&) {
        return http::testkit::Reply{200, {}, "", http::testkit::Reply::Manner::Hang};
    };
    EXPECT_EQ(b.extract().kind, Outcome::Retryable);
}

}  // namespace
}  // namespace belay::ai::remote
