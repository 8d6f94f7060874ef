#include "ingestion/ai/remote/call_span.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>
#include <boost/json.hpp>

#include "service/http/url.hpp"

namespace belay::ai::remote {

namespace {

namespace json = boost::json;

// By the conventions' list of well-known names.
constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kProviders{
    {{"api.openai.com", "openai"},
     {".openai.azure.com", "azure.ai.openai"},
     {"api.mistral.ai", "mistral_ai"},
     {"api.groq.com", "groq"},
     {"api.deepseek.com", "deepseek"},
     {"api.x.ai", "x_ai"},
     {"api.perplexity.ai", "perplexity"},
     {"api.cloudflare.com", "cloudflare"}}};

const json::value* member(const json::value* of, std::string_view name) {
    const auto* object = of != nullptr ? of->if_object() : nullptr;
    return object != nullptr ? object->if_contains(name) : nullptr;
}

}  // namespace

std::string provider_at(const std::string& base_url) {
    const auto url = http::parse_url(base_url);
    for (const auto& [host, name] : kProviders) {
        if (url && std::string_view(url->host).ends_with(host)) return std::string(name);
    }
    // Whoever speaks OpenAI's protocol on a host of its own (Ollama, vLLM, llama.cpp): the conventions' best guess.
    return "openai";
}

CallSpan::CallSpan(const ModelCalled& called, const std::string& base_url, const env::Clock& clock)
    : within_(base::current_trace()), clock_(clock) {
    if (called.operation.empty()) return;
    call_ = base::begin_call(clock.now());
    if (!call_) return;
    call_->name = fmt::format("{} {}", called.operation, called.model);
    call_->error = "no_answer";
    call_->attributes = {{"gen_ai.operation.name", called.operation},
                         {"gen_ai.provider.name", provider_at(base_url)},
                         {"gen_ai.request.model", called.model}};
    if (const auto url = http::parse_url(base_url)) {
        call_->attributes.emplace_back("server.address", url->host);
        call_->attributes.emplace_back("server.port", std::int64_t{url->port});
    }
}

CallSpan::~CallSpan() {
    if (!call_) return;
    call_->ended_at = clock_.now();
    base::tell_call(*call_);
}

void CallSpan::put_headers(http::Headers& headers) const {
    const auto within = base::parse_traceparent(within_.traceparent);
    if (!within) return;
    headers.set("traceparent", call_ ? base::to_string(base::TraceContext{
                                           within->trace_id, call_->span_id, within->sampled})
                                     : within_.traceparent);
    if (!within_.tracestate.empty()) headers.set("tracestate", within_.tracestate);
}

void CallSpan::answered(int status) {
    if (!call_) return;
    call_->error = status == 200 ? "" : std::to_string(status);
    call_->attributes.emplace_back("http.response.status_code", std::int64_t{status});
}

void CallSpan::told(const json::value& answer) {
    if (!call_) return;
    if (const auto* model = member(&answer, "model"); model != nullptr && model->is_string())
        call_->attributes.emplace_back("gen_ai.response.model", std::string(model->get_string()));
    const auto* usage = member(&answer, "usage");
    const auto add = [&](const char* theirs, const char* name) {
        const auto* count = member(usage, theirs);
        if (count != nullptr && count->is_int64())
            call_->attributes.emplace_back(name, count->get_int64());
    };
    add("prompt_tokens", "gen_ai.usage.input_tokens");
    add("completion_tokens", "gen_ai.usage.output_tokens");
}

}  // namespace belay::ai::remote
