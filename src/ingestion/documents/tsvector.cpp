#include "ingestion/documents/tsvector.hpp"

#include <fmt/format.h>

namespace belay::documents::tsvector {

namespace {

// A word that stands in so many documents says little by standing somewhere in a text: it counts where it stands in the
// title or the description.
constexpr std::size_t kUsualMax = 8'000;
// Of so many times as many as are wanted, the best are found by how often the words stand in them.
constexpr std::size_t kRankedTimes = 2;
// Headlines of a text are made near its first word, so that a long one costs no more than a short one.
constexpr int kNearBefore = 300;
constexpr int kNear = 3'000;
// Where no word stands as it is written in the index (stems, accents), this much of the text is read.
constexpr int kRead = 20'000;

std::string words_of(const TextQuery& query) {
    std::string text;
    for (const std::string& word : query.words) text += (text.empty() ? "" : " ") + word;
    return text;
}

// The words of ?1 as document_texts keeps them, but for their stems: without accents.
#define BELAY_PLAIN_WORDS "regexp_replace(normalize(?1, NFKD), '[\\u0300-\\u036f]+', '', 'g')"

}  // namespace

// ?1 the words, ?2 the organization, ?3 in how many documents a word stands that says nothing, ?4 how many are wanted,
// ?5 how many of them are ranked.
//
// Whoever asks an index with LIMIT reads no tsvector, and hardly more rows than that.
std::vector<std::uint64_t> find_words(const Read& read, const std::string& organization_id,
                                      const TextQuery& query, std::size_t count) {
    const SqlRows rows = read(
        "WITH asked AS MATERIALIZED ("
        "    SELECT DISTINCT q FROM (SELECT plainto_tsquery('english', plain) AS q"
        "        FROM unnest(string_to_array(" BELAY_PLAIN_WORDS
        ", ' ')) AS plain) AS each"
        "    WHERE numnode(q) > 0"  // not a word that the index leaves out
        "), word AS MATERIALIZED ("
        "    SELECT q,"
        "        ARRAY(SELECT rowid FROM document_texts"
        "              WHERE words @@ q AND organization_id = ?2 LIMIT ?3) AS anywhere,"
        "        ARRAY(SELECT rowid FROM document_texts"
        "              WHERE head @@ q AND organization_id = ?2 LIMIT ?3) AS in_head,"
        "        (SELECT greatest(reltuples, 1) FROM pg_class"
        "         WHERE oid = 'document_texts'::regclass) AS documents"
        "    FROM asked"
        "), place AS ("
        "    SELECT unnest(anywhere) AS rowid, 1 AS words,"
        "        ln(1 + documents / cardinality(anywhere)) AS worth"
        "    FROM word WHERE cardinality(anywhere) > 0 AND cardinality(anywhere) < ?3"
        "    UNION ALL"
        "    SELECT unnest(in_head), 0, 4 * ln(1 + documents / cardinality(in_head))"
        "    FROM word WHERE cardinality(in_head) > 0 AND cardinality(in_head) < ?3"
        "), candidate AS MATERIALIZED ("
        "    SELECT rowid, sum(worth) AS worth,"
        "        sum(words) = (SELECT count(*) FROM word WHERE cardinality(anywhere) < ?3)"
        "            AS has_all"
        "    FROM place GROUP BY rowid"
        "    ORDER BY has_all DESC, worth DESC, rowid LIMIT ?5"
        ") "
        "SELECT candidate.rowid FROM candidate JOIN document_texts USING (rowid) "
        "ORDER BY has_all DESC,"
        "    (SELECT sum(ln(1 + documents / greatest(cardinality(anywhere), 1)) *"
        "                ts_rank('{0.125, 0.125, 0.375, 1}', document_texts.words, q, 1))"
        "     FROM word) DESC, rowid "
        "LIMIT ?4",
        words_of(query), organization_id, kUsualMax, count, kRankedTimes * count);
    std::vector<std::uint64_t> ids;
    for (const SqlRow row : rows) ids.push_back(row.get<std::uint64_t>(0));
    return ids;
}

std::map<std::uint64_t, std::string> snippets_of(const Read& read, const TextQuery& query,
                                                 const std::vector<std::uint64_t>& ids) {
    std::string list;
    for (const std::uint64_t id : ids) list += fmt::format("{}{}", list.empty() ? "" : ",", id);
    const SqlRows rows =
        read(fmt::format(
                 "WITH asked AS MATERIALIZED ("
                 "    SELECT websearch_to_tsquery('english', replace(" BELAY_PLAIN_WORDS
                 ", ' ', ' or ')) AS any_word,"
                 "        tsvector_to_array(to_tsvector('english', " BELAY_PLAIN_WORDS ")) AS stems"
                 ") "
                 "SELECT rowid, ts_headline('english',"
                 "    CASE WHEN first IS NULL THEN left(body, {})"
                 "         ELSE substr(body, greatest(first - {}, 1), {}) END, any_word,"
                 "    'StartSel=**, StopSel=**, MaxFragments=1, MaxWords=24, MinWords=12,"
                 " FragmentDelimiter=…') "
                 "FROM document_texts CROSS JOIN asked CROSS JOIN LATERAL ("
                 "    SELECT min(nullif(strpos(lower(left(body, 200000)), stem), 0)) AS first"
                 "    FROM unnest(stems) AS stem) AS place "
                 "WHERE rowid IN ({}) AND words @@ any_word",
                 kRead, kNearBefore, kNear, list),
             words_of(query));
    std::map<std::uint64_t, std::string> snippets;
    for (const SqlRow row : rows) snippets[row.get<std::uint64_t>(0)] = row.get<std::string>(1);
    return snippets;
}

}  // namespace belay::documents::tsvector
