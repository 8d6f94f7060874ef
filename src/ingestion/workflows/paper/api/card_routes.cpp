// card_routes.cpp — card statements over HTTP: upload, look, match.
#include <array>
#include <charconv>

#include <fmt/format.h>

#include <belay/codec.hpp>
#include <belay/error.hpp>

#include "ingestion/ingest/api/upload_sink.hpp"
#include "ingestion/ingest/content_type.hpp"
#include "ingestion/workflows/paper/api/common.hpp"
#include "ingestion/workflows/paper/api/routes.hpp"
#include "ingestion/workflows/paper/card_invoices.hpp"
#include "ingestion/workflows/paper/export.hpp"
#include "ingestion/workflows/paper/match_rows.hpp"

namespace belay::workflows {

namespace {

namespace json = boost::json;
using api::ApiError;
using api::Method;
using api::Problem;
using api::Request;
using api::Response;
using api::Route;

template <class T>
json::object json_of(const T& view) {
    return json::parse(to_json(view)).as_object();
}

// A refusal with a code of its own, and what it is about.
Response conflict(std::string_view code, const std::string& message, json::object about) {
    about["code"] = code;
    about["message"] = message;
    return api::json_response(409, {{"error", std::move(about)}});
}

std::string document_of(const PaperServices& services, const Request& request) {
    const std::string id = parameter_of(request, "id");
    const auto found = find_card_document(services.engine, organization_of(request), id);
    if (!found)
        throw ApiError(Problem::NotFound,
                       fmt::format("there is no card statement {}", api::shown(id)));
    return *found;
}

std::int64_t number_of(std::string_view text, std::string_view what) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size())
        throw ApiError(Problem::NotFound, fmt::format("there is no {} {}", what, api::shown(text)));
    return number;
}

Response list(const PaperServices& services, const Request& request) {
    constexpr std::array<std::string_view, 6> kNames{"limit",  "cursor", "q",
                                                     "status", "from",   "to"};
    request.query.allow_only(kNames);
    CardInvoiceFilter filter;
    filter.text = request.query.text("q");
    filter.status = request.query.text("status");
    filter.from = day_in(request, "from");
    filter.to = day_in(request, "to");
    return list_response("card_invoices",
                         list_card_invoices(services.engine, organization_of(request),
                                            cursor_of(request), limit_of(request), filter));
}

// A statement that is known is refused by name, where POST /ingest/upload would join its run.
api::Claimed take(const PaperServices& services, ingest::Uploads& uploads, Request& request,
                  const api::Claim& claim) {
    if (request.form.files.size() != 1)
        throw ApiError(Problem::BadRequest, "send one file, as `invoice` or `file`");
    if (!request.form.fields.empty()) {
        throw ApiError(
            Problem::BadRequest,
            fmt::format("there is no form field `{}`: send the file as `invoice` or `file`",
                        api::shown(request.form.fields.front().first)));
    }
    api::UploadedFile& file = request.form.files.front();
    if (file.field != "invoice" && file.field != "file" && file.field != "files")
        throw ApiError(Problem::BadRequest, "send the file as `invoice` or `file`");
    auto& incoming = dynamic_cast<ingest::IncomingFile&>(*file.upload);
    ingest::UploadFacts facts;
    facts.organization_id = organization_of(request);
    facts.name = file.file_name;
    facts.content_type =
        ingest::content_type_of(incoming.first_bytes(), file.content_type, file.file_name);
    facts.workflow_type = "creditcard_invoice";
    ingest::Uploads::Stored stored = uploads.store({{&incoming.writer(), facts}});
    if (stored.refused(0)) std::rethrow_exception(stored.refused(0));
    return claim.transact(services.engine, [&](Tx& tx) {
        const ingest::Ingested got = stored.ingest(tx).front();
        if (got.duplicate) {
            const std::string known =
                find_card_document(tx, facts.organization_id, got.file_id).value_or(got.file_id);
            return conflict("duplicate_invoice",
                            fmt::format("this statement was uploaded before: it is {}, run {}",
                                        known, got.workflow_run_id),
                            {{"invoice_id", known}, {"workflow_run_id", got.workflow_run_id}});
        }
        return api::json_response(201, {{"invoice_id", got.file_id},
                                        {"file_id", got.file_id},
                                        {"status", "processing"},
                                        {"processing_status", "uploaded"},
                                        {"workflow_run_id", got.workflow_run_id}});
    });
}

