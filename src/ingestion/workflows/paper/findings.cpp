#include "ingestion/workflows/paper/findings.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <boost/json/parse.hpp>

#include <belay/codec.hpp>

#include "core/base/text.hpp"
#include "ingestion/workflows/paper/invoice.hpp"
#include "ingestion/workflows/paper/page_rows.hpp"
#include "ingestion/workflows/paper/pages.hpp"
#include "ingestion/workflows/paper/receipt.hpp"

namespace belay::workflows {

namespace {

namespace json = boost::json;
using MaybeText = std::optional<std::string>;

// By the run: files with the same content share what was found.
constexpr std::string_view kColumns =
    "f.seq, f.id, f.original_filename, f.workflow_run_id, f.ai_status, f.error_message, "
    "f.created_at, f.updated_at, d.result, d.confidence, d.file_id, d.detail, f.approved_by, "
    "f.workflow_type, (SELECT r.status FROM workflow_runs r WHERE r.public_id = "
    "f.workflow_run_id), "
    "(SELECT l.invoice_id FROM invoice_lines l JOIN unified_files m ON m.id = l.matched_file_id "
    "WHERE m.workflow_run_id = f.workflow_run_id LIMIT 1), c.name";
constexpr std::string_view kFrom =
    "FROM unified_files f LEFT JOIN companies c ON c.id = f.company_id LEFT JOIN document_findings "
    "d ON d.workflow_run_id = f.workflow_run_id "
    "WHERE f.organization_id = ? AND f.ingest_workflow_key IN (?, ?) AND f.deleted_at IS NULL AND "
    "f.file_type <> 'pdf_page'";

// One of the names that a receipt and an invoice have for the same thing; the first that is there.
std::string found_text(std::string_view one, std::string_view other) {
    return fmt::format(
        "coalesce(/*sqlite*/ json_extract(d.result, '$.{0}'), json_extract(d.result, '$.{1}') "
        "/*end*//*postgres d.result::jsonb ->> '{0}', d.result::jsonb ->> '{1}'*/)",
        one, other);
}
std::string day_on_it() { return found_text("date", "issue_date"); }
std::string total_on_it() {
    return fmt::format("CAST({} AS NUMERIC)", found_text("total", "grand_total"));
}
std::string who_on_it() {
    return fmt::format("coalesce({}, c.name)", found_text("merchant", "seller_name"));
}

// Whether it, or a copy of it, belongs to a line of a statement.
constexpr std::string_view kHasLine =
    "EXISTS (SELECT 1 FROM invoice_lines l JOIN unified_files m ON m.id = l.matched_file_id WHERE "
    "m.workflow_run_id = f.workflow_run_id)";

// What a status is asked for as: a run that somebody canceled has not failed.
constexpr std::string_view kCanceled =
    "EXISTS (SELECT 1 FROM workflow_runs r WHERE r.public_id = f.workflow_run_id AND r.status = "
    "'canceled')";

std::string wanted() {
    return fmt::format(
        "AND (? = '' OR CASE WHEN f.ai_status = 'failed' AND {canceled} THEN 'canceled' ELSE "
        "f.ai_status END = ?) "
        "AND (? = '' OR lower(f.original_filename) LIKE lower(?) ESCAPE '!' OR "
        "lower(coalesce({who}, '') || ' ' || coalesce({number}, '') || ' ' || coalesce({total}, "
        "'')) "
        "LIKE lower(?) ESCAPE '!' OR lower(coalesce(f.ocr_raw, '')) LIKE lower(?) ESCAPE '!') "
        "AND (? = '' OR substr({day}, 1, 10) >= ?) AND (? = '' OR substr({day}, 1, 10) <= ?) "
        "AND (? = 0 OR {amount} >= ?) AND (? = 0 OR {amount} <= ?) "
        "AND (? = 0 OR {line}) AND (? = 0 OR NOT {line})",
        fmt::arg("line", kHasLine), fmt::arg("canceled", kCanceled), fmt::arg("who", who_on_it()),
        fmt::arg("number", found_text("invoice_number", "receipt_number")),
        fmt::arg("total", found_text("total", "grand_total")), fmt::arg("day", day_on_it()),
        fmt::arg("amount", total_on_it()));
}

// %text% with the signs that LIKE reads taken as they stand; an amount as it is kept: 1 249,50 is 1249.50.
std::string like_pattern(const std::string& text) {
    std::string out = "%";
    for (const char c : text) {
        if (c == '%' || c == '_' || c == '!') out += '!';
        out += c;
    }
    return out + "%";
}
std::string as_amount(std::string text) {
    if (text.find_first_not_of("0123456789 .,-") != std::string::npos) return text;
    std::erase(text, ' ');
    std::ranges::replace(text, ',', '.');
    return text;
}

struct Keys {
    std::string one, other;
};
Keys keys_of(const std::string& workflow_key) {
    if (!workflow_key.empty()) return {workflow_key, workflow_key};
    return {std::string(kReceiptWorkflow), std::string(kInvoiceWorkflow)};
}

json::value or_null(const MaybeText& text) { return text ? json::value(*text) : json::value(); }

json::object row_of(const SqlRow& row) {
    json::object out{
        {"id", row.get<std::string>(1)},
        {"file_id", row.get<std::string>(1)},
        {"name", row.get<std::string>(2)},
        {"workflow_run_id", row.get<std::string>(3)},
        {"status", row.get<std::string>(4)},
        {"error", or_null(row.get<MaybeText>(5))},
        {"created_at", base::format_time(row.get<Time>(6))},
        {"updated_at", base::format_time(row.get<Time>(7))},
        {"confidence", nullptr},
        {"approved_by", or_null(row.get<MaybeText>(12))},
        {"workflow_type", row.get<std::string>(13)},
        {"run_status", or_null(row.get<MaybeText>(14))},
        {"statement_id", or_null(row.get<MaybeText>(15))},
    };
    if (out["status"] == "failed" && out["run_status"] == "canceled") out["status"] = "canceled";
    if (const auto sure = row.get<std::optional<double>>(9)) out["confidence"] = *sure;
    if (const auto result = row.get<MaybeText>(8)) {
        const json::value found = json::parse(*result);
        for (const auto& member : found.as_object()) out[member.key()] = member.value();
    }
    // As the company is called that its number belongs to, if the paper itself does not say.
    for (const std::string_view who : {"merchant", "seller_name"}) {
        if (json::value* name = out.if_contains(who); name != nullptr && name->is_null())
            *name = or_null(row.get<MaybeText>(16));
    }
    return out;
}

std::vector<json::object> rows_as_objects(const SqlRows& rows,
                                          const std::vector<std::string_view>& names) {
    std::vector<json::object> out;
    for (const SqlRow row : rows) {
        json::object one;
        for (std::size_t i = 0; i < names.size(); ++i)
            one[names[i]] = or_null(row.get<MaybeText>(i));
        out.push_back(std::move(one));
    }
    return out;
}

json::array as_array(std::vector<json::object> objects) {
    json::array out;
    for (json::object& object : objects) out.push_back(std::move(object));
    return out;
}

json::array entries_of(const TableReader& reading, const std::string& file_id) {
    return as_array(rows_as_objects(
        reading.query("SELECT account_code, debit, credit, vat_rate, notes FROM "
                      "ai_accounting_proposals WHERE receipt_id = ? ORDER BY line_no",
                      file_id),
        {"account_code", "debit", "credit", "vat_rate", "notes"}));
}

json::array history_of(const TableReader& reading, const std::string& file_id) {
    json::array out;
    for (const SqlRow row : reading.query(
             "SELECT job_type, status, ai_stage_name, log_text, error_message, confidence, "
             "processing_time_ms, provider, model_name, created_at FROM ai_processing_history "
             "WHERE file_id = ? ORDER BY id",
             file_id)) {
        json::object one{{"job_type", row.get<std::string>(0)},
                         {"status", row.get<std::string>(1)},
                         {"stage", or_null(row.get<MaybeText>(2))},
                         {"log_text", or_null(row.get<MaybeText>(3))},
                         {"error", or_null(row.get<MaybeText>(4))},
                         {"confidence", nullptr},
                         {"duration_ms", nullptr},
                         {"provider", or_null(row.get<MaybeText>(7))},
                         {"model", or_null(row.get<MaybeText>(8))},
                         {"created_at", base::format_time(row.get<Time>(9))}};
        if (const auto sure = row.get<std::optional<double>>(5)) one["confidence"] = *sure;
        if (const auto took = row.get<std::optional<std::int64_t>>(6)) one["duration_ms"] = *took;
        out.push_back(std::move(one));
    }
    return out;
}

json::object page_object(const media::Page& page, const std::string& page_id, bool words) {
    json::object out{{"number", page.number},
                     {"file_id", page_id},
                     {"width", page.width},
                     {"height", page.height},
                     {"rotation", page.rotation},
                     {"source", page.source == media::PageSource::TextLayer ? "text_layer" : "ocr"},
                     {"language", page.language},
                     {"confidence", page.confidence},
                     {"text", page_text(page)}};
    if (words) out["words"] = json::parse(to_json(page.words));
    return out;
}

}  // namespace

namespace {

std::string order_of(const FindingsFilter& filter) {
    const std::string_view way = filter.upwards ? "ASC" : "DESC";
    const auto by = [&](const std::string& what) {
        // What has none comes last, whichever way.
        return fmt::format("CASE WHEN {0} IS NULL THEN 1 ELSE 0 END, {0} {1}, f.seq DESC", what,
                           way);
    };
    switch (filter.order) {
        case FindingsOrder::Newest:
            break;
        case FindingsOrder::Date:
            return by(day_on_it());
        case FindingsOrder::Total:
            return by(total_on_it());
        case FindingsOrder::Who:
            return by(fmt::format("lower({})", who_on_it()));
    }
    return "f.seq DESC";
}

// `sql` gets every parameter of kFrom and wanted(), and then `more`.
template <class... More>
SqlRows rows_wanted(Engine& engine, const std::string& sql, const std::string& organization_id,
                    const FindingsFilter& filter, const More&... more) {
    const Keys keys = keys_of(filter.workflow_key);
    const std::string like = like_pattern(filter.text);
    const std::string amount = like_pattern(as_amount(filter.text));
    const bool yes = filter.matched == true, no = filter.matched == false;
    return engine.query(sql, organization_id, keys.one, keys.other, filter.status, filter.status,
                        filter.text, like, amount, like, filter.from, filter.from, filter.to,
                        filter.to, filter.least ? 1 : 0, filter.least.value_or(0),
                        filter.most ? 1 : 0, filter.most.value_or(0), yes ? 1 : 0, no ? 1 : 0,
                        more...);
}

}  // namespace

FindingsPage list_findings(Engine& engine, const std::string& organization_id,
                           const FindingsFilter& filter) {
    const bool newest = filter.order == FindingsOrder::Newest;
    FindingsPage page;
    if (!filter.after) {
        page.total = rows_wanted(engine, fmt::format("SELECT count(*) {} {}", kFrom, wanted()),
                                 organization_id, filter)[0]
                         .get<std::int64_t>(0);
    }
    // One more than asked for tells whether there are more. In another order a page ends at a place, not at a row.
    const std::int64_t place = newest ? 0 : filter.after.value_or(0);
    const SqlRows rows =
        rows_wanted(engine,
                    fmt::format("SELECT {} {} {} AND f.seq < ? ORDER BY {} LIMIT ? OFFSET ?",
                                kColumns, kFrom, wanted(), order_of(filter)),
                    organization_id, filter,
                    newest ? filter.after.value_or(std::numeric_limits<std::int64_t>::max())
                           : std::numeric_limits<std::int64_t>::max(),
                    filter.limit + 1, place);
    for (const SqlRow row : rows) {
        if (page.rows.size() == static_cast<std::size_t>(filter.limit)) {
            page.next = newest ? rows[page.rows.size() - 1].get<std::int64_t>(0)
                               : place + static_cast<std::int64_t>(page.rows.size());
            break;
        }
        page.rows.push_back(row_of(row));
    }
    return page;
}

std::optional<json::object> find_finding(const TableReader& reading,
                                         const std::string& organization_id,
                                         const std::string& workflow_key,
                                         const std::string& file_id) {
    const SqlRows rows = reading.query(fmt::format("SELECT {} {} AND f.id = ?", kColumns, kFrom),
                                       organization_id, workflow_key, workflow_key, file_id);
    if (rows.empty()) return std::nullopt;
    json::object out = row_of(rows[0]);
    const std::string source = rows[0].get<MaybeText>(10).value_or(file_id);
    const auto detail = rows[0].get<MaybeText>(11);
    out["detail"] = detail ? json::parse(*detail) : json::value();
    out["entries"] = entries_of(reading, source);
    out["pages"] = as_array(*list_pages(reading, organization_id, source, false));
    out["history"] = history_of(reading, source);
    return out;
}

std::optional<std::string> finding_detail(Engine& engine, const std::string& organization_id,
                                          const std::string& workflow_key,
                                          const std::string& file_id) {
    const SqlRows rows =
        engine.query(fmt::format("SELECT d.detail {} AND f.id = ? AND d.detail IS NOT NULL", kFrom),
                     organization_id, workflow_key, workflow_key, file_id);
    if (rows.empty()) return std::nullopt;
    return rows[0].get<std::string>(0);
}

std::optional<std::vector<json::object>> list_pages(const TableReader& reading,
                                                    const std::string& organization_id,
                                                    const std::string& file_id, bool words) {
    // What was read is kept under the file that the run was about, which may be a copy of this one.
    const SqlRows rows = reading.query(
        "SELECT coalesce((SELECT d.file_id FROM document_findings d WHERE d.workflow_run_id = "
        "f.workflow_run_id), (SELECT p.original_file_id FROM unified_files p WHERE "
        "p.workflow_run_id = f.workflow_run_id AND p.file_type = 'pdf_page' LIMIT 1), (SELECT "
        "r.file_id FROM workflow_runs r WHERE r.public_id = f.workflow_run_id), f.id) FROM "
        "unified_files f WHERE f.id = ? AND f.organization_id = ?",
        file_id, organization_id);
    if (rows.empty()) return std::nullopt;
    const std::string source = rows[0].get<std::string>(0);
    std::vector<json::object> out;
    for (const media::Page& page : load_pages(reading, source, 1))
        out.push_back(page_object(page, page_file_id(source, page.number), words));
    // Those that could not be read have a row of their own, with why.
    for (const SqlRow row : reading.query(
             "SELECT page_number, id, coalesce(error_message, '') FROM unified_files WHERE "
             "original_file_id = ? AND file_type = 'pdf_page' AND ai_status = 'ocr_failed'",
             source)) {
        media::Page unread;
        unread.number = row.get<int>(0);
        out.push_back(page_object(unread, row.get<std::string>(1), words));
        out.back()["error"] = row.get<std::string>(2);
    }
    std::ranges::sort(out, {}, [](const json::object& page) {
        return page.at("number").to_number<std::int64_t>();
    });
    return out;
}

}  // namespace belay::workflows
