#include "ingestion/documents/search.hpp"

#include <algorithm>
#include <future>
#include <set>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "ingestion/documents/text_search.hpp"
#include "ingestion/documents/writes.hpp"
#include "ingestion/search/rank_fusion.hpp"

namespace belay::documents {

namespace {

// Of each kind, before they are fused.
constexpr std::size_t kCandidates = 100;
constexpr std::int64_t kVectorsAtOnce = 5'000;

std::vector<std::uint64_t> ids_of(const std::vector<search::Hit>& hits) {
    std::vector<std::uint64_t> ids;
    for (const search::Hit& hit : hits) ids.push_back(hit.id);
    return ids;
}

std::optional<double> similarity_of(const std::vector<search::Hit>& hits, std::uint64_t id) {
    const auto found = std::ranges::find(hits, id, &search::Hit::id);
    if (found == hits.end()) return std::nullopt;
    return static_cast<double>(found->score);
}

// The rows of the hits that are there, this organization's, and of the kind wanted.
struct Row {
    SearchHit hit{};
    std::string excerpt{};
};
std::map<std::uint64_t, Row> rows_of(const Read& read, const std::string& organization_id,
                                     const std::vector<search::Fused>& fused,
                                     const std::string& content_type) {
    std::string list;
    for (const search::Fused& one : fused)
        list += fmt::format("{}{}", list.empty() ? "" : ",", one.id);
    std::map<std::uint64_t, Row> rows;
    if (list.empty()) return rows;
    const SqlRows found = read(
        fmt::format("SELECT seq, id, source_url, title, content_type, published_date, excerpt, "
                    "description FROM documents WHERE seq IN ({}) AND organization_id = ? AND "
                    "content_hash IS NOT NULL AND (? = '' OR content_type = ?)",
                    list),
        organization_id, content_type, content_type);
    for (const SqlRow row : found) {
        Row& one = rows[row.get<std::uint64_t>(0)];
        one.hit.document_id = row.get<std::string>(1);
        one.hit.url = row.get<std::string>(2);
        one.hit.title = row.get<std::string>(3);
        one.hit.content_type = row.get<std::optional<std::string>>(4);
        one.hit.date = row.get<std::string>(5);
        const std::string description = row.get<std::string>(7);
        one.excerpt = description.empty() ? row.get<std::string>(6) : description;
    }
    return rows;
}

}  // namespace

SearchAnswer SearchIndex::search(const std::string& organization_id, const std::string& query,
                                 const SearchOptions& options, std::stop_token stop) {
    if (query.size() > kQueryBytesMax)
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("a query has at most {} bytes", kQueryBytesMax));
    const TextQuery words = text_query(query);
    if (words.words.empty())
        throw Error(ErrorCode::InvalidArgument, "the query has no word to look for");
    const auto limit = static_cast<std::size_t>(std::clamp(options.limit, 1, kSearchLimitMax));
    const std::size_t candidates = std::max(kCandidates, 2 * limit);

    // Beside each other: the one waits for a model and reads vectors, the other reads the index of words.
    auto compared = std::async(std::launch::async, [&] {
        return by_meaning(organization_id, query, candidates, options.similarity_min, stop);
    });
    const std::vector<std::uint64_t> with_words =
        find_words(read_, organization_id, words, candidates);
    const ByMeaning meaning = compared.get();
    const std::vector<search::RankedList> lists{{with_words, 1.0}, {ids_of(meaning.hits), 1.0}};
    const auto fused = search::fuse(lists, candidates);
    auto rows = rows_of(read_, organization_id, fused, options.content_type);

    SearchAnswer answer;
    answer.model = embedder_.model();
    answer.warning = meaning.warning;
    std::vector<std::uint64_t> shown;
    for (const search::Fused& one : fused) {
        const auto found = rows.find(one.id);
        if (found == rows.end() || shown.size() == limit) continue;
        SearchHit& hit = found->second.hit;
        hit.score = one.score;
        hit.similarity = similarity_of(meaning.hits, one.id);
        hit.has_words = std::ranges::find(with_words, one.id) != with_words.end();
        shown.push_back(one.id);
    }
    const auto snippets = snippets_of(read_, words, shown);
    for (const std::uint64_t id : shown) {
        Row& row = rows.at(id);
        const auto snippet = snippets.find(id);
        row.hit.snippet = snippet == snippets.end() ? row.excerpt : snippet->second;
        answer.results.push_back(std::move(row.hit));
    }
    return answer;
}

SearchIndex::ByMeaning SearchIndex::by_meaning(const std::string& organization_id,
                                               const std::string& query, std::size_t count,
                                               double similarity_min, std::stop_token stop) {
    ai::embed::Vector vector;
    try {
        const std::vector<std::string> texts{query};
        auto vectors = embedder_.embed(texts, std::move(stop));
        if (vectors.size() != 1 || vectors[0].empty())
            return {{}, "meaning was not compared: the model's answer is empty"};
        vector = std::move(vectors[0]);
    } catch (const std::exception& error) {
        return {{}, fmt::format("meaning was not compared: {}", error.what())};
    }
    catch_up(embedder_.model(), vector.size());
    const std::shared_lock lock{mutex_};
    const auto table = tables_.find(organization_id);
    if (table == tables_.end() || table->second.dimension() != vector.size()) return {};
    return {table->second.nearest(vector, count, static_cast<float>(similarity_min)), std::nullopt};
}

void SearchIndex::catch_up(const std::string& model, std::size_t dimension) {
    const std::lock_guard one_at_a_time{catching_up_};
    if (model != model_ || dimension != dimension_) {
        const std::unique_lock lock{mutex_};
        tables_.clear();
        model_ = model;
        dimension_ = dimension;
        last_change_ = 0;
    }
    while (true) {
        const SqlRows rows = read_(
            "SELECT e.change, e.document_seq, e.vector, d.organization_id FROM embeddings e "
            "JOIN documents d ON d.seq = e.document_seq WHERE e.model = ? AND e.change > ? AND "
            "e.dimension = ? ORDER BY e.change LIMIT ?",
            model, last_change_, dimension, kVectorsAtOnce);
        if (rows.empty()) return;
        const std::unique_lock lock{mutex_};
        for (const SqlRow row : rows) {
            const auto vector = vector_of(row.get<Bytes>(2), static_cast<std::int64_t>(dimension));
            auto& table = tables_.try_emplace(row.get<std::string>(3), dimension).first->second;
            table.put(row.get<std::uint64_t>(1), vector);
            last_change_ = row.get<std::int64_t>(0);
        }
        if (rows.size() < static_cast<std::size_t>(kVectorsAtOnce)) return;
    }
}

std::size_t SearchIndex::size() {
    const std::shared_lock lock{mutex_};
    std::size_t size = 0;
    for (const auto& [organization, table] : tables_) size += table.size();
    return size;
}

}  // namespace belay::documents
