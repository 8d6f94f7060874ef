// text_query.hpp — what somebody typed, as words that a full-text index can be asked for; pure, and fuzzed.
#pragma once

#include <string>
#include <vector>

namespace belay::documents {

// The words of a query, in small letters, each once; none if there is no word. Words that say nothing ("the", "och",
// "der") are left out while others remain.
struct TextQuery {
    std::vector<std::string> words{};

    // As FTS5 takes them: every one must stand in a document, or any one.
    std::string all() const;
    std::string any() const;
};
TextQuery text_query(const std::string& query);

}  // namespace belay::documents
