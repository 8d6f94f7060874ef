#include "ingestion/ai/remote/workers_ai.hpp"

#include <algorithm>
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

[[noreturn]] void ill_shaped(const std::string& model, const std::string& why,
                             const json::value& answer) {
    throw std::runtime_error(
        fmt::format("{}: {}: {}", model, why, base::truncate(json::serialize(answer), 200)));
}

Label label_in(const std::string& model, const json::value& entry, const json::value& answer) {
    const auto* object = entry.if_object();
    const auto* label = object ? object->if_contains("label") : nullptr;
    const auto* score = object ? object->if_contains("score") : nullptr;
    if (!label || !label->is_string() || !score || !score->is_number())
        ill_shaped(model, "an entry is not {label, score}", answer);
    return {std::string(label->get_string()), score->to_number<double>(), std::nullopt};
}

}  // namespace

WorkersAiClassifier::WorkersAiClassifier(WorkersAiOptions options, http::Client& client,
                                         const env::Clock& clock)
    : options_(std::move(options)), endpoint_({.base_url = options_.base_url,
                                               .api_key = options_.api_token,
                                               .time_max = options_.time_max},
                                              client, clock) {
    const auto is_plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '-' || c == '_';
    };
    if (options_.account_id.empty() || !std::ranges::all_of(options_.account_id, is_plain))
        throw Error(ErrorCode::InvalidArgument,
                    "Workers AI: the account id has letters, digits, `-` and `_` only");
    if (options_.api_token.empty())
        throw Error(ErrorCode::InvalidArgument, "Workers AI: an API token is needed");
}

Classification WorkersAiClassifier::classify(std::string_view image, int top,
                                             std::stop_token stop) {
    if (image.size() > options_.image_bytes_max)
        throw NonRetryable(fmt::format("{}: the picture has {} bytes, more than {}, the limit",
                                       options_.model, image.size(), options_.image_bytes_max));
    const auto path = fmt::format("/accounts/{}/ai/run/{}", options_.account_id, options_.model);
    const auto answer = endpoint_.post(
        path, "application/octet-stream", std::string(image), options_.model, stop,
        [&](const json::value& told) { Spending::add(openai_cost(told, {}, options_.model)); },
        {"classify", options_.model});

    const auto* object = answer.if_object();
    const auto* result = object ? object->if_contains("result") : nullptr;
    const auto* success = object ? object->if_contains("success") : nullptr;
    if (success != nullptr && success->is_bool() && !success->get_bool())
        ill_shaped(options_.model, "the answer says that it failed", answer);
    if (result == nullptr || !result->is_array())
        ill_shaped(options_.model, "the answer has no array `result`", answer);
    Classification classification{options_.model, {}};
    for (const auto& entry : result->get_array())
        classification.labels.push_back(label_in(options_.model, entry, answer));
    return validated(std::move(classification), top);
}

}  // namespace belay::ai::remote
