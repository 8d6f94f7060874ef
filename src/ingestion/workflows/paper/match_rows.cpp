#include "ingestion/workflows/paper/match_rows.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "ingestion/workflows/paper/day.hpp"
#include "ingestion/workflows/paper/document_states.hpp"
#include "ingestion/workflows/paper/findings.hpp"
#include "ingestion/workflows/paper/services.hpp"

namespace belay::workflows {

namespace {

namespace rules = ai::rules;
using rules::DocumentStatus;
using rules::MatchChange;
using rules::MatchLine;
using rules::MatchReceipt;
using rules::MatchStatus;
using MaybeText = std::optional<std::string>;

// More receipts than this in the window of one statement are looked at newest first.
constexpr int kReceiptsMax = 5000;

// Of a file `f`: none of those that share its run belongs to a line before it does, or is older.
constexpr std::string_view kStandsForItsCopies =
    "NOT EXISTS (SELECT 1 FROM unified_files o WHERE o.workflow_run_id = f.workflow_run_id AND "
    "o.deleted_at IS NULL AND o.file_type <> 'pdf_page' AND (o.matched > f.matched OR (o.matched = "
    "f.matched AND o.seq < f.seq)))";

std::optional<rules::Decimal> decimal(const MaybeText& text) {
    return text ? rules::Decimal::parse(*text) : std::nullopt;
}

struct LineRow {
    std::string document_id{};
    std::string currency{};
    MatchLine line{};
    bool dated = false;
};

constexpr std::string_view kLineColumns =
    "l.id, l.transaction_date, l.amount, coalesce(l.merchant_name, ''), l.match_status, "
    "coalesce(l.matched_file_id, ''), l.invoice_id, coalesce(l.currency, '')";

LineRow line_in(const SqlRow& row) {
    LineRow out;
    out.line.id = std::to_string(row.get<std::int64_t>(0));
    if (const auto date = rules::Date::parse(row.get<MaybeText>(1).value_or(""))) {
        out.line.date = *date;
        out.dated = true;
    }
    out.line.amount = decimal(row.get<MaybeText>(2)).value_or(rules::Decimal{});
    out.line.merchant = row.get<std::string>(3);
    out.line.status =
        rules::match_status_of(row.get<std::string>(4)).value_or(MatchStatus::Ignored);
    out.line.receipt = row.get<std::string>(5);
    out.document_id = row.get<std::string>(6);
    out.currency = row.get<std::string>(7);
    return out;
}

std::vector<LineRow> lines_of(Tx& tx, const std::string& document_id) {
    std::vector<LineRow> out;
    for (const SqlRow row : tx.query(
             fmt::format("SELECT {} FROM invoice_lines l WHERE l.invoice_id = ? ORDER BY l.line_no",
                         kLineColumns),
             document_id)) {
        out.push_back(line_in(row));
    }
    return out;
}

std::optional<LineRow> line_row(Tx& tx, const std::string& organization_id, std::int64_t line_id) {
    const SqlRows rows = tx.query(
        fmt::format(
            "SELECT {} FROM invoice_lines l JOIN invoice_documents d ON d.id = l.invoice_id "
            "WHERE l.id = ? AND d.organization_id = ? AND d.deleted_at IS NULL",
            kLineColumns),
        line_id, organization_id);
    if (rows.empty()) return std::nullopt;
    return line_in(rows[0]);
}

// A payment or a refund needs no receipt.
bool needs_receipt(const LineRow& row) {
    return row.line.status != MatchStatus::Ignored && !row.line.amount.is_negative() &&
           !row.line.amount.is_zero();
}

int flag_of(MatchStatus status) {
    switch (status) {
        case MatchStatus::Auto:
            return 1;
        case MatchStatus::Manual:
            return 2;
        case MatchStatus::Confirmed:
            return 3;
        default:
            return 0;
    }
}

MaybeText some(const std::string& text) { return text.empty() ? std::nullopt : MaybeText{text}; }

void free_receipt(Tx& tx, const std::string& receipt, std::int64_t line_id) {
    tx.exec(
        "DELETE FROM creditcard_receipt_matches WHERE receipt_id = ? AND invoice_item_id = "
        "(SELECT creditcard_item_id FROM invoice_lines WHERE id = ?)",
        receipt, line_id);
    tx.exec(
        "UPDATE unified_files SET credit_card_match = 0, matched = 0, matched_invoice_id = NULL, "
        "invoice_match_status = 'unmatched', updated_at = ? WHERE id = ?",
        tx.now(), receipt);
}

void take_receipt(Tx& tx, const std::string& receipt, std::int64_t line_id,
                  const std::string& document_id, MatchStatus status) {
    tx.exec(
        "INSERT INTO creditcard_receipt_matches (receipt_id, invoice_item_id, matched_amount, "
        "matched_at) SELECT ?, creditcard_item_id, amount, ? FROM invoice_lines WHERE id = ? AND "
        "creditcard_item_id IS NOT NULL ON CONFLICT (receipt_id, invoice_item_id) DO UPDATE SET "
        "matched_amount = excluded.matched_amount",
        receipt, tx.now(), line_id);
    tx.exec(
        "UPDATE unified_files SET credit_card_match = 1, matched = 1, matched_invoice_id = ?, "
        "invoice_match_status = ?, updated_at = ? WHERE id = ?",
        document_id, status == MatchStatus::Confirmed ? "reviewed" : "matched", tx.now(), receipt);
}

// False if the line is no longer as the change found it.
bool apply(Tx& tx, const MatchChange& change, const std::string& document_id,
           const std::string& by) {
    const std::int64_t line_id = std::stoll(change.line);
    const auto changed = tx.exec(
        "UPDATE invoice_lines SET match_status = ?, matched_file_id = ?, match_score = ? "
        "WHERE id = ? AND match_status = ?",
        rules::to_text(change.to), some(change.receipt),
        change.receipt.empty() ? std::nullopt : std::optional<double>(change.score), line_id,
        rules::to_text(change.from));
    if (changed == 0) return false;
    tx.exec(
        "INSERT INTO invoice_line_history (invoice_line_id, action, performed_by, "
        "old_matched_file_id, new_matched_file_id, reason, created_at) VALUES (?, ?, ?, ?, ?, ?, "
        "?)",
        line_id, change.action, by, some(change.old_receipt), some(change.receipt), change.reason,
        tx.now());
    if (!change.old_receipt.empty() && change.old_receipt != change.receipt)
        free_receipt(tx, change.old_receipt, line_id);
    if (!change.receipt.empty()) take_receipt(tx, change.receipt, line_id, document_id, change.to);
    tx.exec(
        "UPDATE creditcard_invoice_items SET matched = ?, updated_at = ? WHERE id = "
        "(SELECT creditcard_item_id FROM invoice_lines WHERE id = ?)",
        flag_of(change.to), tx.now(), line_id);
    return true;
}

// By line: the receipts that a person took away from it, however often they were sent.
std::map<std::string, std::vector<std::string>> refused_receipts(Tx& tx,
                                                                 const std::string& document_id) {
    std::map<std::string, std::vector<std::string>> out;
    for (const SqlRow row : tx.query(
             "SELECT l.id, c.id FROM invoice_lines l JOIN invoice_line_history h ON "
             "h.invoice_line_id = l.id AND h.action = 'rejected' JOIN unified_files f ON f.id = "
             "h.old_matched_file_id JOIN unified_files c ON c.id = f.id OR (c.organization_id = "
             "f.organization_id AND c.ingest_workflow_key = f.ingest_workflow_key AND "
             "c.content_hash = f.content_hash) WHERE l.invoice_id = ?",
             document_id))
        out[std::to_string(row.get<std::int64_t>(0))].push_back(row.get<std::string>(1));
    return out;
}

// The document's status follows its lines, as far as its table lets it.
MatchSummary refresh(Tx& tx, const std::string& document_id, int changed) {
    MatchSummary out;
    out.document_id = document_id;
    out.changed = changed;
    std::vector<MatchLine> needed;
    for (const LineRow& row : lines_of(tx, document_id)) {
        if (!needs_receipt(row)) continue;
        needed.push_back(row.line);
        out.matched += row.line.receipt.empty() ? 0 : 1;
    }
    out.lines = static_cast<int>(needed.size());
    out.unmatched = out.lines - out.matched;
    DocumentStatus status = rules::status_by_lines(needed);
    // No line has a receipt: it waits for them; where none needs one, there is nothing to wait for.
    if (needed.empty())
        status = DocumentStatus::Matched;
    else if (status == DocumentStatus::Imported)
        status = DocumentStatus::Matching;
    set_document_status(tx, document_id, status);
    out.status =
        tx.value<std::string>("SELECT status FROM invoice_documents WHERE id = ?", document_id)
            .value_or("");
    return out;
}

}  // namespace

MatchSettings match_settings(const PaperOptions& options) {
    return {options.matching, !options.company_cards_last_4.empty()};
}

std::optional<MatchLine> find_line(Tx& tx, const std::string& organization_id,
                                   std::int64_t line_id) {
    const auto row = line_row(tx, organization_id, line_id);
    if (!row) return std::nullopt;
    return row->line;
}

std::vector<MatchReceipt> receipts_near(Tx& tx, const std::string& organization_id,
                                        const rules::Date& from, const rules::Date& to,
                                        const std::string& currency, bool cards_known) {
    std::vector<MatchReceipt> out;
    const SqlRows rows = tx.query(
        fmt::format(
            "SELECT f.id, f.purchase_datetime, f.created_at, f.gross_amount, f.gross_amount_sek, "
            "f.net_amount, f.net_amount_sek, coalesce({}, ''), coalesce(f.expense_type, ''), "
            "coalesce(f.payment_type, ''), coalesce(f.currency, '') FROM unified_files f {} "
            "WHERE f.organization_id = ? AND f.deleted_at IS NULL AND {} AND "
            "f.ingest_workflow_key = 'WF1_RECEIPT' AND f.gross_amount IS NOT NULL AND "
            "(f.purchase_datetime IS NULL OR (f.purchase_datetime >= ? AND f.purchase_datetime < "
            "?)) ORDER BY f.seq DESC LIMIT ?",
            kMerchant, kMerchantFrom, kStandsForItsCopies),
        organization_id, from.text(), to.plus_days(1).text(), kReceiptsMax);
    for (const SqlRow row : rows) {
        const std::string paid_in = row.get<std::string>(10);
        const bool in_kronor = currency == "SEK" && row.get<MaybeText>(4).has_value();
        if (!currency.empty() && !paid_in.empty() && paid_in != currency && !in_kronor) continue;
        MatchReceipt receipt;
        receipt.id = row.get<std::string>(0);
        const auto bought = rules::Date::parse(row.get<MaybeText>(1).value_or("").substr(0, 10));
        receipt.date = bought.value_or(day_of(row.get<Time>(2)));
        receipt.gross = decimal(row.get<MaybeText>(3));
        receipt.gross_sek = decimal(row.get<MaybeText>(4));
        receipt.net = decimal(row.get<MaybeText>(5));
        receipt.net_sek = decimal(row.get<MaybeText>(6));
        receipt.merchant = row.get<std::string>(7);
        const std::string payment = row.get<std::string>(9);
        receipt.personal = row.get<std::string>(8) == "personal" &&
                           (payment == "cash" || payment == "swish" || cards_known);
        out.push_back(std::move(receipt));
    }
    return out;
}

MatchSummary match_document(Tx& tx, const std::string& document_id, const MatchSettings& settings) {
    const auto organization = tx.value<std::string>(
        "SELECT organization_id FROM invoice_documents WHERE id = ? AND deleted_at IS NULL",
        document_id);
    if (!organization)
        throw Error(ErrorCode::NotFound, fmt::format("there is no document {}", document_id));
    set_document_status(tx, document_id, DocumentStatus::Matching);
    std::vector<MatchLine> lines;
    std::string currency;
    auto refused = refused_receipts(tx, document_id);
    for (const LineRow& row : lines_of(tx, document_id)) {
        if (!needs_receipt(row) || !row.dated) continue;
        lines.push_back(row.line);
        lines.back().refused = std::move(refused[row.line.id]);
        currency = row.currency;
    }
    int changed = 0;
    if (!lines.empty()) {
        const auto [first, last] = std::ranges::minmax(lines, {}, &MatchLine::date);
        auto receipts =
            receipts_near(tx, *organization, first.date.plus_days(-settings.rules.days),
                          last.date.plus_days(settings.rules.days), currency, settings.cards_known);
        // What a line of another statement holds is taken.
        std::erase_if(receipts, [&](const MatchReceipt& receipt) {
            return tx.value<int>(
                         "SELECT count(*) FROM invoice_lines WHERE matched_file_id = ? AND "
                         "invoice_id <> ?",
                         receipt.id, document_id)
                       .value_or(0) > 0;
        });
        for (const MatchChange& change :
             rules::match_automatically(lines, receipts, settings.rules)) {
            changed += apply(tx, change, document_id, "system") ? 1 : 0;
        }
    }
    set_processing_status(tx, document_id, rules::ProcessingStatus::MatchingCompleted);
    return refresh(tx, document_id, changed);
}

int match_receipt(Tx& tx, const std::string& file_id, const MatchSettings& settings) {
    // Of a person's whole archive the newest come first; a receipt that fits none of them is matched by hand.
    constexpr int kStatementsMax = 50;
    const SqlRows found = tx.query(
        fmt::format("SELECT f.organization_id, f.purchase_datetime, f.created_at, f.gross_amount "
                    "FROM unified_files r JOIN unified_files f ON f.workflow_run_id = "
                    "r.workflow_run_id WHERE r.id = ? AND f.deleted_at IS NULL AND f.file_type <> "
                    "'pdf_page' AND f.matched = 0 AND {}",
                    kStandsForItsCopies),
        file_id);
    if (found.empty()) return 0;
    const SqlRow receipt = found[0];
    const auto amount = decimal(receipt.get<MaybeText>(3));
    if (!amount) return 0;
    const auto bought = rules::Date::parse(receipt.get<MaybeText>(1).value_or("").substr(0, 10));
    const rules::Date day = bought.value_or(day_of(receipt.get<Time>(2)));
    const double most = settings.rules.tolerance.approx() + 0.005;
    const SqlRows documents = tx.query(
        "SELECT d.id FROM invoice_documents d WHERE d.organization_id = ? AND d.deleted_at IS NULL "
        "AND d.creditcard_main_id IS NOT NULL AND d.processing_status IN ('matching_completed', "
        "'completed') AND EXISTS (SELECT 1 FROM invoice_lines l WHERE l.invoice_id = d.id AND "
        "l.match_status IN ('pending', 'unmatched') AND l.transaction_date >= ? AND "
        "l.transaction_date <= ? AND abs(CAST(l.amount AS REAL) - ?) <= ?) "
        "ORDER BY d.uploaded_at DESC LIMIT ?",
        receipt.get<std::string>(0), day.plus_days(-settings.rules.days).text(),
        day.plus_days(settings.rules.days).text(), amount->approx(), most, kStatementsMax);
    int changed = 0;
    for (const SqlRow row : documents)
        changed += match_document(tx, row.get<std::string>(0), settings).changed;
    return changed;
}

LineOutcome change_line(Tx& tx, const std::string& organization_id, std::int64_t line_id,
                        LineAction action, const std::string& receipt_id, const std::string& by) {
    const auto row = line_row(tx, organization_id, line_id);
    if (!row) return LineNotFound{};
    rules::ManualOutcome outcome;
    switch (action) {
        case LineAction::Link: {
            const auto known = tx.value<int>(
                "SELECT count(*) FROM unified_files WHERE id = ? AND organization_id = ? AND "
                "deleted_at IS NULL AND file_type <> 'pdf_page'",
                receipt_id, organization_id);
            if (known.value_or(0) == 0) return ReceiptNotFound{};
            const auto holder = tx.value<std::int64_t>(
                "SELECT l.id FROM unified_files f JOIN unified_files c ON c.workflow_run_id = "
                "f.workflow_run_id JOIN invoice_lines l ON l.matched_file_id = c.id WHERE f.id = ? "
                "AND l.id <> ? LIMIT 1",
                receipt_id, line_id);
            if (holder) return ReceiptTaken{*holder};
            outcome = rules::link_manually(row->line, receipt_id, {row->line});
            break;
        }
        case LineAction::Confirm:
            outcome = rules::confirm_match(row->line);
            break;
        case LineAction::Reject:
            outcome = rules::reject_match(row->line);
            break;
        case LineAction::Reopen:
            outcome = rules::reopen_match(row->line);
            break;
        case LineAction::Ignore:
            if (rules::may_change(row->line.status, MatchStatus::Ignored)) {
                outcome.change = MatchChange{
                    row->line.id, row->line.status,  MatchStatus::Ignored, row->line.receipt, "", 0,
                    "ignored",    "needs-no-receipt"};
            } else {
                outcome.not_allowed = rules::NotAllowed{row->line.status, MatchStatus::Ignored};
            }
            break;
    }
    if (outcome.in_use) return ReceiptTaken{std::stoll(outcome.in_use->by_line)};
    if (outcome.not_allowed) {
        return NotPossible{std::string(rules::to_text(outcome.not_allowed->from)),
                           std::string(rules::to_text(outcome.not_allowed->to))};
    }
    if (!outcome.change || !apply(tx, *outcome.change, row->document_id, by))
        return NotPossible{std::string(rules::to_text(row->line.status)), ""};
    refresh(tx, row->document_id, 1);
    return LineChanged{row->document_id, line_id, std::string(rules::to_text(outcome.change->to)),
                       some(outcome.change->receipt)};
}

}  // namespace belay::workflows
