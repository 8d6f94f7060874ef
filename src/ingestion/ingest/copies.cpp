#include "ingestion/ingest/copies.hpp"

#include <fmt/format.h>

namespace belay::ingest {

namespace {

// Everything that is read out of the bytes, and how far that is. Whose the file is, what it is called and which line of a
// card it belongs to is its own.
constexpr std::string_view kFound =
    "file_type, ai_status, ai_confidence, error_message, completed_at, approved_by, ocr_raw, "
    "other_data, orgnr, company_id, purchase_datetime, receipt_number, payment_type, "
    "expense_type, currency, gross_amount, net_amount, gross_amount_original, "
    "net_amount_original, exchange_rate, gross_amount_sek, net_amount_sek, total_vat_25, "
    "total_vat_12, total_vat_6, credit_card_number, credit_card_last_4_digits, "
    "credit_card_brand_short";

// The document's status follows its lines: without any match it waits for receipts again.
void refresh_document(Tx& tx, const std::string& document_id) {
    tx.exec(
        "UPDATE invoice_documents SET status = CASE WHEN EXISTS (SELECT 1 FROM invoice_lines l "
        "WHERE l.invoice_id = invoice_documents.id AND l.matched_file_id IS NOT NULL) THEN "
        "'partially_matched' ELSE 'matching' END, updated_at = ? WHERE id = ? AND status IN "
        "('matched', 'partially_matched', 'completed')",
        tx.now(), document_id);
}

bool has_line(Tx& tx, const std::string& receipt) {
    return tx.value<int>("SELECT 1 FROM invoice_lines WHERE matched_file_id = ? LIMIT 1", receipt)
        .has_value();
}

}  // namespace

void share_found(Tx& tx, const std::string& run_id, const std::string& file_id) {
    tx.exec(fmt::format("UPDATE unified_files SET ({0}) = (SELECT {0} FROM unified_files WHERE id "
                        "= ?) WHERE workflow_run_id = ? AND id <> ? AND file_type <> 'pdf_page' "
                        "AND deleted_at IS NULL",
                        kFound),
            file_id, run_id, file_id);
}

void inherit_found(Tx& tx, const std::string& file_id) {
    const auto other = copy_of(tx, file_id);
    if (!other) return;
    tx.exec(fmt::format("UPDATE unified_files SET ({0}) = (SELECT {0} FROM unified_files WHERE id "
                        "= ?) WHERE id = ?",
                        kFound),
            *other, file_id);
}

std::optional<std::string> copy_of(Tx& tx, const std::string& file_id) {
    return tx.value<std::string>(
        "SELECT o.id FROM unified_files f JOIN unified_files o ON o.workflow_run_id = "
        "f.workflow_run_id WHERE f.id = ? AND o.id <> f.id AND o.deleted_at IS NULL AND "
        "o.file_type <> 'pdf_page' ORDER BY o.seq LIMIT 1",
        file_id);
}

void move_documents(Tx& tx, const std::string& from, const std::string& to) {
    tx.exec("UPDATE invoice_documents SET source_file_id = ? WHERE source_file_id = ?", to, from);
    tx.exec("UPDATE creditcard_invoices_main SET source_file_id = ? WHERE source_file_id = ?", to,
            from);
}

void move_lines(Tx& tx, const std::string& from, const std::string& to) {
    tx.exec("UPDATE invoice_lines SET matched_file_id = ? WHERE matched_file_id = ?", to, from);
    tx.exec("UPDATE creditcard_receipt_matches SET receipt_id = ? WHERE receipt_id = ?", to, from);
    tx.exec(
        "UPDATE unified_files SET (credit_card_match, matched, matched_invoice_id, "
        "invoice_match_status) = (SELECT o.credit_card_match, o.matched, o.matched_invoice_id, "
        "o.invoice_match_status FROM unified_files o WHERE o.id = ?) WHERE id = ?",
        from, to);
}

void free_lines_of(Tx& tx, const std::string& receipt) {
    const SqlRows lines = tx.query(
        "SELECT id, invoice_id, creditcard_item_id FROM invoice_lines WHERE matched_file_id = ?",
        receipt);
    for (const SqlRow line : lines) {
        const auto id = line.get<std::int64_t>(0);
        tx.exec(
            "INSERT INTO invoice_line_history (invoice_line_id, action, performed_by, "
            "old_matched_file_id, reason, created_at) VALUES (?, 'unmatched', 'system', ?, "
            "'receipt-deleted', ?)",
            id, receipt, tx.now());
        tx.exec(
            "UPDATE invoice_lines SET matched_file_id = NULL, match_score = NULL, match_status = "
            "'unmatched' WHERE id = ?",
            id);
        tx.exec("UPDATE creditcard_invoice_items SET matched = 0, updated_at = ? WHERE id = ?",
                tx.now(), line.get<std::optional<std::int64_t>>(2));
        refresh_document(tx, line.get<std::string>(1));
    }
    tx.exec("DELETE FROM creditcard_receipt_matches WHERE receipt_id = ?", receipt);
}

bool leave_to_copy(Tx& tx, const std::string& file_id) {
    const auto is_there =
        tx.value<int>("SELECT 1 FROM unified_files WHERE id = ? AND deleted_at IS NULL", file_id);
    const auto copy = is_there ? std::nullopt : copy_of(tx, file_id);
    if (!copy) return false;
    move_documents(tx, file_id, *copy);
    if (has_line(tx, *copy))
        free_lines_of(tx, file_id);
    else if (has_line(tx, file_id))
        move_lines(tx, file_id, *copy);
    return true;
}

}  // namespace belay::ingest
