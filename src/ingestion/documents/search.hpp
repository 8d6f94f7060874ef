// search.hpp — documents by what a query says and by what it means, in one ranked list.
//
// Words are looked up in the store's full-text index, meaning by an exact scan of the vectors, which this keeps in
// memory and brings up to date before each search by reading only what changed. Vectors of another model than the
// query's are never looked at.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <stop_token>
#include <string>
#include <vector>

#include <boost/describe.hpp>

#include "ingestion/ai/embed/embedder.hpp"
#include "ingestion/documents/document.hpp"
#include "ingestion/search/vector_scan.hpp"

namespace belay::documents {

struct SearchHit {
    std::string document_id{};
    std::string url{};
    std::string title{};
    std::string snippet{};  // where the words stand, in **…**; else how the document begins
    std::optional<std::string> content_type{};
    std::string date{};
    double score = 0;  // of the place in the list: comparable within one answer only
    std::optional<double>
        similarity{};        // of meaning, up to 1; nothing if it was found by its words only
    bool has_words = false;  // the query's words stand in it
};
BOOST_DESCRIBE_STRUCT(SearchHit, (),
                      (document_id, url, title, snippet, content_type, date, score, similarity,
                       has_words))

struct SearchAnswer {
    std::vector<SearchHit> results{};
    std::string model{};                   // whose vectors were compared
    std::optional<std::string> warning{};  // only words were looked for, and why
};

struct SearchOptions {
    int limit = 20;  // 1 to 200
    double similarity_min = 0.3;
    std::string content_type{};  // empty: all
};

inline constexpr int kSearchLimitMax = 200;
inline constexpr std::size_t kQueryBytesMax = 2'000;

// All functions may be called from any thread.
class SearchIndex {
public:
    // `embedder` outlives it, and so does what `read` refers to.
    SearchIndex(Read read, ai::embed::Embedder& embedder)
        : read_(std::move(read)), embedder_(embedder) {}

    // Best first. Throws Error{InvalidArgument} for a query that is empty or too long, and what the store throws.
    SearchAnswer search(const std::string& organization_id, const std::string& query,
                        const SearchOptions& options, std::stop_token stop = {});

    // How many vectors are in memory.
    std::size_t size();

private:
    struct ByMeaning {
        std::vector<search::Hit> hits{};
        std::optional<std::string> warning{};
    };

    ByMeaning by_meaning(const std::string& organization_id, const std::string& query,
                         std::size_t count, double similarity_min, std::stop_token stop);
    void catch_up(const std::string& model, std::size_t dimension);

    Read read_;
    ai::embed::Embedder& embedder_;
    std::mutex catching_up_;
    std::shared_mutex mutex_;
    std::string model_{};
    std::size_t dimension_ = 0;
    std::int64_t last_change_ = 0;
    std::map<std::string, search::VectorTable> tables_;  // by organization
};

}  // namespace belay::documents
