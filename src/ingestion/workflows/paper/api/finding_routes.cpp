// finding_routes.cpp — GET /api/receipts, /api/invoices, one of each, and their exports.
#include <array>

#include <fmt/format.h>

#include "ingestion/workflows/paper/api/common.hpp"
#include "ingestion/workflows/paper/api/routes.hpp"
#include "ingestion/workflows/paper/day.hpp"
#include "ingestion/workflows/paper/export.hpp"
#include "ingestion/workflows/paper/invoice.hpp"
#include "ingestion/workflows/paper/receipt.hpp"

namespace belay::workflows {

namespace {

using api::ApiError;
using api::Method;
using api::Problem;
using api::Request;
using api::Response;
using api::Route;

// A kind of document as the paths name it.
struct Kind {
    std::string_view plural;  // "receipts"
    std::string_view one;     // "a receipt"
    std::string_view workflow_key;
};
constexpr Kind kReceipts{"receipts", "a receipt", kReceiptWorkflow};
constexpr Kind kInvoices{"invoices", "an invoice", kInvoiceWorkflow};

Response list(const PaperServices& services, const Kind& kind, const Request& request) {
    constexpr std::array<std::string_view, 3> kNames{"limit", "cursor", "status"};
    request.query.allow_only(kNames);
    FindingsFilter filter;
    filter.workflow_key = kind.workflow_key;
    filter.status = request.query.text("status");
    filter.before = cursor_of(request);
    filter.limit = limit_of(request);
    return list_response(kind.plural,
                         list_findings(services.engine, organization_of(request), filter));
}

Response show(const PaperServices& services, const Kind& kind, const Request& request) {
    const std::string id = parameter_of(request, "id");
    const auto found =
        find_finding(services.engine, organization_of(request), std::string(kind.workflow_key), id);
    if (!found)
        throw ApiError(Problem::NotFound,
                       fmt::format("there is no {} {}", kind.one.substr(kind.one.find(' ') + 1),
                                   api::shown(id)));
    return api::json_response(200, *found);
}

void add_kind(api::Routes& routes, const PaperServices& services, const Kind& kind) {
    const std::string group(kind.plural);
    Route all = paper_route(fmt::format("/api/{}", kind.plural),
                            fmt::format("What was found in {}, newest first", kind.plural), group,
                            [&services, kind](Request& r) { return list(services, kind, r); });
    all.parameters = api::list_parameters();
    all.parameters.push_back(api::query_parameter(
        "status", "processing, completed, manual_review or failed; otherwise all"));
    all.response_schema = api::list_schema(kind.plural, {{"type", "object"}});
    routes.add(std::move(all));

    Route one =
        paper_route(fmt::format("/api/{}/{{id}}", kind.plural),
                    fmt::format("What was found in {}, with confidence and boxes", kind.one), group,
                    [&services, kind](Request& r) { return show(services, kind, r); });
    one.parameters = {api::path_parameter("id", "the file's id")};
    one.problems = {Problem::NotFound};
    routes.add(std::move(one));
}

ExportRange range_of(const Request& request) {
    constexpr std::array<std::string_view, 2> kNames{"from", "to"};
    request.query.allow_only(kNames);
    const auto day = [&](std::string_view name) -> std::optional<ai::rules::Date> {
        const std::string text = request.query.text(name);
        if (text.empty()) return std::nullopt;
        const auto date = ai::rules::Date::parse(text);
        if (!date)
            throw ApiError(
                Problem::InvalidParameter,
                fmt::format("{} is a day such as 2024-03-12, not `{}`", name, api::shown(text)));
        return date;
    };
    return {day("from"), day("to")};
}

Response download(std::string content_type, const std::string& file_name, std::string bytes) {
    Response response = api::text_response(200, std::move(content_type), std::move(bytes));
    response.headers.set("Content-Disposition",
                         fmt::format("attachment; filename=\"{}\"", file_name));
    return response;
}

void add_exports(api::Routes& routes, const PaperServices& services) {
    const std::vector<api::Parameter> range{
        api::query_parameter("from", "the first day, 2024-03-12", api::string_schema("date")),
        api::query_parameter("to", "the last day", api::string_schema("date"))};

    Route csv = paper_route(
        "/api/export/receipts.csv", "Receipts as CSV", "export", [&services](Request& r) {
            return download("text/csv; charset=utf-8", "receipts.csv",
                            receipts_csv(services.engine, organization_of(r), range_of(r)));
        });
    csv.parameters = range;
    csv.response_type = "text/csv";
    csv.response_schema = api::string_schema();
    routes.add(std::move(csv));

    Route sie =
        paper_route("/api/export/sie", "The proposed entries of receipts as a SIE 4 file", "export",
                    [&services](Request& r) {
                        return download("application/octet-stream", "belay.se",
                                        sie_export(services.engine, organization_of(r), range_of(r),
                                                   day_of(services.clock.now())));
                    });
    sie.parameters = range;
    sie.response_type = "application/octet-stream";
    sie.response_schema = api::string_schema("binary");
    routes.add(std::move(sie));

    Route lines =
        paper_route("/api/invoices/{id}/lines.csv", "An invoice's lines as CSV", "export",
                    [&services](Request& r) {
                        const auto csv_of = invoice_lines_csv(services.engine, organization_of(r),
                                                              parameter_of(r, "id"));
                        if (!csv_of) throw ApiError(Problem::NotFound, "there is no such invoice");
                        return download("text/csv; charset=utf-8", "invoice.csv", *csv_of);
                    });
    lines.parameters = {api::path_parameter("id", "the file's id")};
    lines.response_type = "text/csv";
    lines.response_schema = api::string_schema();
    lines.problems = {Problem::NotFound};
    routes.add(std::move(lines));
}

}  // namespace

void add_finding_routes(api::Routes& routes, const PaperServices& services) {
    add_kind(routes, services, kReceipts);
    add_kind(routes, services, kInvoices);
    add_exports(routes, services);
}

void add_paper_routes(api::Routes& routes, const PaperServices& services,
                      ingest::Uploads& uploads) {
    add_finding_routes(routes, services);
    add_card_routes(routes, services, uploads);
    add_page_routes(routes, services);
    add_helper_routes(routes, services);
    add_correction_routes(routes, services);
}

}  // namespace belay::workflows
