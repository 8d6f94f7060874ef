#include "ingestion/documents/api/views.hpp"

#include <boost/json.hpp>

#include <belay/codec.hpp>

#include "core/base/text.hpp"

namespace belay::documents {

namespace {

std::optional<std::string> unless_empty(const std::string& text) {
    return text.empty() ? std::nullopt : std::optional(text);
}

}  // namespace

DocumentSummary summary_of(const Document& d) {
    DocumentSummary view;
    view.id = d.id;
    view.url = d.source_url;
    view.status = d.ingestion_status;
    view.error = d.error;
    view.title = unless_empty(d.title);
    view.author = unless_empty(d.author);
    view.date = unless_empty(d.published_date);
    view.site = unless_empty(d.site);
    view.description = unless_empty(d.description);
    view.language = unless_empty(d.language);
    view.content_hash = d.content_hash;
    view.content_path = d.content_path;
    view.content_length = d.content_length;
    view.content_type = d.content_type;
    view.workflow_run_id = unless_empty(d.active_run_id.value_or(d.workflow_run_id));
    view.indexed = d.content_hash && d.content_hash == d.indexed_with_hash;
    if (d.fetched_at) view.fetched_at = base::format_time(*d.fetched_at);
    view.created_at = base::format_time(d.created_at);
    view.updated_at = base::format_time(d.updated_at);
    return view;
}

DocumentView view_of(const Document& document, const media::Article& article,
                     std::vector<NamedEntity> entities) {
    DocumentView view;
    static_cast<DocumentSummary&>(view) = summary_of(document);
    view.text = article.text;
    view.markdown = article.markdown;
    view.links = article.links;
    if (document.topics) view.topics = from_json<std::vector<std::string>>(*document.topics);
    view.has_code_examples = document.has_code_examples;
    view.has_step_by_step_procedures = document.has_step_by_step_procedures;
    view.has_narrative_structure = document.has_narrative_structure;
    view.entities = std::move(entities);
    return view;
}

boost::json::object summary_json(const Document& document) {
    return boost::json::parse(to_json(summary_of(document))).as_object();
}

boost::json::object document_json(const Document& document, const media::Article& article,
                                  std::vector<NamedEntity> entities) {
    return boost::json::parse(to_json(view_of(document, article, std::move(entities)))).as_object();
}

}  // namespace belay::documents
