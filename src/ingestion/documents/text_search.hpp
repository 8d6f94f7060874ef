// text_search.hpp — the words of a query in the store's full-text index.
//
// SQLite has FTS5 (fts5.hpp), PostgreSQL the same three columns as a weighted tsvector (tsvector.hpp); what leaves this
// file is row numbers and snippets, the same for both.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ingestion/documents/document.hpp"
#include "ingestion/documents/text_query.hpp"

namespace belay::documents {

// An organization's documents with all the words, and if those are few, then those with any of them: at most `count`,
// the best first.
std::vector<std::uint64_t> find_words(const Read& read, const std::string& organization_id,
                                      const TextQuery& query, std::size_t count);

// Where the words stand in those of the documents that have them, the words in **…**.
std::map<std::uint64_t, std::string> snippets_of(const Read& read, const TextQuery& query,
                                                 const std::vector<std::uint64_t>& ids);

}  // namespace belay::documents
