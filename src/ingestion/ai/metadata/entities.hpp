// entities.hpp — the names in a text: companies, technologies, products and the rest.
#pragma once

#include <string_view>
#include <vector>

#include "ingestion/ai/metadata/facts.hpp"
#include "ingestion/ai/metadata/outline.hpp"

namespace belay::ai::metadata {

// Names are words with capitals inside sentences, and known technologies however they are written. A
// name counts if it comes twice, if the title has it, or if its form says what it is ("Acme GmbH").
std::vector<Entity> find_entities(std::string_view title, const Outline& outline,
                                  std::size_t count);

}  // namespace belay::ai::metadata
