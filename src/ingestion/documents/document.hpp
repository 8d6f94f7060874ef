// document.hpp — a document's row: found by id, prefix or address, listed, counted.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/describe.hpp>

#include <belay/engine.hpp>
#include <belay/sql.hpp>
#include <belay/time.hpp>

namespace belay::documents {

// Reads the tables: on an engine, or on a store that another process executes on.
class Read {
public:
    using Query = std::function<SqlRows(std::string_view sql, std::span<const SqlValue> values)>;
    explicit Read(Query query) : query_(std::move(query)) {}
    // `engine` outlives it.
    explicit Read(Engine& engine);

    template <class... Args>
    SqlRows operator()(std::string_view sql, const Args&... args) const {
        const std::vector<SqlValue> values{detail::to_sql(args)...};
        return query_(sql, values);
    }
    // With as many values as the statement has placeholders, for SQL that is put together. At most 12.
    SqlRows with(std::string_view sql, const std::vector<SqlValue>& values) const {
        return query_(sql, values);
    }

private:
    Query query_;
};

struct Document {
    std::int64_t seq = 0;
    std::string id{};
    std::string organization_id{};
    std::string source_url{};
    std::string final_url{};
    std::string cms_platform{};
    std::string cms_instance{};
    std::string cms_document_id{};
    std::string ingestion_status{};  // NOT_FETCHED, FETCHED, ERROR: how the last fetch ended
    std::optional<std::string> error{};
    std::optional<std::string> content_hash{};
    std::optional<std::string> content_path{};
    std::optional<std::int64_t> content_length{};
    std::string content_kind{};  // html, markdown, text, pdf
    std::string title{};
    std::string author{};
    std::string published_date{};
    std::string site{};
    std::string description{};
    std::string language{};
    std::string excerpt{};
    std::string etag{};
    std::string last_modified{};
    std::optional<std::string> indexed_with_hash{};
    std::optional<std::string> content_type{};  // one of the twelve, by extract_metadata
    std::optional<bool> has_code_examples{};
    std::optional<bool> has_step_by_step_procedures{};
    std::optional<bool> has_narrative_structure{};
    std::optional<std::string> topics{};  // a JSON list
    std::optional<std::string> active_run_id{};
    std::string workflow_run_id{};  // the newest one's
    std::optional<Time> fetched_at{};
    std::optional<Time> indexed_at{};
    Time created_at{};
    Time updated_at{};
};

// The id of an address's document: derived, so that whoever asks for it gets the same row. `url` is normalised.
std::string document_id(std::string_view organization_id, std::string_view url);
// The same of an address as people write it; empty if it is none.
std::string document_id_of_address(std::string_view organization_id, std::string_view url);

// Nothing if there is none, or it is another organization's (P9).
std::optional<Document> find_document(const Read& read, const std::string& organization_id,
                                      const std::string& id);
std::optional<Document> find_by_url(const Read& read, const std::string& organization_id,
                                    const std::string& url);

// By a whole id, the first 8 or more of its digits, or an address. Throws Error{NotFound}, and
// Error{InvalidArgument} naming the candidates if several ids begin so.
Document identify(const Read& read, const std::string& organization_id,
                  const std::string& identifier);

struct DocumentFilter {
    std::string status{};        // NOT_FETCHED, FETCHED, ERROR; empty: all
    std::string content_type{};  // of the twelve; empty: all
    std::string include{};       // a glob over addresses; empty: all
    std::string entity{};        // a name; empty: all
    std::string text{};          // in its title or its address, whatever its case; empty: all
    std::string tag{};           // empty: all
    std::string language{};      // empty: all
    std::int64_t before = 0;     // seq; 0: from the newest
    int limit = 50;
};

struct DocumentPage {
    std::vector<Document> documents{};
    std::optional<std::int64_t> next{};   // give it as `before` for the rest
    std::optional<std::int64_t> total{};  // how many match, told with the first page
};

// Newest first.
DocumentPage list_documents(const Read& read, const std::string& organization_id,
                            const DocumentFilter& filter);

struct DocumentStats {
    std::int64_t documents = 0;
    std::int64_t fetched = 0;
    std::int64_t not_fetched = 0;
    std::int64_t failed = 0;
    std::int64_t indexed = 0;   // with the text they have now
    std::int64_t embedded = 0;  // with the model given and the text they have now
    std::int64_t links = 0;
    std::int64_t entities = 0;
    std::int64_t content_bytes = 0;
};
BOOST_DESCRIBE_STRUCT(DocumentStats, (),
                      (documents, fetched, not_fetched, failed, indexed, embedded, links, entities,
                       content_bytes))

DocumentStats document_stats(const Read& read, const std::string& organization_id,
                             const std::string& model);

}  // namespace belay::documents
