// openai_embedder.hpp — embeddings from any server that speaks OpenAI's protocol.
#pragma once

#include <atomic>
#include <functional>

#include "ingestion/ai/embed/embedder.hpp"
#include "ingestion/ai/price.hpp"
#include "ingestion/ai/remote/endpoint.hpp"

namespace belay::ai::remote {

struct OpenAiEmbedderOptions {
    EndpointOptions endpoint;
    std::string model;
    std::size_t dimension = 0;  // what vectors must have; 0: what the first answer has
    // Also tells the server: text-embedding-3 can shorten its vectors.
    bool asks_dimension = false;
    std::size_t texts_per_call = 128;
    Prices prices{};

    // Told what each call cost, on the caller's thread, before embed() returns or throws.
    std::function<void(const Cost&)> on_cost{};
};

class OpenAiEmbedder final : public embed::Embedder {
public:
    // Throws Error{InvalidArgument} naming the option that cannot be. `client` and `clock` outlive this.
    OpenAiEmbedder(OpenAiEmbedderOptions options, http::Client& client, const env::Clock& clock);

    std::vector<embed::Vector> embed(std::span<const std::string> texts,
                                     std::stop_token stop = {}) override;
    std::string model() const override { return options_.model; }

    Cost costs_at_most(std::size_t text_bytes) const override {
        return priced(options_.prices, options_.model, static_cast<std::int64_t>(text_bytes), 0);
    }

    // 0 until the first answer, if none was configured.
    std::size_t dimension() const override { return dimension_; }

private:
    void embed_some(std::span<const std::string> texts, std::vector<embed::Vector>& into,
                    const std::stop_token& stop);

    OpenAiEmbedderOptions options_;
    Endpoint endpoint_;
    std::atomic<std::size_t> dimension_;
};

}  // namespace belay::ai::remote
