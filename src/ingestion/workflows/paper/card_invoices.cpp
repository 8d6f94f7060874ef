#include "ingestion/workflows/paper/card_invoices.hpp"

#include <limits>

#include <fmt/format.h>
#include <boost/json/parse.hpp>

#include "core/base/text.hpp"
#include "ingestion/workflows/paper/match_rows.hpp"

namespace belay::workflows {

namespace {

namespace json = boost::json;
using MaybeText = std::optional<std::string>;

constexpr int kCountedMax = 1'000'000;

json::value or_null(const MaybeText& text) { return text ? json::value(*text) : json::value(); }

// %text% with the signs that LIKE reads taken as they stand.
std::string like_pattern(const std::string& text) {
    std::string out = "%";
    for (const char c : text) {
        if (c == '%' || c == '_' || c == '!') out += '!';
        out += c;
    }
    return out + "%";
}

// A statement that prints no number is kept under its file's id, which is nothing to show (stand_in_number).
// `total` and `invoice_total` are the printed sum of the rows, `new_balance` what is to be paid.
constexpr std::string_view kHeader =
    "m.id, d.id, CASE WHEN m.number_printed = 1 THEN m.invoice_number END, m.invoice_date, "
    "m.due_date, m.period_start, m.period_end, m.previous_balance, m.amount_to_pay, "
    "m.invoice_total, m.\"sum\", m.currency, m.card_number_masked, m.payment_ocr, d.status, "
    "d.processing_status, d.source_file_id, d.uploaded_at, d.updated_at, "
    "(SELECT count(*) FROM invoice_lines l WHERE l.invoice_id = d.id), "
    "(SELECT count(*) FROM invoice_lines l WHERE l.invoice_id = d.id AND l.matched_file_id IS NOT "
    "NULL), "
    "(SELECT count(*) FROM invoice_lines l WHERE l.invoice_id = d.id AND l.matched_file_id IS NULL "
    "AND l.match_status <> 'ignored' AND l.amount NOT LIKE '-%' AND l.amount <> '0.00'), "
    "m.card_last_4, m.bank_name "
    "FROM invoice_documents d JOIN creditcard_invoices_main m ON m.id = d.creditcard_main_id";

json::object header_of(const SqlRow& row) {
    // Payments, refunds and ignored lines are in the total alone: they need no receipt.
    const json::object counts{{"total", row.get<std::int64_t>(19)},
                              {"matched", row.get<std::int64_t>(20)},
                              {"unmatched", row.get<std::int64_t>(21)}};
    return {{"id", row.get<std::string>(1)},
            {"main_id", row.get<std::int64_t>(0)},
            {"file_id", row.get<std::string>(16)},
            {"invoice_number", or_null(row.get<MaybeText>(2))},
            {"statement_date", or_null(row.get<MaybeText>(3))},
            {"due_date", or_null(row.get<MaybeText>(4))},
            {"period_start", or_null(row.get<MaybeText>(5))},
            {"period_end", or_null(row.get<MaybeText>(6))},
            {"previous_balance", or_null(row.get<MaybeText>(7))},
            {"new_balance", or_null(row.get<MaybeText>(8))},
            {"total", or_null(row.get<MaybeText>(9))},
            {"invoice_total", or_null(row.get<MaybeText>(9))},
            {"sum", or_null(row.get<MaybeText>(10))},
            {"currency", or_null(row.get<MaybeText>(11))},
            {"card_number_masked", or_null(row.get<MaybeText>(12))},
            {"card_last_4", or_null(row.get<MaybeText>(22))},
            {"issuer", or_null(row.get<MaybeText>(23))},
            {"payment_ocr", or_null(row.get<MaybeText>(13))},
            {"status", row.get<std::string>(14)},
            {"processing_status", row.get<std::string>(15)},
            {"line_counts", counts},
            {"created_at", base::format_time(row.get<Time>(17))},
            {"updated_at", base::format_time(row.get<Time>(18))}};
}

// A payment or a refund needs no receipt, and so is never without one.
bool needs_receipt(const SqlRow& row) {
    const std::string amount = row.get<MaybeText>(6).value_or("");
    return row.get<std::string>(10) != "ignored" && !amount.starts_with('-') && amount != "0.00";
}

json::object line_of(const SqlRow& row) {
    json::object out{{"id", row.get<std::int64_t>(0)},
                     {"line_no", row.get<std::int64_t>(1)},
                     {"date", or_null(row.get<MaybeText>(2))},
                     {"posted", or_null(row.get<MaybeText>(3))},
                     {"description", or_null(row.get<MaybeText>(4))},
                     {"city", or_null(row.get<MaybeText>(5))},
                     {"amount", or_null(row.get<MaybeText>(6))},
                     {"currency", or_null(row.get<MaybeText>(7))},
                     {"currency_original", or_null(row.get<MaybeText>(8))},
                     {"amount_original", or_null(row.get<MaybeText>(9))},
                     {"match_status", row.get<std::string>(10)},
                     {"matched_file_id", or_null(row.get<MaybeText>(11))},
                     {"needs_receipt", needs_receipt(row)},
                     {"match_score", nullptr},
                     {"confidence", nullptr}};
    if (const auto score = row.get<std::optional<double>>(12)) out["match_score"] = *score;
    if (const auto sure = row.get<std::optional<double>>(13)) out["confidence"] = *sure;
    return out;
}

SqlRows line_rows(const TableReader& reading, const std::string& document_id,
                  std::string_view also = "") {
    return reading.query(
        fmt::format("SELECT l.id, l.line_no, l.transaction_date, i.posting_date, l.description, "
                    "i.merchant_city, l.amount, l.currency, i.currency_original, "
                    "i.amount_original, l.match_status, l.matched_file_id, l.match_score, "
                    "l.extraction_confidence FROM invoice_lines l LEFT JOIN "
                    "creditcard_invoice_items i ON i.id = l.creditcard_item_id "
                    "WHERE l.invoice_id = ? {} ORDER BY l.line_no",
                    also),
        document_id);
}

json::value receipt_summary(Engine& engine, const std::string& file_id) {
    const SqlRows rows = engine.query(
        fmt::format("SELECT f.id, f.original_filename, substr(f.purchase_datetime, 1, 10), "
                    "f.gross_amount, f.currency, coalesce({}, '') FROM unified_files f {} WHERE "
                    "f.id = ?",
                    kMerchant, kMerchantFrom),
        file_id);
    if (rows.empty()) return nullptr;
    const SqlRow row = rows[0];
    return json::object{
        {"file_id", row.get<std::string>(0)},         {"name", row.get<std::string>(1)},
        {"date", or_null(row.get<MaybeText>(2))},     {"total", or_null(row.get<MaybeText>(3))},
        {"currency", or_null(row.get<MaybeText>(4))}, {"merchant", row.get<std::string>(5)}};
}

json::array line_history(Engine& engine, std::int64_t line_id) {
    json::array out;
    for (const SqlRow row : engine.query(
             "SELECT action, performed_by, old_matched_file_id, new_matched_file_id, reason, "
             "created_at FROM invoice_line_history WHERE invoice_line_id = ? ORDER BY id",
             line_id)) {
        out.push_back(json::object{{"action", row.get<std::string>(0)},
                                   {"performed_by", row.get<std::string>(1)},
                                   {"old_matched_file_id", or_null(row.get<MaybeText>(2))},
                                   {"new_matched_file_id", or_null(row.get<MaybeText>(3))},
                                   {"reason", or_null(row.get<MaybeText>(4))},
                                   {"created_at", base::format_time(row.get<Time>(5))}});
    }
    return out;
}

json::object candidates_of(Tx& tx, const std::string& organization_id, std::int64_t line_id,
                           const std::string& currency) {
    json::array found;
    const auto line = find_line(tx, organization_id, line_id);
    if (line && line->date.is_valid()) {
        const auto receipts = receipts_near(tx, organization_id, line->date.plus_days(-7),
                                            line->date.plus_days(7), currency, false);
        for (const auto& candidate : ai::rules::candidates_to_choose(*line, receipts)) {
            found.push_back(
                json::object{{"file_id", candidate.receipt},
                             {"difference", ai::rules::money_text(candidate.difference)},
                             {"days", candidate.days},
                             {"score", candidate.score}});
        }
    }
    return {{"line_id", line_id}, {"candidates", std::move(found)}};
}

}  // namespace

FindingsPage list_card_invoices(const TableReader& reading, const std::string& organization_id,
                                std::optional<std::int64_t> before, int limit,
                                const CardInvoiceFilter& filter) {
    constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::max();
    constexpr std::string_view kWanted =
        "WHERE d.organization_id = ? AND d.deleted_at IS NULL AND m.id < ? AND "
        "(? = '' OR lower(m.invoice_number || ' ' || coalesce(m.card_number_masked, '') || ' ' || "
        "coalesce(m.bank_name, '')) LIKE lower(?) ESCAPE '!' OR EXISTS (SELECT 1 FROM "
        "invoice_lines "
        "l WHERE l.invoice_id = d.id AND lower(coalesce(l.description, '')) LIKE lower(?) ESCAPE "
        "'!')) AND (? = '' OR d.status = ?) AND "
        "(? = '' OR substr(coalesce(m.invoice_date, m.period_end), 1, 10) >= ?) AND "
        "(? = '' OR substr(coalesce(m.invoice_date, m.period_end), 1, 10) <= ?)";
    const std::string like = like_pattern(filter.text);
    const auto asked = [&](const std::string& sql, std::int64_t below, int most) {
        return reading.query(sql, organization_id, below, filter.text, like, like, filter.status,
                             filter.status, filter.from, filter.from, filter.to, filter.to, most);
    };
    const SqlRows rows =
        asked(fmt::format("SELECT {} {} ORDER BY m.id DESC LIMIT ?", kHeader, kWanted),
              before.value_or(kAll), limit + 1);
    FindingsPage page;
    if (!before) {
        page.total = rows.size() <= static_cast<std::size_t>(limit)
                         ? static_cast<std::int64_t>(rows.size())
                         : asked(fmt::format("SELECT count(*) FROM (SELECT m.id FROM "
                                             "invoice_documents d JOIN creditcard_invoices_main m "
                                             "ON m.id = d.creditcard_main_id {} LIMIT ?) n",
                                             kWanted),
                                 kAll, kCountedMax)[0]
                               .get<std::int64_t>(0);
    }
    for (const SqlRow row : rows) {
        if (page.rows.size() == static_cast<std::size_t>(limit)) {
            page.next = rows[page.rows.size() - 1].get<std::int64_t>(0);
            break;
        }
        page.rows.push_back(header_of(row));
    }
    return page;
}

std::optional<std::string> find_card_document(const TableReader& reading,
                                              const std::string& organization_id,
                                              const std::string& id) {
    const SqlRows rows = reading.query(
        "SELECT d.id FROM invoice_documents d JOIN creditcard_invoices_main m ON "
        "m.id = d.creditcard_main_id WHERE d.organization_id = ? AND d.deleted_at IS NULL AND "
        "(d.id = ? OR d.source_file_id = ? OR CAST(m.id AS TEXT) = ?) LIMIT 1",
        organization_id, id, id, id);
    if (!rows.empty()) return rows[0].get<std::string>(0);
    // A file that was imported before another took its place: by what its run found.
    const SqlRows by_run = reading.query(
        "SELECT d.id FROM document_findings g JOIN unified_files f ON "
        "f.workflow_run_id = g.workflow_run_id JOIN invoice_documents d ON d.id = g.document_id "
        "WHERE f.id = ? AND g.organization_id = ? AND d.deleted_at IS NULL LIMIT 1",
        id, organization_id);
    if (by_run.empty()) return std::nullopt;
    return by_run[0].get<std::string>(0);
}

json::object card_invoice(const TableReader& reading, const std::string& document_id) {
    const SqlRows rows =
        reading.query(fmt::format("SELECT {} WHERE d.id = ?", kHeader), document_id);
    if (rows.empty()) return {};
    json::object out = header_of(rows[0]);
    const SqlRows found = reading.query(
        "SELECT g.detail, g.confidence, g.review, g.workflow_run_id FROM document_findings g JOIN "
        "unified_files f ON f.workflow_run_id = g.workflow_run_id WHERE f.id = ?",
        rows[0].get<std::string>(16));
    out["review"] = json::array{};
    out["confidence"] = nullptr;
    out["workflow_run_id"] = nullptr;
    out["detail"] = nullptr;
    if (!found.empty()) {
        out["detail"] = json::parse(found[0].get<std::string>(0));
        out["confidence"] = found[0].get<double>(1);
        out["review"] = json::parse(found[0].get<std::string>(2));
        out["workflow_run_id"] = found[0].get<std::string>(3);
    }
    out["rows"] = card_lines(reading, document_id);
    return out;
}

json::array card_lines(const TableReader& reading, const std::string& document_id) {
    json::array out;
    for (const SqlRow row : line_rows(reading, document_id)) out.push_back(line_of(row));
    return out;
}

json::array card_matches(Engine& engine, const std::string& document_id) {
    json::array out;
    for (const SqlRow row : line_rows(engine, document_id, "AND l.matched_file_id IS NOT NULL")) {
        json::object line = line_of(row);
        line["receipt"] = receipt_summary(engine, row.get<std::string>(11));
        line["history"] = line_history(engine, row.get<std::int64_t>(0));
        out.push_back(std::move(line));
    }
    return out;
}

json::array card_candidates(Engine& engine, const std::string& organization_id,
                            const std::string& document_id, std::optional<std::int64_t> line_id) {
    constexpr std::size_t kLinesMax = 200;
    std::vector<std::pair<std::int64_t, std::string>> wanted;
    for (const SqlRow row : line_rows(engine, document_id)) {
        const auto id = row.get<std::int64_t>(0);
        const bool open = !row.get<MaybeText>(11) && needs_receipt(row);
        if ((line_id ? id == *line_id : open) && wanted.size() < kLinesMax)
            wanted.emplace_back(id, row.get<MaybeText>(7).value_or(""));
    }
    return engine.transact([&](Tx& tx) {
        json::array out;
        for (const auto& [id, currency] : wanted)
            out.push_back(candidates_of(tx, organization_id, id, currency));
        return out;
    });
}

}  // namespace belay::workflows
