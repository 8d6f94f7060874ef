#include "documents/text_search.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace belay::documents {

namespace {

// Fewer documents than this have all the words: those with some of them are looked for too.
constexpr std::size_t kEnough = 20;
// Ranking costs 2 µs a document that matches. Words that stand in more documents than this say little by standing
// somewhere in a text: then only those count that have them in the title or the description.
constexpr std::size_t kRankedMax = 8'000;

// Words, and the columns that they have to stand in as FTS5 says it.
struct Match {
    std::string words;
    std::string where;
};

// The words of ?1 as PostgreSQL looks for them: as document_texts keeps them. websearch_to_tsquery reads "a" OR "b" as
// FTS5 does; the AND between words is a word to it that says nothing, and all words are wanted anyway.
#define BELAY_TSQUERY                                                                            \
    "websearch_to_tsquery('english', regexp_replace(normalize(?1, NFKD), '[\\u0300-\\u036f]+', " \
    "'', 'g'))"

// Whether a row has the words of ?1 in the columns of ?2.
constexpr const char* kMatches =
    "/*sqlite*/ document_texts MATCH ?2 || '(' || ?1 || ')' /*end*/"
    "/*postgres words @@ " BELAY_TSQUERY
    " AND CASE ?2::text WHEN '' THEN true WHEN '{title} : ' "
    "THEN ts_filter(words, '{a}') @@ " BELAY_TSQUERY
    " ELSE ts_filter(words, '{a,b}') @@ " BELAY_TSQUERY " END */";

// The best first.
constexpr const char* kRank =
    "/*sqlite*/ bm25(document_texts, 8.0, 3.0, 1.0) /*end*/"
    "/*postgres ts_rank_cd('{0.125, 0.125, 0.375, 1}', words, " BELAY_TSQUERY ", 1) DESC, d.seq */";

bool is_rankable(const Read& read, const Match& match) {
    const SqlRows rows = read(
        fmt::format(
            "SELECT count(*) FROM (SELECT rowid FROM document_texts WHERE {} LIMIT ?3) AS hits",
            kMatches),
        match.words, match.where, kRankedMax + 1);
    return rows[0].get<std::size_t>(0) <= kRankedMax;
}

// The narrowest of "anywhere", "title or description" and "title" that few enough documents match; nothing if even
// their titles are alike.
std::optional<Match> rankable(const Read& read, const std::string& words) {
    for (const char* where : {"", "{title description} : ", "{title} : "}) {
        if (is_rankable(read, {words, where})) return Match{words, where};
    }
    return std::nullopt;
}

std::vector<std::uint64_t> ranked(const Read& read, const std::string& organization_id,
                                  const std::string& words, std::size_t count) {
    const auto match = rankable(read, words);
    if (!match) return {};
    const SqlRows rows =
        read(fmt::format("SELECT document_texts.rowid FROM document_texts JOIN documents d "
                         "ON d.seq = document_texts.rowid WHERE {} AND d.organization_id = ?3 "
                         "ORDER BY {} LIMIT ?4",
                         kMatches, kRank),
             match->words, match->where, organization_id, count);
    std::vector<std::uint64_t> ids;
    for (const SqlRow row : rows) ids.push_back(row.get<std::uint64_t>(0));
    return ids;
}

}  // namespace

TextHits find_words(const Read& read, const std::string& organization_id, const TextQuery& words,
                    std::size_t count) {
    TextHits hits{ranked(read, organization_id, words.all, count), words.any};
    if (hits.ids.size() >= std::min(kEnough, count) || words.all == words.any) return hits;
    for (const std::uint64_t id : ranked(read, organization_id, words.any, count)) {
        if (std::ranges::find(hits.ids, id) == hits.ids.end()) hits.ids.push_back(id);
    }
    return hits;
}

std::map<std::uint64_t, std::string> snippets_of(const Read& read, const std::string& match,
                                                 const std::vector<std::uint64_t>& ids) {
    std::map<std::uint64_t, std::string> snippets;
    for (const std::uint64_t id : ids) {
        const SqlRows rows = read(
            "SELECT /*sqlite*/ snippet(document_texts, 2, '**', '**', '…', 24) /*end*/"
            "/*postgres ts_headline('english', left(body, 200000), " BELAY_TSQUERY
            ", "
            "'StartSel=**, StopSel=**, MaxFragments=1, MaxWords=24, MinWords=12, "
            "FragmentDelimiter=…') */ "
            "FROM document_texts WHERE /*sqlite*/ document_texts MATCH ?1 /*end*/"
            "/*postgres words @@ " BELAY_TSQUERY " */ AND rowid = ?2",
            match, id);
        if (!rows.empty()) snippets[id] = rows[0].get<std::string>(0);
    }
    return snippets;
}

}  // namespace belay::documents
