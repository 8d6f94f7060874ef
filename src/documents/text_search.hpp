// text_search.hpp — the words of a query in the store's full-text index: the one place that speaks its dialect.
//
// SQLite: FTS5, ranked by BM25 with the title worth most. PostgreSQL keeps the same three columns as a weighted
// tsvector (A, B, D); what leaves this file is row numbers and snippets, the same for both.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "documents/document.hpp"
#include "documents/text_query.hpp"

namespace belay::documents {

struct TextHits {
    std::vector<std::uint64_t> ids{};  // best first
    std::string match{};               // what found them, for their snippets
};

// Documents with all the words, and if those are few, then those with any of them.
TextHits find_words(const Read& read, const std::string& organization_id, const TextQuery& words,
                    std::size_t count);

// Where the words stand in those of the documents that have them, the words in **…**.
std::map<std::uint64_t, std::string> snippets_of(const Read& read, const std::string& match,
                                                 const std::vector<std::uint64_t>& ids);

}  // namespace belay::documents
