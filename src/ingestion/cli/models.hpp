// models.hpp — which models answer, by the environment: for web documents local ones unless an address is configured.
//
//   BELAY_EMBED_URL, BELAY_EMBED_MODEL, BELAY_EMBED_KEY          any server that speaks OpenAI's embeddings
//   BELAY_EMBED_PRICE, BELAY_EXTRACT_PRICE                       "0.15/0.60 USD": for a million tokens in and out
//   BELAY_EXTRACT_URL, BELAY_EXTRACT_MODEL, BELAY_EXTRACT_KEY    … and chat with a schema
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "core/env/clock.hpp"
#include "ingestion/ai/embed/embedder.hpp"
#include "ingestion/ai/extractor.hpp"
#include "ingestion/ai/extractor_chain.hpp"
#include "ingestion/ai/price.hpp"
#include "ingestion/workflows/web_document/facts_reader.hpp"
#include "service/cli/place.hpp"
#include "service/http/client.hpp"

namespace belay::cli {

// The local model, loaded when it is first needed. Without its file everything but embedding works, and embedding
// says what to do.
class LocalWords final : public ai::embed::Embedder {
public:
    std::vector<ai::embed::Vector> embed(std::span<const std::string> texts,
                                         std::stop_token stop = {}) override;
    std::string model() const override;
    std::size_t dimension() const override;

private:
    ai::embed::Embedder& loaded() const;

    mutable std::mutex mutex_;
    mutable std::unique_ptr<ai::embed::Embedder> embedder_;
};

// "0.15/0.60 USD" or "0.02 USD": for a million tokens in and out. Throws Error{InvalidArgument} naming the variable.
// BELAY_MODEL_RETRY ("2m"): for how long a model that does not answer is asked again. Throws Error{InvalidArgument}.
Duration model_patience(const Environment& environment);

ai::Price price_of(const std::string& variable, const std::string& text);

// A model of a chain, and where it is asked.
struct NamedModel {
    std::string model{};
    std::string url{};
    std::string key{};
    ai::Prices prices{};
};

// "gpt-x, qwen@2": the models that a variable names, in the order in which they are asked. One is at the server of
// PREFIX_URL, with PREFIX_KEY and PREFIX_PRICE; `@2` and `@3` are other servers, of PREFIX_URL_2 and so on. Throws
// Error{InvalidArgument} naming the variable for a server that is not there and a price that is none.
std::vector<NamedModel> named_models(const Environment& environment, const std::string& prefix,
                                     const std::string& variable);
// Of at least one. `client` and `clock` outlive it.
std::unique_ptr<ai::ExtractorChain> make_chain(const std::vector<NamedModel>& models,
                                               http::Client& client, const env::Clock& clock);

// Both throw Error{InvalidArgument} naming the variable that cannot be. `client` and `clock` outlive what they make.
std::unique_ptr<ai::embed::Embedder> make_embedder(const Environment& environment,
                                                   http::Client& client, const env::Clock& clock);

// Null: by rules.
std::unique_ptr<ai::Extractor> make_extractor(const Environment& environment, http::Client& client,
                                              const env::Clock& clock);

}  // namespace belay::cli