Response lines(const PaperServices& services, const Request& request) {
    request.query.allow_only({});
    return api::json_response(
        200, {{"lines", card_lines(services.engine, document_of(services, request))},
              {"next_cursor", nullptr}});
}

Response matches(const PaperServices& services, const Request& request) {
    request.query.allow_only({});
    return api::json_response(
        200, {{"matches", card_matches(services.engine, document_of(services, request))},
              {"next_cursor", nullptr}});
}

Response candidates(const PaperServices& services, const Request& request) {
    constexpr std::array<std::string_view, 1> kNames{"line"};
    request.query.allow_only(kNames);
    std::optional<std::int64_t> line;
    if (const auto text = request.query.find("line")) line = number_of(*text, "line");
    return api::json_response(
        200, {{"candidates", card_candidates(services.engine, organization_of(request),
                                             document_of(services, request), line)},
              {"next_cursor", nullptr}});
}

api::Claimed match(const PaperServices& services, const Request& request, const api::Claim& claim) {
    const std::string document = document_of(services, request);
    const MatchSettings settings = match_settings(services.options);
    return claim.transact(services.engine, [&](Tx& tx) {
        return api::json_response(200, json_of(match_document(tx, document, settings)));
    });
}

Response refuse(const LineOutcome& outcome, const std::string& line) {
    if (std::holds_alternative<ReceiptNotFound>(outcome))
        throw ApiError(Problem::NotFound, "there is no such receipt");
    if (const auto* taken = std::get_if<ReceiptTaken>(&outcome)) {
        return conflict(
            "receipt_in_use",
            fmt::format("line {} has this receipt; reject that match first", taken->by_line),
            {{"line_id", taken->by_line}});
    }
    if (const auto* not_possible = std::get_if<NotPossible>(&outcome)) {
        throw ApiError(
            Problem::Conflict,
            fmt::format("the line is `{}`{}", not_possible->from,
                        not_possible->to.empty()
                            ? " and changed meanwhile"
                            : fmt::format(", which cannot become `{}`", not_possible->to)));
    }
    throw ApiError(Problem::NotFound, fmt::format("there is no line {}", api::shown(line)));
}

api::Claimed change(const PaperServices& services, const Request& request, const api::Claim& claim,
                    LineAction action) {
    const std::string line = parameter_of(request, "line");
    std::string receipt;
    if (action == LineAction::Link) {
        boost::system::error_code broken;
        const json::value body = json::parse(request.body, broken);
        const json::value* given =
            !broken && body.is_object() ? body.as_object().if_contains("file_id") : nullptr;
        if (given == nullptr || !given->is_string())
            throw ApiError(Problem::InvalidJson, "say which receipt: {\"file_id\": \"…\"}");
        receipt = std::string(given->as_string());
    }
    return claim.transact(services.engine, [&](Tx& tx) {
        const LineOutcome outcome = change_line(
            tx, organization_of(request), number_of(line, "line"), action, receipt, by_of(request));
        const auto* changed = std::get_if<LineChanged>(&outcome);
        if (changed == nullptr) return refuse(outcome, line);
        return api::json_response(200, json_of(*changed));
    });
}

void add_line_action(api::Routes& routes, const PaperServices& services, std::string_view verb,
                     std::string summary, LineAction action) {
    Route route = paper_route(fmt::format("/api/card-invoices/{{id}}/lines/{{line}}/{}", verb),
                              std::move(summary), "card-invoices");
    route.on<Method::Post>(api::Once{[&services, action](Request& r, const api::Claim& claim) {
        return change(services, r, claim, action);
    }});
    route.parameters = {api::path_parameter("id", "the statement's id"),
                        api::path_parameter("line", "the line's id")};
    route.takes = api::Takes::Json;
    route.body_optional = action != LineAction::Link;
    route.request_schema = {{"type", "object"},
                            {"properties", {{"file_id", api::string_schema()}}}};
    route.response_schema = api::schema_of<LineChanged>();
    route.audit = verb;
    route.audit_body = action == LineAction::Link;
    route.problems = {Problem::NotFound, Problem::Conflict, Problem::InvalidJson};
    routes.add(std::move(route));
}

