// facts_reader.hpp — what a document is, for extract_metadata: by written rules, or by a model that fills the same
// facts.
#pragma once

#include <stop_token>
#include <string>

#include <boost/describe.hpp>

#include "ingestion/ai/extractor.hpp"
#include "ingestion/ai/metadata/facts.hpp"

namespace belay::workflows {

struct FactsAnswer {
    ai::metadata::Facts facts{};
    std::string model{};
    Cost cost{};
};

class FactsReader {
public:
    FactsReader() = default;
    FactsReader(const FactsReader&) = delete;
    FactsReader& operator=(const FactsReader&) = delete;
    virtual ~FactsReader() = default;

    // As ai::Extractor::extract: what cannot get better is NonRetryable. Any thread; blocks.
    virtual FactsAnswer read(const ai::metadata::Document& document, std::stop_token stop) = 0;
    // Recorded beside the facts.
    virtual std::string model() const = 0;
    // As ai::Extractor::costs_at_most.
    virtual Cost costs_at_most() const { return {}; }
};

class RulesFacts final : public FactsReader {
public:
    FactsAnswer read(const ai::metadata::Document& document, std::stop_token stop) override;
    std::string model() const override { return "rules"; }
};

// Asks a model about the first 5,000 characters, with a schema.
class ModelFacts final : public FactsReader {
public:
    // `extractor` outlives this.
    explicit ModelFacts(ai::Extractor& extractor);

    FactsAnswer read(const ai::metadata::Document& document, std::stop_token stop) override;
    std::string model() const override { return extractor_.model(); }
    Cost costs_at_most() const override { return extractor_.costs_at_most(); }

private:
    ai::Extractor& extractor_;
    ai::Schema schema_;
};

}  // namespace belay::workflows
