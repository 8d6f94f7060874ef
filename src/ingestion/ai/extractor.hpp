// extractor.hpp — facts from a text, in the shape that a schema asks for: one interface, local rules and
// remote models behind it.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include <boost/json/value.hpp>

#include <belay/cost.hpp>

#include "ingestion/ai/schema.hpp"

namespace belay::ai {

// What is asked. `schema` outlives the call.
struct Task {
    std::string name{};          // "receipt"; letters, digits, `_` and `-`
    std::string instructions{};  // the prompt, which lives in a file
    const Schema& schema;
    // Why an answer that passes the schema is not taken all the same; empty: it is. Asked where another model may answer
    // instead (ExtractorChain).
    std::function<std::string(const boost::json::value&)> refuses{};
};

struct Extraction {
    boost::json::value value{};  // passes the task's schema
    std::string model{};
    Cost cost{};  // tokens, and money where the price is known; of those passed over as well
    std::string provider{};                  // of a chain: whose server answered
    std::vector<std::string> passed_over{};  // of a chain: why those before it did not
};

class Extractor {
public:
    Extractor() = default;
    Extractor(const Extractor&) = delete;
    Extractor& operator=(const Extractor&) = delete;
    virtual ~Extractor() = default;

    // What `text` says, validated. Throws NonRetryable when another attempt cannot help, RetryAfter when the
    // provider said when, another std::exception otherwise: an empty, broken or ill-shaped answer is a
    // failure. Any thread; blocks.
    virtual Extraction extract(const Task& task, const std::string& text,
                               std::stop_token stop = {}) = 0;

    // The model's name as it is recorded beside its results.
    virtual std::string model() const = 0;

    // What one call costs at the most, whatever it is asked: tokens, and money where the price is known. Nothing: it is free.
    virtual Cost costs_at_most() const { return {}; }
};

}  // namespace belay::ai
