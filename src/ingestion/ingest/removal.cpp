#include "ingestion/ingest/removal.hpp"

#include <boost/json.hpp>

#include <belay/error.hpp>

namespace belay::ingest {

namespace {

// The document's status follows its lines: without any match it waits for receipts again.
void refresh_document(Tx& tx, const std::string& document_id) {
    tx.exec(
        "UPDATE invoice_documents SET status = CASE WHEN EXISTS (SELECT 1 FROM invoice_lines l "
        "WHERE l.invoice_id = invoice_documents.id AND l.matched_file_id IS NOT NULL) THEN "
        "'partially_matched' ELSE 'matching' END, updated_at = ? WHERE id = ? AND status IN "
        "('matched', 'partially_matched', 'completed')",
        tx.now(), document_id);
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

// Another file of that document that is there: a copy, or another scan.
std::optional<std::string> other_file(Tx& tx, const std::string& document_id,
                                      const std::string& file_id) {
    return tx.value<std::string>(
        "SELECT f.id FROM unified_files f WHERE f.deleted_at IS NULL AND f.file_type <> 'pdf_page' "
        "AND (f.workflow_run_id = (SELECT workflow_run_id FROM unified_files WHERE id = ?) OR "
        "f.workflow_run_id IN (SELECT workflow_run_id FROM document_findings WHERE document_id = "
        "?)) ORDER BY f.seq DESC LIMIT 1",
        file_id, document_id);
}

void show_another_file(Tx& tx, const std::string& document_id, const std::string& file_id) {
    tx.exec("UPDATE invoice_documents SET source_file_id = ? WHERE id = ?", file_id, document_id);
    tx.exec(
        "UPDATE creditcard_invoices_main SET source_file_id = ? WHERE id = (SELECT "
        "creditcard_main_id FROM invoice_documents WHERE id = ?)",
        file_id, document_id);
}

void remove_document(Tx& tx, const std::string& document_id, std::optional<std::int64_t> main_id,
                     const std::string& organization_id) {
    const auto matches = tx.exec(
        "UPDATE unified_files SET credit_card_match = 0, matched = 0, matched_invoice_id = NULL, "
        "invoice_match_status = 'unmatched', updated_at = ? WHERE matched_invoice_id = ?",
        tx.now(), document_id);
    tx.exec(
        "DELETE FROM creditcard_receipt_matches WHERE invoice_item_id IN (SELECT id FROM "
        "creditcard_invoice_items WHERE main_id = ?)",
        main_id);
    tx.exec("DELETE FROM creditcard_invoice_items WHERE main_id = ?", main_id);
    const auto lines = tx.exec("DELETE FROM invoice_lines WHERE invoice_id = ?", document_id);
    tx.exec("DELETE FROM creditcard_invoices_main WHERE id = ?", main_id);
    tx.exec(
        "UPDATE invoice_documents SET deleted_at = ?, creditcard_main_id = NULL, updated_at = ? "
        "WHERE id = ?",
        tx.now(), tx.now(), document_id);
    if (!main_id) return;
    tx.publish(
        "statement_deleted",
        boost::json::value{{"document_id", document_id}, {"lines", lines}, {"matches", matches}},
        {organization_id});
}

}  // namespace

void take_out(Tx& tx, const std::string& file_id, Leftovers& left) {
    for (const SqlRow page : tx.query("SELECT object_key FROM unified_files WHERE original_file_id "
                                      "= ? AND file_type = 'pdf_page'",
                                      file_id))
        left.page_keys.push_back(page.get<std::string>(0));
    tx.exec(
        "UPDATE unified_files SET deleted_at = ?, updated_at = ? WHERE original_file_id = ? AND "
        "file_type = 'pdf_page' AND deleted_at IS NULL",
        tx.now(), tx.now(), file_id);
    free_lines_of(tx, file_id);
    const SqlRows documents = tx.query(
        "SELECT id, creditcard_main_id, organization_id FROM invoice_documents WHERE deleted_at "
        "IS NULL AND (source_file_id = ? OR id IN (SELECT g.document_id FROM document_findings g "
        "JOIN unified_files f ON f.workflow_run_id = g.workflow_run_id WHERE f.id = ?))",
        file_id, file_id);
    for (const SqlRow row : documents) {
        const auto id = row.get<std::string>(0);
        if (const auto other = other_file(tx, id, file_id))
            show_another_file(tx, id, *other);
        else
            remove_document(tx, id, row.get<std::optional<std::int64_t>>(1),
                            row.get<std::string>(2));
    }
    const auto run =
        tx.value<std::string>("SELECT workflow_run_id FROM unified_files WHERE id = ?", file_id);
    const bool is_needed = tx.value<int>(
                                 "SELECT count(*) FROM unified_files WHERE "
                                 "workflow_run_id = ? AND deleted_at IS NULL",
                                 run)
                               .value_or(0) > 0;
    if (run && !is_needed) left.runs.push_back(*run);
}

void clear_away(Engine& engine, objects::Store& objects, const Leftovers& left,
                std::string_view reason) {
    for (const std::string& key : left.page_keys) {
        if (key.find('#') == std::string::npos) objects.remove(objects::Key{key});
    }
    for (const std::string& run : left.runs) {
        try {
            engine.cancel(run, reason);
        } catch (const Error&) {  // it has ended
        }
    }
}

void hand_over(Tx& tx, const std::string& old_file, const std::string& new_file) {
    tx.exec(
        "UPDATE unified_files SET deleted_at = ?, updated_at = ? WHERE original_file_id = ? AND "
        "file_type = 'pdf_page' AND deleted_at IS NULL",
        tx.now(), tx.now(), old_file);
    tx.exec("UPDATE invoice_documents SET source_file_id = ? WHERE source_file_id = ?", new_file,
            old_file);
    tx.exec("UPDATE creditcard_invoices_main SET source_file_id = ? WHERE source_file_id = ?",
            new_file, old_file);
    tx.exec("UPDATE invoice_lines SET matched_file_id = ? WHERE matched_file_id = ?", new_file,
            old_file);
    tx.exec("UPDATE creditcard_receipt_matches SET receipt_id = ? WHERE receipt_id = ?", new_file,
            old_file);
    tx.exec(
        "UPDATE unified_files SET (credit_card_match, matched, matched_invoice_id, "
        "invoice_match_status) = (SELECT o.credit_card_match, o.matched, o.matched_invoice_id, "
        "o.invoice_match_status FROM unified_files o WHERE o.id = ?) WHERE id = ?",
        old_file, new_file);
}

}  // namespace belay::ingest
