// openai_extractor.hpp — facts from a text by a chat model of any server that speaks OpenAI's protocol.
//
// The schema travels as response_format; what comes back is checked against it here all the same, because
// not every server enforces it.
#pragma once

#include <optional>

#include "ingestion/ai/extractor.hpp"
#include "ingestion/ai/price.hpp"
#include "ingestion/ai/remote/endpoint.hpp"

namespace belay::ai::remote {

struct OpenAiExtractorOptions {
    EndpointOptions endpoint;
    std::string model;
    bool strict = true;  // asks the server to enforce the schema
    std::int64_t tokens_out_max = 8192;
    std::string tokens_out_field = "max_tokens";  // newer OpenAI models want max_completion_tokens
    std::optional<double> temperature = 0.0;      // … and take none
    std::size_t text_bytes_max =
        256 * 1024;  // more is refused, not cut: a total may stand at the end
    Prices prices{};
};

class OpenAiExtractor final : public Extractor {
public:
    // Throws Error{InvalidArgument} naming the option that cannot be. `client` and `clock` outlive this.
    OpenAiExtractor(OpenAiExtractorOptions options, http::Client& client, const env::Clock& clock);

    Extraction extract(const Task& task, const std::string& text,
                       std::stop_token stop = {}) override;
    std::string model() const override { return options_.model; }
    Cost costs_at_most() const override;

private:
    std::string request_of(const Task& task, const std::string& text) const;
    // `cost` is what the answer cost, whether or not it is one.
    boost::json::value answer_to(const Task& task, const std::string& text,
                                 const std::stop_token& stop, Cost& cost);

    OpenAiExtractorOptions options_;
    Endpoint endpoint_;
};

}  // namespace belay::ai::remote