void add_reading(api::Routes& routes, const PaperServices& services) {
    const auto id = api::path_parameter("id", "the statement's id, or the id of its file");
    Route all = paper_route("/api/card-invoices", "Card statements, newest first", "card-invoices",
                            [&services](Request& r) { return list(services, r); });
    all.parameters = api::list_parameters();
    all.parameters.push_back(
        api::query_parameter("q", "only with this in its number, its card, its bank or a line"));
    all.parameters.push_back(api::query_parameter("status", "only those that are so far"));
    all.parameters.push_back(
        api::query_parameter("from", "the first day of the statement", api::string_schema("date")));
    all.parameters.push_back(api::query_parameter("to", "the last", api::string_schema("date")));
    all.response_schema = api::counted_list_schema("card_invoices", {{"type", "object"}});
    routes.add(std::move(all));

    const auto part = [&](std::string path, std::string summary, auto handle) {
        Route route = paper_route("/api/card-invoices/{id}" + std::move(path), std::move(summary),
                                  "card-invoices", std::move(handle));
        route.parameters = {id};
        route.problems = {Problem::NotFound};
        return route;
    };
    routes.add(part("", "A card statement with its lines", [&services](Request& r) {
        return api::json_response(200, card_invoice(services.engine, document_of(services, r)));
    }));
    routes.add(part("/lines", "The lines of a card statement",
                    [&services](Request& r) { return lines(services, r); }));
    routes.add(part("/matches", "The lines that have a receipt, with their history",
                    [&services](Request& r) { return matches(services, r); }));
    Route choose = part("/candidates", "Receipts that could belong to the lines that have none",
                        [&services](Request& r) { return candidates(services, r); });
    choose.parameters.push_back(
        api::query_parameter("line", "only for this line", api::integer_schema()));
    routes.add(std::move(choose));
    Route csv = part("/lines.csv", "A card statement's lines as CSV", [&services](Request& r) {
        const auto text =
            card_lines_csv(services.engine, organization_of(r), document_of(services, r));
        if (!text) throw ApiError(Problem::NotFound, "its file is gone");
        return api::text_response(200, "text/csv; charset=utf-8", *text);
    });
    csv.response_type = "text/csv";
    csv.response_schema = api::string_schema();
    routes.add(std::move(csv));
}

}  // namespace

void add_card_routes(api::Routes& routes, const PaperServices& services, ingest::Uploads& uploads) {
    add_reading(routes, services);

    Route upload = paper_route("/api/card-invoices", "Store a card statement and start its run",
                               "card-invoices");
    upload.on<Method::Post>(api::Once{[&services, &uploads](Request& r, const api::Claim& claim) {
        return take(services, uploads, r, claim);
    }});
    upload.takes = api::Takes::Form;
    upload.request_schema = {
        {"type", "object"},
        {"properties", {{"invoice", {{"type", "string"}, {"format", "binary"}}}}}};
    upload.success = 201;
    upload.problems = {Problem::InvalidMultipart, Problem::PayloadTooLarge, Problem::StorageFull,
                       Problem::Conflict};
    routes.add(std::move(upload));

    Route now = paper_route("/api/card-invoices/{id}/match", "Match the lines that have no receipt",
                            "card-invoices");
    now.on<Method::Post>(api::Once{
        [&services](Request& r, const api::Claim& claim) { return match(services, r, claim); }});
    now.parameters = {api::path_parameter("id", "the statement's id")};
    now.response_schema = api::schema_of<MatchSummary>();
    now.audit = "match";
    now.problems = {Problem::NotFound};
    routes.add(std::move(now));

    add_line_action(routes, services, "match", "Link a receipt to a line by hand",
                    LineAction::Link);
    add_line_action(routes, services, "confirm", "Confirm a line's receipt", LineAction::Confirm);
    add_line_action(routes, services, "reject", "Take a line's receipt away", LineAction::Reject);
    add_line_action(routes, services, "ignore", "Say that a line needs no receipt",
                    LineAction::Ignore);
    add_line_action(routes, services, "reopen",
                    "Take back that a line is confirmed, or needs no receipt", LineAction::Reopen);
}

}  // namespace belay::workflows
