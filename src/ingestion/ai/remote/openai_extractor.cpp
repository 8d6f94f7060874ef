#include "ingestion/ai/remote/openai_extractor.hpp"

#include <stdexcept>

#include <fmt/format.h>
#include <boost/json.hpp>

#include <belay/error.hpp>

#include "core/base/utf8.hpp"
#include "ingestion/ai/remote/openai_answer.hpp"
#include "ingestion/ai/spending.hpp"

namespace belay::ai::remote {
namespace {

namespace json = boost::json;

// Instructions and schema beside the text. A token has one byte at least.
constexpr std::size_t kPromptBytesMax = 16 * 1024;

const json::value* member(const json::value* value, std::string_view name) {
    return value != nullptr && value->is_object()
               ? value->get_object().if_contains({name.data(), name.size()})
               : nullptr;
}

std::string text_of(const json::value* value) {
    return value != nullptr && value->is_string() ? std::string(value->get_string()) : "";
}

// Models of one's own like to wrap their JSON in a Markdown fence, whatever they are told.
std::string_view without_fence(std::string_view text) {
    const auto start = text.find_first_not_of(" \t\r\n");
    if (start == std::string_view::npos) return {};
    text.remove_prefix(start);
    if (!text.starts_with("```")) return text;
    const auto line = text.find('\n');
    const auto end = text.rfind("```");
    if (line == std::string_view::npos || end <= line) return text;
    return text.substr(line + 1, end - line - 1);
}

}  // namespace

OpenAiExtractor::OpenAiExtractor(OpenAiExtractorOptions options, http::Client& client,
                                 const env::Clock& clock)
    : options_(std::move(options)), endpoint_(options_.endpoint, client, clock) {
    if (options_.model.empty())
        throw Error(ErrorCode::InvalidArgument, "extraction: a model is needed");
}

Cost OpenAiExtractor::costs_at_most() const {
    return priced(options_.prices, options_.model,
                  static_cast<std::int64_t>(options_.text_bytes_max + kPromptBytesMax),
                  options_.tokens_out_max);
}

std::string OpenAiExtractor::request_of(const Task& task, const std::string& text) const {
    json::object format{{"type", "json_schema"},
                        {"json_schema", json::object{{"name", task.name},
                                                     {"strict", options_.strict},
                                                     {"schema", task.schema.json()}}}};
    json::array messages{json::object{{"role", "system"}, {"content", task.instructions}},
                         json::object{{"role", "user"}, {"content", base::to_valid_utf8(text)}}};
    json::object request{{"model", options_.model},
                         {"messages", std::move(messages)},
                         {"response_format", std::move(format)}};
    if (options_.tokens_out_max > 0) request[options_.tokens_out_field] = options_.tokens_out_max;
    if (options_.temperature) request["temperature"] = *options_.temperature;
    return json::serialize(request);
}

Extraction OpenAiExtractor::extract(const Task& task, const std::string& text,
                                    std::stop_token stop) {
    Cost cost;
    try {
        return {answer_to(task, text, stop, cost), options_.model, cost};
    } catch (...) {
        Spending::add(cost);  // an answer that is no good is paid all the same
        throw;
    }
}

json::value OpenAiExtractor::answer_to(const Task& task, const std::string& text,
                                       const std::stop_token& stop, Cost& cost) {
    const auto what = fmt::format("{} with {}", task.name, options_.model);
    if (text.size() > options_.text_bytes_max)
        throw NonRetryable(fmt::format("{}: the text has {} bytes, more than {}, the limit", what,
                                       text.size(), options_.text_bytes_max));
    const auto answer = endpoint_.post(
        "/chat/completions", "application/json", request_of(task, text), what, stop,
        [&](const json::value& told) { cost = openai_cost(told, options_.prices, options_.model); },
        {"chat", options_.model});

    const auto* choices = member(&answer, "choices");
    if (choices == nullptr || !choices->is_array() || choices->get_array().empty())
        throw std::runtime_error(fmt::format("{}: the answer has no choices", what));
    const auto& choice = choices->get_array()[0];
    const auto* message = member(&choice, "message");
    if (const auto refusal = text_of(member(message, "refusal")); !refusal.empty())
        throw NonRetryable(
            fmt::format("{}: the model refuses: {}", what, base::truncate(refusal, 300)));
    if (text_of(member(&choice, "finish_reason")) == "length")
        throw NonRetryable(
            fmt::format("{}: the answer is cut off at {} tokens", what, options_.tokens_out_max));
    const auto content = text_of(member(message, "content"));
    if (content.find_first_not_of(" \t\r\n") == std::string::npos)
        throw std::runtime_error(fmt::format("{}: the answer is empty", what));

    auto value = parse_answer(without_fence(content), what);
    if (const auto wrong = task.schema.problem(value))
        throw std::runtime_error(
            fmt::format("{}: the answer is not what was asked for: {}", what, *wrong));
    return value;
}

}  // namespace belay::ai::remote
