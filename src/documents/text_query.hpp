// text_query.hpp — what somebody typed, as a question that the full-text index understands; pure, and fuzzed.
#pragma once

#include <string>

namespace belay::documents {

// The words of a query as the full-text index takes them: every one must stand in a document, or any one. Words
// that say nothing ("the", "och", "der") are left out while others remain. Both are empty if there is no word.
struct TextQuery {
    std::string all{};
    std::string any{};
};
TextQuery text_query(const std::string& query);

}  // namespace belay::documents
