// fts5.hpp — the words of a query in SQLite's full-text index, ranked by BM25 with the title worth most.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ingestion/documents/document.hpp"
#include "ingestion/documents/text_query.hpp"

namespace belay::documents::fts5 {

// text_search.hpp says what they do.
std::vector<std::uint64_t> find_words(const Read& read, const std::string& organization_id,
                                      const TextQuery& query, std::size_t count);
std::map<std::uint64_t, std::string> snippets_of(const Read& read, const TextQuery& query,
                                                 const std::vector<std::uint64_t>& ids);

}  // namespace belay::documents::fts5
