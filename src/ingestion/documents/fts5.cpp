#include "ingestion/documents/fts5.hpp"

#include <algorithm>
#include <optional>

namespace belay::documents::fts5 {

namespace {

// Fewer documents than this have all the words: those with some of them are looked for too.
constexpr std::size_t kEnough = 20;
// Ranking costs 2 µs a document that matches. Words that stand in more documents than this say little by standing
// somewhere in a text: then only those count that have them in the title or the description.
constexpr std::size_t kRankedMax = 8'000;

bool is_rankable(const Read& read, const std::string& match) {
    const SqlRows rows = read(
        "SELECT count(*) FROM (SELECT rowid FROM document_texts WHERE document_texts MATCH ? LIMIT "
        "?)",
        match, kRankedMax + 1);
    return rows[0].get<std::size_t>(0) <= kRankedMax;
}

// The narrowest of "anywhere", "title or description" and "title" that few enough documents match; nothing if even
// their titles are alike.
std::optional<std::string> rankable(const Read& read, const std::string& words) {
    for (const char* where : {"", "{title description} : ", "{title} : "}) {
        const std::string match = std::string(where) + '(' + words + ')';
        if (is_rankable(read, match)) return match;
    }
    return std::nullopt;
}

std::vector<std::uint64_t> ranked(const Read& read, const std::string& organization_id,
                                  const std::string& words, std::size_t count) {
    const auto match = rankable(read, words);
    if (!match) return {};
    const SqlRows rows = read(
        "SELECT document_texts.rowid FROM document_texts JOIN documents d "
        "ON d.seq = document_texts.rowid WHERE document_texts MATCH ? AND d.organization_id = ? "
        "ORDER BY bm25(document_texts, 8.0, 3.0, 1.0) LIMIT ?",
        *match, organization_id, count);
    std::vector<std::uint64_t> ids;
    for (const SqlRow row : rows) ids.push_back(row.get<std::uint64_t>(0));
    return ids;
}

}  // namespace

std::vector<std::uint64_t> find_words(const Read& read, const std::string& organization_id,
                                      const TextQuery& query, std::size_t count) {
    std::vector<std::uint64_t> ids = ranked(read, organization_id, query.all(), count);
    if (ids.size() >= std::min(kEnough, count) || query.words.size() == 1) return ids;
    for (const std::uint64_t id : ranked(read, organization_id, query.any(), count)) {
        if (std::ranges::find(ids, id) == ids.end()) ids.push_back(id);
    }
    return ids;
}

std::map<std::uint64_t, std::string> snippets_of(const Read& read, const TextQuery& query,
                                                 const std::vector<std::uint64_t>& ids) {
    const std::string match = query.any();
    std::map<std::uint64_t, std::string> snippets;
    for (const std::uint64_t id : ids) {
        const SqlRows rows = read(
            "SELECT snippet(document_texts, 2, '**', '**', '…', 24) FROM document_texts "
            "WHERE document_texts MATCH ? AND rowid = ?",
            match, id);
        if (!rows.empty()) snippets[id] = rows[0].get<std::string>(0);
    }
    return snippets;
}

}  // namespace belay::documents::fts5
