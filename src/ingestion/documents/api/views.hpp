// views.hpp — documents as JSON: what clients and `belay content … --json` see, and what /openapi.json says they see.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe.hpp>
#include <boost/json/object.hpp>

#include "ingestion/documents/document.hpp"
#include "ingestion/documents/links.hpp"
#include "ingestion/documents/search.hpp"
#include "ingestion/media/article.hpp"

namespace belay::documents {

// A row of GET /api/documents.
struct DocumentSummary {
    std::string id{};
    std::string url{};
    std::string status{};
    std::optional<std::string> error{};
    std::optional<std::string> title{};
    std::optional<std::string> author{};
    std::optional<std::string> date{};
    std::optional<std::string> site{};
    std::optional<std::string> description{};
    std::optional<std::string> language{};
    std::optional<std::string> content_hash{};
    std::optional<std::string> content_path{};
    std::optional<std::int64_t> content_length{};
    std::optional<std::string> content_type{};
    std::optional<std::string> workflow_run_id{};
    bool indexed = false;  // with the text that it has
    std::optional<std::string> fetched_at{};
    std::string created_at{};
    std::string updated_at{};
};
BOOST_DESCRIBE_STRUCT(DocumentSummary, (),
                      (id, url, status, error, title, author, date, site, description, language,
                       content_hash, content_path, content_length, content_type, workflow_run_id,
                       indexed, fetched_at, created_at, updated_at))

// GET /api/documents/{id}: the same with what it says.
struct DocumentView : DocumentSummary {
    std::string text{};
    std::string markdown{};
    std::vector<std::string> links{};
    std::vector<std::string> topics{};
    std::optional<bool> has_code_examples{};
    std::optional<bool> has_step_by_step_procedures{};
    std::optional<bool> has_narrative_structure{};
    std::vector<NamedEntity> entities{};
};
BOOST_DESCRIBE_STRUCT(DocumentView, (DocumentSummary),
                      (text, markdown, links, topics, has_code_examples,
                       has_step_by_step_procedures, has_narrative_structure, entities))

DocumentSummary summary_of(const Document& document);
DocumentView view_of(const Document& document, const media::Article& article,
                     std::vector<NamedEntity> entities);

boost::json::object summary_json(const Document& document);
boost::json::object document_json(const Document& document, const media::Article& article,
                                  std::vector<NamedEntity> entities);

// Over HTTP both with what people call it.
struct TaggedSummary : DocumentSummary {
    std::vector<std::string> tags{};
};
BOOST_DESCRIBE_STRUCT(TaggedSummary, (DocumentSummary), (tags))
struct TaggedDocument : DocumentView {
    std::vector<std::string> tags{};
};
BOOST_DESCRIBE_STRUCT(TaggedDocument, (DocumentView), (tags))

// The body of PATCH /api/documents/{id}.
struct DocumentChange {
    std::vector<std::string> tags{};
};
BOOST_DESCRIBE_STRUCT(DocumentChange, (), (tags))

// A tag, and how many documents have it.
struct TagView {
    std::string tag{};
    std::int64_t documents = 0;
};
BOOST_DESCRIBE_STRUCT(TagView, (), (tag, documents))
struct TagsView {
    std::vector<TagView> tags{};
};
BOOST_DESCRIBE_STRUCT(TagsView, (), (tags))

// The body of POST /api/documents.
struct DocumentRequest {
    std::string url{};
    std::optional<bool> index{};
    std::optional<bool> refetch{};
};
BOOST_DESCRIBE_STRUCT(DocumentRequest, (), (url, index, refetch))

}  // namespace belay::documents
