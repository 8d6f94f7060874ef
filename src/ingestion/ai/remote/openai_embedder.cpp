#include "ingestion/ai/remote/openai_embedder.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>
#include <boost/json.hpp>

#include <belay/error.hpp>

#include "core/base/utf8.hpp"
#include "ingestion/ai/remote/openai_answer.hpp"

namespace belay::ai::remote {
namespace {

namespace json = boost::json;

constexpr std::size_t kDimensionMax = 65'536;

[[noreturn]] void ill_shaped(const std::string& model, const std::string& why) {
    throw std::runtime_error(fmt::format("embeddings with {}: {}", model, why));
}

embed::Vector vector_in(const json::value& numbers, const std::string& model) {
    if (!numbers.is_array() || numbers.get_array().empty() ||
        numbers.get_array().size() > kDimensionMax)
        ill_shaped(model, "a vector is not an array of numbers");
    embed::Vector vector;
    vector.reserve(numbers.get_array().size());
    double square = 0;
    for (const auto& number : numbers.get_array()) {
        if (!number.is_number()) ill_shaped(model, "a vector is not an array of numbers");
        const auto value = number.to_number<double>();
        vector.push_back(static_cast<float>(value));
        square += value * value;
    }
    if (!std::isfinite(square) || square < 1e-20) ill_shaped(model, "a vector has no direction");
    const auto scale = static_cast<float>(1 / std::sqrt(square));
    for (auto& value : vector) value *= scale;
    return vector;
}

}  // namespace

OpenAiEmbedder::OpenAiEmbedder(OpenAiEmbedderOptions options, http::Client& client,
                               const env::Clock& clock)
    : options_(std::move(options)), endpoint_(options_.endpoint, client, clock),
      dimension_(options_.dimension) {
    if (options_.model.empty())
        throw Error(ErrorCode::InvalidArgument, "embeddings: a model is needed");
    options_.texts_per_call = std::clamp<std::size_t>(options_.texts_per_call, 1, embed::kTextsMax);
}

std::vector<embed::Vector> OpenAiEmbedder::embed(std::span<const std::string> texts,
                                                 std::stop_token stop) {
    if (texts.size() > embed::kTextsMax)
        throw NonRetryable(fmt::format("embeddings with {}: {} texts are more than {}",
                                       options_.model, texts.size(), embed::kTextsMax));
    std::vector<embed::Vector> vectors;
    vectors.reserve(texts.size());
    for (std::size_t at = 0; at < texts.size(); at += options_.texts_per_call)
        embed_some(texts.subspan(at, std::min(options_.texts_per_call, texts.size() - at)), vectors,
                   stop);
    return vectors;
}

void OpenAiEmbedder::embed_some(std::span<const std::string> texts,
                                std::vector<embed::Vector>& into, const std::stop_token& stop) {
    json::array input;
    for (const auto& text : texts) {
        auto cut = base::to_valid_utf8(std::string_view{text}.substr(0, embed::kTextBytesMax));
        if (cut.find_first_not_of(" \t\r\n") == std::string::npos)
            throw NonRetryable(fmt::format("embeddings with {}: a text is empty", options_.model));
        input.emplace_back(std::move(cut));
    }
    json::object body{
        {"model", options_.model}, {"input", std::move(input)}, {"encoding_format", "float"}};
    if (options_.asks_dimension && options_.dimension > 0) body["dimensions"] = options_.dimension;
    const auto answer =
        endpoint_.post("/embeddings", "application/json", json::serialize(body),
                       "embeddings with " + options_.model, stop,
                       [&](const json::value& told) {
                           if (options_.on_cost)
                               options_.on_cost(openai_cost(told, options_.prices, options_.model));
                       },
                       {"embeddings", options_.model});

    const auto* data = answer.is_object() ? answer.get_object().if_contains("data") : nullptr;
    if (data == nullptr || !data->is_array())
        ill_shaped(options_.model, "the answer has no array `data`");
    if (data->get_array().size() != texts.size())
        ill_shaped(options_.model, fmt::format("{} vectors came for {} texts",
                                               data->get_array().size(), texts.size()));
    std::vector<embed::Vector> vectors(texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const auto* entry = data->get_array()[i].if_object();
        const auto* numbers = entry ? entry->if_contains("embedding") : nullptr;
        const auto* index = entry ? entry->if_contains("index") : nullptr;
        if (numbers == nullptr) ill_shaped(options_.model, "an entry has no `embedding`");
        const auto at =
            index && index->is_int64() ? static_cast<std::size_t>(index->get_int64()) : i;
        if (at >= vectors.size() || !vectors[at].empty())
            ill_shaped(options_.model, "an `index` is wrong");
        vectors[at] = vector_in(*numbers, options_.model);
        std::size_t expected = 0;
        const auto size = vectors[at].size();
        if (!dimension_.compare_exchange_strong(expected, size) && expected != size)
            ill_shaped(options_.model,
                       fmt::format("a vector has {} numbers, not {}", size, expected));
    }
    std::ranges::move(vectors, std::back_inserter(into));
}

}  // namespace belay::ai::remote
