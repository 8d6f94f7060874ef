// topics.hpp — the phrases that a text comes back to.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ingestion/ai/metadata/outline.hpp"

namespace belay::ai::metadata {

// Phrases of one to three words between stop words, weighted by how often they come, how long they are
// and whether title or headings have them; in lower case, none part of a better one.
std::vector<std::string> find_topics(std::string_view title, const Outline& outline,
                                     std::size_t count);

// Words without a subject in English, Swedish, German, French and Spanish ("the", "och", "und", …).
bool is_stop_word(std::string_view lower_case_word);

}  // namespace belay::ai::metadata
