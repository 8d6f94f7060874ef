// extractor_chain.hpp — several models for one task: the next is asked when the one before gives no answer to take.
//
// No answer is a refusal, a time-out, an error, a broken or ill-shaped answer, and one that the task itself refuses
// (Task::refuses). Who answered is in the extraction, with why the others did not and what they cost all the same.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ingestion/ai/extractor.hpp"

namespace belay::ai {

class ExtractorChain final : public Extractor {
public:
    struct Link {
        std::string provider{};  // what its server is called in the history
        std::unique_ptr<Extractor> extractor{};
    };
    // At least one.
    explicit ExtractorChain(std::vector<Link> links);

    // When none answers: throws what may pass if any of them may be asked again, with the reason of each.
    Extraction extract(const Task& task, const std::string& text,
                       std::stop_token stop = {}) override;

    // "gpt-x, then qwen"
    std::string model() const override;

    // If all of them are asked.
    Cost costs_at_most() const override;

private:
    Extraction ask_in_turn(const Task& task, const std::string& text, const std::stop_token& stop);

    std::vector<Link> links_;
};

}  // namespace belay::ai
