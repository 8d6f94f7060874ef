#include "ingestion/documents/api/routes.hpp"

#include <array>
#include <map>

#include <fmt/format.h>
#include <boost/json.hpp>

#include <belay/codec.hpp>
#include <belay/error.hpp>

#include "ingestion/ai/metadata/facts.hpp"
#include "ingestion/documents/api/views.hpp"
#include "ingestion/documents/content.hpp"
#include "ingestion/documents/door.hpp"
#include "ingestion/documents/writes.hpp"
#include "service/api/api.hpp"

namespace belay::documents {

namespace {

using api::ApiError;
using api::Method;
using api::Problem;
using api::Request;
using api::Response;
using api::Route;
namespace json = boost::json;

DocumentRequest request_in(const Request& request) {
    constexpr std::string_view kExample = R"(send {"url": "https://…", "index": true})";
    DocumentRequest wanted;
    try {
        wanted = from_json<DocumentRequest>(request.body);
    } catch (const Error& error) {
        throw ApiError(Problem::InvalidParameter,
                       fmt::format("{}; {}", api::body_fault(error.what()), kExample));
    }
    if (wanted.url.empty())
        throw ApiError(Problem::InvalidParameter, fmt::format("`url` is missing; {}", kExample));
    return wanted;
}

api::Claimed post_document(const DocumentParts& parts, const Request& request,
                           const api::Claim& claim) {
    const DocumentRequest wanted = request_in(request);
    FetchRequest fetch;
    fetch.url = wanted.url;
    fetch.index = wanted.index.value_or(false);
    fetch.refetch = wanted.refetch.value_or(false);
    fetch.source_channel = "api";
    return claim.transact(parts.engine, [&](Tx& tx) {
        const Requested requested = request_document(tx, request.caller.organization_id, fetch);
        return api::json_response(202, json::parse(to_json(requested)).as_object());
    });
}

// Of each of them, in the order of the alphabet.
std::map<std::string, json::array> tags_of(Engine& engine, const std::vector<Document>& documents) {
    std::map<std::string, json::array> tags;
    for (const Document& document : documents) tags[document.id];
    if (documents.empty()) return tags;
    std::string list;
    for (const Document& document : documents)  // ids are digits of ours
        list += fmt::format("{}'{}'", list.empty() ? "" : ",", document.id);
    for (const SqlRow row :
         engine.query(fmt::format("SELECT document_id, tag FROM document_tags WHERE document_id IN "
                                  "({}) ORDER BY tag",
                                  list)))
        tags[row.get<std::string>(0)].emplace_back(row.get<std::string>(1));
    return tags;
}

Response list(const DocumentParts& parts, const Request& request) {
    constexpr std::array<std::string_view, 9> kNames{
        "limit", "cursor", "status", "content_type", "entity", "include", "q", "tag", "language"};
    request.query.allow_only(kNames);
    DocumentFilter filter;
    filter.limit = static_cast<int>(
        request.query.integer("limit", api::kListLimitDefault, 1, api::kListLimitMax));
    if (const auto cursor = request.query.find("cursor"); cursor && !cursor->empty())
        filter.before = api::read_cursor(*cursor);
    filter.status = request.query.text("status");
    if (!filter.status.empty() && filter.status != "FETCHED" && filter.status != "NOT_FETCHED" &&
        filter.status != "ERROR")
        throw ApiError(Problem::InvalidParameter,
                       fmt::format("`status` is NOT_FETCHED, FETCHED or ERROR, not `{}`",
                                   api::shown(filter.status)));
    filter.content_type = request.query.text("content_type");
    filter.entity = request.query.text("entity");
    filter.include = request.query.text("include");
    filter.text = request.query.text("q");
    filter.tag = request.query.text("tag");
    filter.language = request.query.text("language");
    const DocumentPage page =
        list_documents(Read(parts.engine), request.caller.organization_id, filter);
    auto tags = tags_of(parts.engine, page.documents);
    json::array rows;
    for (const Document& document : page.documents) {
        json::object row = summary_json(document);
        row["tags"] = std::move(tags[document.id]);
        rows.push_back(std::move(row));
    }
    json::object out{{"documents", std::move(rows)}, {"next_cursor", nullptr}};
    if (page.next) out["next_cursor"] = api::cursor_text(*page.next);
    if (page.total) out["total"] = *page.total;
    return api::json_response(200, out);
}

Document document_of(const DocumentParts& parts, const Request& request) {
    const std::string& id = request.parameter("id");
    auto document = find_document(Read(parts.engine), request.caller.organization_id, id);
    // Also the beginning of an id, and an address, as on the command line.
    if (!document && (id.find("://") != std::string::npos || (id.size() >= 8 && id.size() < 32)))
        return identify(Read(parts.engine), request.caller.organization_id, id);
    if (!document)
        throw ApiError(Problem::NotFound, fmt::format("there is no document `{}`", api::shown(id)));
    return *std::move(document);
}

Response show(const DocumentParts& parts, const Request& request) {
    const Document document = document_of(parts, request);
    media::Article article;
    if (document.content_path)
        article = get_content(parts.objects, document.organization_id, *document.content_path);
    json::object out =
        document_json(document, article, entities_of(Read(parts.engine), document.id));
    out["tags"] = tags_of(parts.engine, {document})[document.id];
    return api::json_response(200, out);
}

Response remove(const DocumentParts& parts, const Request& request) {
    const Document document = document_of(parts, request);
    api::AuditNote note = api::audit_note(request);
    note.detail = document.source_url;
    const auto at_work = parts.engine.transact([&](Tx& tx) {
        api::write_audit(tx, note);
        return delete_document(tx, document.organization_id, document.id).value_or("");
    });
    // It would find nothing to write to; nobody pays for its model.
    if (!at_work.empty()) {
        try {
            parts.engine.cancel(at_work, "its document was deleted");
        } catch (const Error&) {
            // It has ended meanwhile.
        }
    }
    Response response;
    response.status = 204;
    return response;
}

Response change(const DocumentParts& parts, const Request& request) {
    const auto wanted = api::body_as<DocumentChange>(request);
    const Document document = document_of(parts, request);
    const api::AuditNote note = api::audit_note(request);
    try {
        parts.engine.transact([&](Tx& tx) {
            set_tags(tx, document.organization_id, document.id, wanted.tags);
            api::write_audit(tx, note);
        });
    } catch (const Error& error) {
        if (error.code() != ErrorCode::InvalidArgument) throw;
        throw ApiError(Problem::InvalidParameter, error.what());
    }
    return show(parts, request);
}

Response tags(const DocumentParts& parts, const Request& request) {
    request.query.allow_only({});
    json::array rows;
    for (const SqlRow row : parts.engine.query(
             "SELECT t.tag, count(*) FROM document_tags t JOIN documents d ON d.id = t.document_id "
             "WHERE d.organization_id = ? GROUP BY t.tag ORDER BY t.tag LIMIT 1000",
             request.caller.organization_id))
        rows.push_back({{"tag", row.get<std::string>(0)}, {"documents", row.get<std::int64_t>(1)}});
    return api::json_response(200, {{"tags", std::move(rows)}});
}

Response links(const DocumentParts& parts, const Request& request) {
    constexpr std::array<std::string_view, 2> kNames{"direction", "limit"};
    request.query.allow_only(kNames);
    const Document document = document_of(parts, request);
    const std::string direction = request.query.text("direction");
    if (!direction.empty() && direction != "outbound" && direction != "inbound")
        throw ApiError(
            Problem::InvalidParameter,
            fmt::format("`direction` is outbound or inbound, not `{}`", api::shown(direction)));
    const auto limit = static_cast<int>(request.query.integer("limit", 500, 1, 10'000));
    const auto found =
        links_of_document(Read(parts.engine), document,
                          direction == "inbound" ? Direction::Inbound : Direction::Outbound, limit);
    return api::json_response(
        200, json::object{{"links", json::parse(to_json(found))}, {"next_cursor", nullptr}});
}

Response search(const DocumentParts& parts, const Request& request) {
    constexpr std::array<std::string_view, 3> kNames{"q", "limit", "content_type"};
    request.query.allow_only(kNames);
    const std::string query = request.query.text("q", kQueryBytesMax);
    if (query.empty()) throw ApiError(Problem::InvalidParameter, "say what to look for: ?q=…");
    SearchOptions options;
    options.limit = static_cast<int>(request.query.integer("limit", 20, 1, kSearchLimitMax));
    options.content_type = request.query.text("content_type");
    SearchAnswer answer;
    try {
        answer = parts.search.search(request.caller.organization_id, query, options);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::InvalidArgument) throw;
        throw ApiError(Problem::InvalidParameter, error.what());
    }
    json::object out{{"results", json::parse(to_json(answer.results))},
                     {"next_cursor", nullptr},
                     {"model", answer.model},
                     {"warning", nullptr}};
    if (answer.warning) out["warning"] = *answer.warning;
    return api::json_response(200, out);
}

using Handle = Response (*)(const DocumentParts&, const Request&);

Route route_of(const DocumentParts& parts, std::string path, std::string summary, Handle handle) {
    Route route;
    route.path = std::move(path);
    route.summary = std::move(summary);
    route.group = "documents";
    if (handle != nullptr)
        route.handler = [parts, handle](Request& request) { return handle(parts, request); };
    return route;
}

api::JsonSchema search_schema() {
    api::JsonSchema schema = api::list_schema("results", api::schema_of<SearchHit>());
    schema["properties"].as_object()["model"] = api::string_schema();
    schema["properties"].as_object()["warning"] = api::nullable(api::string_schema());
    schema["required"].as_array().emplace_back("model");
    schema["required"].as_array().emplace_back("warning");
    return schema;
}

}  // namespace

void add_document_routes(api::Routes& routes, DocumentParts parts) {
    Route post = route_of(parts, "/api/documents",
                          "Fetch a web address as a document, and index it if asked", nullptr);
    post.on<Method::Post>(api::Once{[parts](const Request& request, const api::Claim& claim) {
        return post_document(parts, request, claim);
    }});
    post.takes = api::Takes::Json;
    post.request_schema = api::schema_of<DocumentRequest>(api::SchemaFor::Request);
    post.success = 202;
    post.response_schema = api::schema_of<Requested>();
    routes.add(std::move(post));

    Route rows = route_of(parts, "/api/documents", "Documents, newest first", list);
    rows.parameters = api::list_parameters();
    rows.parameters.push_back(
        api::query_parameter("status", "how their last fetch ended",
                             api::words_schema({"NOT_FETCHED", "FETCHED", "ERROR"})));
    rows.parameters.push_back(
        api::query_parameter("content_type", "what they are",
                             api::words_schema({ai::metadata::kContentTypes.begin(),
                                                ai::metadata::kContentTypes.end()})));
    rows.parameters.push_back(api::query_parameter("entity", "a name that they mention"));
    rows.parameters.push_back(api::query_parameter("include", "a glob over their addresses"));
    rows.parameters.push_back(
        api::query_parameter("q", "only with this in their title or address"));
    rows.parameters.push_back(api::query_parameter("tag", "only those with this tag"));
    rows.parameters.push_back(api::query_parameter("language", "only in this language, sv"));
    rows.response_schema = api::counted_list_schema("documents", api::schema_of<TaggedSummary>());
    routes.add(std::move(rows));

    const auto id = api::path_parameter("id", "the document's id");
    Route one = route_of(parts, "/api/documents/{id}", "One document with its text", show);
    one.parameters = {id};
    one.response_schema = api::schema_of<TaggedDocument>();
    one.problems = {Problem::NotFound};
    routes.add(std::move(one));

    Route gone = route_of(parts, "/api/documents/{id}", "Delete a document", nullptr);
    gone.on<Method::Delete>([parts](Request& request) { return remove(parts, request); });
    gone.parameters = {id};
    gone.success = 204;
    gone.audit = "delete";
    gone.problems = {Problem::NotFound};
    routes.add(std::move(gone));

    Route change_it =
        route_of(parts, "/api/documents/{id}", "Say which tags a document has", nullptr);
    change_it.on<Method::Patch>([parts](Request& request) { return change(parts, request); });
    change_it.parameters = {id};
    change_it.takes = api::Takes::Json;
    change_it.request_schema = api::schema_of<DocumentChange>(api::SchemaFor::Request);
    change_it.response_schema = api::schema_of<TaggedDocument>();
    change_it.audit = "tag";
    change_it.audit_body = true;
    change_it.problems = {Problem::NotFound, Problem::InvalidParameter};
    routes.add(std::move(change_it));

    Route all_tags = route_of(parts, "/api/document-tags", "The tags of documents", tags);
    all_tags.response_schema = api::schema_of<TagsView>();
    routes.add(std::move(all_tags));

    Route leads = route_of(parts, "/api/documents/{id}/links",
                           "Where a document leads, or what leads to it", links);
    leads.parameters = {
        id,
        api::query_parameter("direction", "outbound (default) or inbound",
                             api::words_schema({"outbound", "inbound"})),
        api::query_parameter("limit", "at most so many", api::integer_schema(1, 10'000))};
    leads.response_schema = api::list_schema("links", api::schema_of<Link>());
    leads.problems = {Problem::NotFound};
    routes.add(std::move(leads));

    Route find = route_of(parts, "/api/search",
                          "Documents by their words and their meaning, best first", search);
    api::Parameter q = api::query_parameter("q", "what to look for");
    q.required = true;
    find.parameters = {
        q,
        api::query_parameter("limit", "at most so many", api::integer_schema(1, kSearchLimitMax)),
        api::query_parameter("content_type", "only documents of this kind")};
    find.response_schema = search_schema();
    routes.add(std::move(find));
}

}  // namespace belay::documents
