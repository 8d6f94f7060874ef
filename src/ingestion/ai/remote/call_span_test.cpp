// call_span_test.cpp — what a call of a model tells of itself, by the conventions for generative AI.
#include "ingestion/ai/remote/call_span.hpp"

#include <gtest/gtest.h>

#include "ingestion/ai/remote/openai_embedder.hpp"
#include "ingestion/ai/remote/remote_bench.hpp"

namespace belay::ai::remote {
namespace {

const std::string kTrace = "0af7651916cd43dd8448eb211c80319c";
const std::string kAttempt = "00-" + kTrace + "-b7ad6b7169203331-01";

// A step of a traced run, as the engine makes one.
struct Step final : base::TraceSource {
    base::TraceHeaders headers() const override { return {traceparent, "vendor=1"}; }
    std::string traceparent = kAttempt;
};

struct Bench : RemoteBench {
    std::vector<base::TracedCall> calls;
    std::shared_ptr<void> taking =
        base::take_traces([this](base::TracedCall call) { calls.push_back(std::move(call)); });
    OpenAiEmbedder embedder{
        {.endpoint = {.base_url = server.url("/v1")}, .model = "bge"}, http, clock};

    Outcome embed() {
        const std::vector<std::string> texts{"a secret of Ada"};
        return outcome_of([&] { embedder.embed(texts); });
    }
    std::string attribute(const std::string& name) {
        for (const auto& [is, value] : calls.at(0).attributes) {
            if (is != name) continue;
            if (const auto* text = std::get_if<std::string>(&value)) return *text;
            return std::to_string(std::get<std::int64_t>(value));
        }
        return "";
    }
};

TEST(CallSpan, a_call_has_names_and_numbers_and_none_of_its_texts) {
    Bench b;
    b.answers(200, R"({"data":[{"index":0,"embedding":[3,4]}],"model":"bge-m3",
                       "usage":{"prompt_tokens":50,"total_tokens":50}})");
    const Step step;
    const base::TraceScope scope(step);

    ASSERT_EQ(b.embed().kind, Outcome::Worked);

    ASSERT_EQ(b.calls.size(), 1U);
    const base::TracedCall& call = b.calls[0];
    EXPECT_EQ(call.name, "embeddings bge");
    EXPECT_EQ(call.parent, kAttempt);
    EXPECT_EQ(call.error, "");
    EXPECT_EQ(b.attribute("gen_ai.operation.name"), "embeddings");
    EXPECT_EQ(b.attribute("gen_ai.provider.name"), "openai");
    EXPECT_EQ(b.attribute("gen_ai.request.model"), "bge");
    EXPECT_EQ(b.attribute("gen_ai.response.model"), "bge-m3");
    EXPECT_EQ(b.attribute("gen_ai.usage.input_tokens"), "50");
    EXPECT_EQ(b.attribute("gen_ai.usage.output_tokens"), "");
    EXPECT_EQ(b.attribute("server.address"), "127.0.0.1");
    EXPECT_EQ(b.attribute("server.port"), std::to_string(b.server.port()));
    for (const auto& [name, value] : call.attributes) {
        const auto* text = std::get_if<std::string>(&value);
        EXPECT_TRUE(text == nullptr || text->find("Ada") == std::string::npos) << name;
    }
    // The server is told the call itself, which lies below the attempt.
    EXPECT_EQ(b.received.at(0).header("traceparent"), "00-" + kTrace + "-" + call.span_id + "-01");
    EXPECT_EQ(b.received.at(0).header("tracestate"), "vendor=1");
}

TEST(CallSpan, a_refusal_and_an_answer_that_never_came_are_failures_with_a_word_of_few) {
    Bench b;
    const Step step;
    const base::TraceScope scope(step);
    b.answers(429, R"({"error":{"message":"slow down, Ada"}})");
    EXPECT_EQ(b.embed().kind, Outcome::Retryable);
    b.answer = [](const auto&) {
        return http::testkit::Reply{200, {}, "", http::testkit::Reply::Manner::Drop};
    };
    EXPECT_EQ(b.embed().kind, Outcome::Retryable);

    ASSERT_EQ(b.calls.size(), 2U);
    EXPECT_EQ(b.calls[0].error, "429");
    EXPECT_EQ(b.calls[1].error, "no_answer");
}

TEST(CallSpan, outside_of_a_trace_nothing_is_told_and_nothing_sent) {
    Bench b;
    b.answers(200, R"({"data":[{"index":0,"embedding":[3,4]}]})");

    ASSERT_EQ(b.embed().kind, Outcome::Worked);

    EXPECT_TRUE(b.calls.empty());
    EXPECT_EQ(b.received.at(0).header("traceparent"), "");
}

TEST(CallSpan,
     where_nobody_takes_spans_or_the_trace_is_not_sampled_the_servers_parent_is_the_attempt) {
    Bench b;
    b.answers(200, R"({"data":[{"index":0,"embedding":[3,4]}]})");
    Step step;
    const base::TraceScope scope(step);
    step.traceparent.back() = '0';
    b.embed();
    EXPECT_EQ(b.received.at(0).header("traceparent"), step.traceparent);
    step.traceparent = kAttempt;
    b.taking.reset();
    b.embed();

    EXPECT_TRUE(b.calls.empty());
    EXPECT_EQ(b.received.at(1).header("traceparent"), kAttempt);
}

TEST(CallSpan, providers_are_called_as_the_conventions_call_them) {
    EXPECT_EQ(provider_at("https://api.openai.com/v1"), "openai");
    EXPECT_EQ(provider_at("https://acme.openai.azure.com/"), "azure.ai.openai");
    EXPECT_EQ(provider_at("https://api.mistral.ai/v1"), "mistral_ai");
    EXPECT_EQ(provider_at("http://127.0.0.1:11434/v1"), "openai");
}

}  // namespace
}  // namespace belay::ai::remote
