// finding_routes.cpp — GET /api/receipts, /api/invoices, one of each, and their exports.
#include <algorithm>
#include <array>
#include <map>
#include <string>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "ingestion/workflows/paper/api/common.hpp"
#include "ingestion/workflows/paper/api/routes.hpp"
#include "ingestion/workflows/paper/api/zip.hpp"
#include "ingestion/workflows/paper/day.hpp"
#include "ingestion/workflows/paper/export.hpp"
#include "ingestion/workflows/paper/invoice.hpp"
#include "ingestion/workflows/paper/receipt.hpp"
#include "service/api/settings.hpp"

namespace belay::workflows {

namespace {

namespace json = boost::json;
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

std::optional<double> amount_in(const Request& request, std::string_view name) {
    const std::string text = request.query.text(name);
    if (text.empty()) return std::nullopt;
    const auto amount = ai::rules::Decimal::parse(text);
    if (!amount)
        throw ApiError(
            Problem::InvalidParameter,
            fmt::format("{} is an amount such as 1249.50, not `{}`", name, api::shown(text)));
    return std::stod(ai::rules::money_text(*amount));
}

struct Order {
    std::string_view word;
    FindingsOrder order;
    bool upwards;
};
constexpr std::array kOrders{
    Order{"", FindingsOrder::Newest, false},    Order{"newest", FindingsOrder::Newest, false},
    Order{"date", FindingsOrder::Date, true},   Order{"-date", FindingsOrder::Date, false},
    Order{"total", FindingsOrder::Total, true}, Order{"-total", FindingsOrder::Total, false},
    Order{"who", FindingsOrder::Who, true},     Order{"-who", FindingsOrder::Who, false},
};

FindingsFilter filter_of(const Request& request) {
    FindingsFilter filter;
    filter.status = request.query.text("status");
    filter.text = request.query.text("q");
    filter.from = day_in(request, "from");
    filter.to = day_in(request, "to");
    filter.least = amount_in(request, "least");
    filter.most = amount_in(request, "most");
    if (request.query.find("matched")) filter.matched = request.query.flag("matched");
    const std::string sort = request.query.text("sort");
    const auto* found = std::ranges::find(kOrders, sort, &Order::word);
    if (found == kOrders.end())
        throw ApiError(Problem::InvalidParameter,
                       fmt::format("parameter `sort` is newest, date, total or who, with a minus "
                                   "for the largest first, not `{}`",
                                   api::shown(sort)));
    filter.order = found->order;
    filter.upwards = found->upwards;
    filter.after = cursor_of(request);
    filter.limit = limit_of(request);
    return filter;
}
constexpr std::array<std::string_view, 10> kFilterNames{
    "limit", "cursor", "status", "q", "from", "to", "least", "most", "matched", "sort"};

std::vector<api::Parameter> filter_parameters() {
    std::vector<api::Parameter> out = api::list_parameters();
    out.push_back(api::query_parameter(
        "status", "processing, completed, manual_review, failed or canceled; otherwise all"));
    out.push_back(api::query_parameter(
        "q", "only with this in its name, its seller, its number or total, or its text"));
    out.push_back(api::query_parameter("from", "the first day on the paper, 2024-03-12",
                                       api::string_schema("date")));
    out.push_back(api::query_parameter("to", "the last", api::string_schema("date")));
    out.push_back(api::query_parameter("least", "a total of no less, 100.00"));
    out.push_back(api::query_parameter("most", "and no more"));
    out.push_back(api::query_parameter(
        "matched", "1: only what belongs to a line of a card statement; 0: only what does not"));
    out.push_back(api::query_parameter(
        "sort", "newest, date, -date, total, -total, who or -who: a minus for the largest first"));
    return out;
}

Response list(const PaperServices& services, const Kind& kind, const Request& request) {
    request.query.allow_only(kFilterNames);
    FindingsFilter filter = filter_of(request);
    filter.workflow_key = kind.workflow_key;
    return list_response(kind.plural,
                         list_findings(services.engine, organization_of(request), filter));
}

// What a person should look at: receipts and invoices that were read, and doubted.
Response review(const PaperServices& services, const Request& request) {
    constexpr std::array<std::string_view, 2> kNames{"limit", "cursor"};
    request.query.allow_only(kNames);
    FindingsFilter filter = filter_of(request);
    filter.status = "manual_review";
    return list_response("papers",
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
    all.parameters = filter_parameters();
    all.response_schema = api::counted_list_schema(kind.plural, {{"type", "object"}});
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

// The bytes of one object.
class OriginalBytes final : public api::ByteSource {
public:
    explicit OriginalBytes(std::unique_ptr<objects::Reader> reader) : reader_(std::move(reader)) {}
    std::size_t read(std::span<std::byte> space) override { return reader_->read(space); }

private:
    std::unique_ptr<objects::Reader> reader_;
};

std::unique_ptr<api::ByteSource> open_original(objects::Store& store, const std::string& key) {
    auto reader = store.open(objects::Key{key});
    if (!reader)
        throw Error(ErrorCode::StoreUnavailable, fmt::format("the bytes of {} are gone", key));
    return std::make_unique<OriginalBytes>(std::move(reader));
}

// In a folder for each kind, the day in front of the name; a name that is there already gets a number.
std::vector<ZipEntry> originals(const PaperServices& services, const Request& request) {
    const std::string from = day_in(request, "from"), to = day_in(request, "to");
    const std::string kind = request.query.text("kind");
    std::vector<ZipEntry> entries;
    std::map<std::string, int> names;
    for (const SqlRow row : services.engine.query(
             "SELECT f.workflow_type, coalesce(substr(f.purchase_datetime, 1, 10), ''), "
             "f.original_filename, f.object_key, f.original_file_size FROM unified_files f WHERE "
             "f.organization_id = ? AND f.deleted_at IS NULL AND f.file_type <> 'pdf_page' AND (? "
             "= "
             "'' OR f.workflow_type = ?) AND (? = '' OR substr(f.purchase_datetime, 1, 10) >= ?) "
             "AND (? = '' OR substr(f.purchase_datetime, 1, 10) <= ?) ORDER BY f.seq LIMIT ?",
             organization_of(request), kind, kind, from, from, to, to,
             static_cast<std::int64_t>(kZipEntriesMax) + 1)) {
        const std::string day = row.get<std::string>(1);
        const std::string name =
            fmt::format("{}/{}{}{}", zip_name(row.get<std::string>(0)), day, day.empty() ? "" : " ",
                        zip_name(row.get<std::string>(2)));
        const int others = names[name]++;
        const std::size_t dot = std::min(name.rfind('.'), name.size());
        entries.push_back({others == 0 ? name
                                       : fmt::format("{} ({}){}", name.substr(0, dot), others + 1,
                                                     name.substr(dot)),
                           row.get<std::uint64_t>(4),
                           [&store = services.object_store, key = row.get<std::string>(3)] {
                               return open_original(store, key);
                           }});
    }
    return entries;
}

Response originals_zip(const PaperServices& services, const Request& request) {
    constexpr std::array<std::string_view, 3> kNames{"from", "to", "kind"};
    request.query.allow_only(kNames);
    auto entries = originals(services, request);
    const std::uint64_t length = zip_length(entries);
    if (entries.size() > kZipEntriesMax || length > kZipBytesMax)
        throw ApiError(
            Problem::InvalidParameter,
            fmt::format("that is more than one ZIP file holds ({} files, 4 GiB): ask for "
                        "fewer days, or one kind",
                        kZipEntriesMax));
    Response response;
    response.status = 200;
    response.headers.set("Content-Type", "application/zip");
    response.headers.set("Content-Disposition", "attachment; filename=\"originals.zip\"");
    response.headers.set("Cache-Control", "no-store");
    response.body = api::StreamBody{zip_source(std::move(entries)), length};
    return response;
}

void add_exports(api::Routes& routes, const PaperServices& services, LedgerOf ledger_of) {
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
                    [&services, ledger_of = std::move(ledger_of)](Request& r) {
                        return download("application/octet-stream", "belay.se",
                                        sie_export(services.engine, organization_of(r), range_of(r),
                                                   day_of(services.clock.now()),
                                                   ledger_of(organization_of(r))));
                    });
    sie.parameters = range;
    sie.response_type = "application/octet-stream";
    sie.response_schema = api::string_schema("binary");
    routes.add(std::move(sie));

    Route zip =
        paper_route("/api/export/originals.zip", "The files themselves, as one ZIP", "export",
                    [&services](Request& r) { return originals_zip(services, r); });
    zip.parameters = range;
    zip.parameters.push_back(api::query_parameter(
        "kind", "image, receipt, invoice or creditcard_invoice; otherwise all"));
    zip.response_type = "application/zip";
    zip.response_schema = {{"type", "string"}, {"format", "binary"}};
    routes.add(std::move(zip));

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

LedgerOf ledgers_of(Engine& engine) {
    return [&engine](const std::string& organization_id) {
        LedgerOptions ledger;
        for (const SqlRow row :
             engine.query("SELECT name, value FROM api_settings WHERE organization_id = ?",
                          organization_id)) {
            const std::string name = row.get<std::string>(0);
            const json::value value = json::parse(row.get<std::string>(1));
            if (name == api::kCurrencySetting) ledger.currency = std::string(value.as_string());
            if (name != api::kAccountsSetting) continue;
            for (const auto& [from, to] : value.as_object())
                ledger.accounts[from] = std::string(to.as_string());
        }
        return ledger;
    };
}

void add_finding_routes(api::Routes& routes, const PaperServices& services, LedgerOf ledger_of) {
    add_kind(routes, services, kReceipts);
    add_kind(routes, services, kInvoices);
    Route queue = paper_route("/api/review", "What a person should look at, newest first", "papers",
                              [&services](Request& r) { return review(services, r); });
    queue.parameters = api::list_parameters();
    queue.response_schema = api::counted_list_schema("papers", {{"type", "object"}});
    routes.add(std::move(queue));
    add_exports(routes, services, std::move(ledger_of));
}

void add_paper_routes(api::Routes& routes, const PaperServices& services, ingest::Uploads& uploads,
                      LedgerOf ledger_of) {
    add_finding_routes(routes, services, std::move(ledger_of));
    add_card_routes(routes, services, uploads);
    add_page_routes(routes, services);
    add_helper_routes(routes, services);
    add_correction_routes(routes, services);
}

}  // namespace belay::workflows
