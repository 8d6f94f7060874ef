// content_type.hpp — which of the twelve kinds a document is.
#pragma once

#include <string>

#include "ingestion/ai/metadata/facts.hpp"
#include "ingestion/ai/metadata/outline.hpp"

namespace belay::ai::metadata {

struct TypeGuess {
    std::string type = "other";
    double confidence = 0;
};

// Points for what the address, the headings and the text show; the kind with the most wins if it has
// enough, else "other".
TypeGuess guess_type(const Document& document, const Outline& outline);

bool has_steps(const Outline& outline);
bool is_narrative(const Outline& outline);

}  // namespace belay::ai::metadata
