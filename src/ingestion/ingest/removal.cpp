#include "ingestion/ingest/removal.hpp"

#include <boost/json.hpp>

#include <belay/error.hpp>

#include "ingestion/ingest/copies.hpp"

namespace belay::ingest {

namespace {

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

std::optional<std::string> run_of(Tx& tx, const std::string& file_id) {
    return tx.value<std::string>("SELECT workflow_run_id FROM unified_files WHERE id = ?", file_id);
}

// By the run as well: the file that they were drawn from may have gone before its copy.
void remove_pages(Tx& tx, const std::string& file_id, const std::optional<std::string>& run,
                  Leftovers& left) {
    for (const SqlRow page : tx.query(
             "SELECT object_key FROM unified_files WHERE (original_file_id = ? OR workflow_run_id "
             "= ?) AND file_type = 'pdf_page'",
             file_id, run))
        left.page_keys.push_back(page.get<std::string>(0));
    tx.exec(
        "UPDATE unified_files SET deleted_at = ?, updated_at = ? WHERE (original_file_id = ? OR "
        "workflow_run_id = ?) AND file_type = 'pdf_page' AND deleted_at IS NULL",
        tx.now(), tx.now(), file_id, run);
}

}  // namespace

void take_out(Tx& tx, const std::string& file_id, Leftovers& left) {
    if (leave_to_copy(tx, file_id)) return;  // with its pages
    const auto run = run_of(tx, file_id);
    remove_pages(tx, file_id, run, left);
    free_lines_of(tx, file_id);
    const SqlRows documents = tx.query(
        "SELECT d.id, d.creditcard_main_id, d.organization_id FROM invoice_documents d LEFT JOIN "
        "unified_files s ON s.id = d.source_file_id AND s.deleted_at IS NULL WHERE d.deleted_at "
        "IS NULL AND s.id IS NULL AND (d.source_file_id = ? OR d.id IN (SELECT g.document_id FROM "
        "document_findings g JOIN unified_files f ON f.workflow_run_id = g.workflow_run_id WHERE "
        "f.id = ?))",
        file_id, file_id);
    for (const SqlRow row : documents) {
        const auto id = row.get<std::string>(0);
        if (const auto other = other_file(tx, id, file_id))
            show_another_file(tx, id, *other);
        else
            remove_document(tx, id, row.get<std::optional<std::int64_t>>(1),
                            row.get<std::string>(2));
    }
    if (run) left.runs.push_back(*run);
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

void hand_over(Tx& tx, const std::string& old_file, const std::string& new_file, Leftovers& left) {
    if (!copy_of(tx, old_file)) {
        const auto run = run_of(tx, old_file);
        remove_pages(tx, old_file, run, left);
        if (run) left.runs.push_back(*run);
    }
    move_documents(tx, old_file, new_file);
    move_lines(tx, old_file, new_file);
}

}  // namespace belay::ingest
