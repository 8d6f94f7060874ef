#include "ingestion/documents/text_search.hpp"

#include "ingestion/documents/fts5.hpp"
#include "ingestion/documents/tsvector.hpp"

namespace belay::documents {

namespace {

bool is_postgres(const Read& read) {
    return read("SELECT /*sqlite*/ 0 /*end*/ /*postgres 1 */")[0].get<int>(0) == 1;
}

}  // namespace

std::vector<std::uint64_t> find_words(const Read& read, const std::string& organization_id,
                                      const TextQuery& query, std::size_t count) {
    return is_postgres(read) ? tsvector::find_words(read, organization_id, query, count)
                             : fts5::find_words(read, organization_id, query, count);
}

std::map<std::uint64_t, std::string> snippets_of(const Read& read, const TextQuery& query,
                                                 const std::vector<std::uint64_t>& ids) {
    if (ids.empty()) return {};
    return is_postgres(read) ? tsvector::snippets_of(read, query, ids)
                             : fts5::snippets_of(read, query, ids);
}

}  // namespace belay::documents
