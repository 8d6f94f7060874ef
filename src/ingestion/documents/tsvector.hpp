// tsvector.hpp — the words of a query in PostgreSQL's full-text index: BM25 in two looks.
//
// What is costly is a document's tsvector, which is read and unpacked to be ranked: 10 µs for each, and a usual word stands
// in thousands. So the first look asks only the indexes where each word stands, and adds up how rare the words are that a
// document has; the second ranks the best of those, by how often and in which column.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ingestion/documents/document.hpp"
#include "ingestion/documents/text_query.hpp"

namespace belay::documents::tsvector {

// text_search.hpp says what they do.
std::vector<std::uint64_t> find_words(const Read& read, const std::string& organization_id,
                                      const TextQuery& query, std::size_t count);
std::map<std::uint64_t, std::string> snippets_of(const Read& read, const TextQuery& query,
                                                 const std::vector<std::uint64_t>& ids);

}  // namespace belay::documents::tsvector
