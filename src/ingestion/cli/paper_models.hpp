// paper_models.hpp — which model answers which task on paper, by the environment; none: the rules do.
//
// BELAY_MODEL_URL names an OpenAI-compatible server, BELAY_MODEL_KEY its key, BELAY_MODEL_PRICE what a million
// tokens cost ("0.15/0.60 USD"), and BELAY_MODEL_RECEIPT, _INVOICE and _STATEMENT the models: one, or several in the order
// in which they are asked (models.hpp).
#pragma once

#include <memory>
#include <vector>

#include "core/env/clock.hpp"
#include "ingestion/ai/extractor_chain.hpp"
#include "ingestion/workflows/paper/analyst.hpp"
#include "service/cli/place.hpp"
#include "service/http/client.hpp"

namespace belay::cli {

class PaperModels {
public:
    // Throws Error{InvalidArgument} for a model without a server, and for an address that is none. `clock` outlives it.
    PaperModels(const Environment& environment, const env::Clock& clock);

    const workflows::Analyst::Models& models() const { return models_; }

private:
    std::unique_ptr<http::Client> client_;
    std::vector<std::unique_ptr<ai::ExtractorChain>> extractors_;
    workflows::Analyst::Models models_;
};

// Each task and the models that are asked for it, for people: "receipt: gpt-x at http://…, then the rules".
std::vector<std::string> told_chains(const Environment& environment);

// A name's value in this process's environment.
std::optional<std::string> process_environment(const std::string& name);

}  // namespace belay::cli
