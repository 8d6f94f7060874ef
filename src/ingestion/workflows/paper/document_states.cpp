#include "ingestion/workflows/paper/document_states.hpp"

#include <fmt/format.h>

#include <belay/codec.hpp>

#include "ingestion/workflows/paper/source_file.hpp"

namespace belay::workflows {

namespace {

namespace rules = ai::rules;
using rules::DocumentStatus;
using rules::ProcessingStatus;

constexpr int kDocumentStates = static_cast<int>(DocumentStatus::Failed) + 1;
constexpr int kProcessingStates = static_cast<int>(ProcessingStatus::Failed) + 1;

// "'uploaded', 'ocr_done'": the states that `to` may be reached from.
template <class Status>
std::string statuses_before(Status to, int count) {
    std::string list;
    for (int i = 0; i < count; ++i) {
        const auto from = static_cast<Status>(i);
        if (!rules::may_change(from, to)) continue;
        list += fmt::format("{}'{}'", list.empty() ? "" : ", ", rules::to_text(from));
    }
    return list.empty() ? "''" : list;
}

}  // namespace

bool set_document_status(Tx& tx, const std::string& document_id, DocumentStatus to) {
    return tx.exec(
               fmt::format("UPDATE invoice_documents SET status = ?, updated_at = ? WHERE id = ? "
                           "AND status IN ({})",
                           statuses_before(to, kDocumentStates)),
               rules::to_text(to), tx.now(), document_id) > 0;
}

bool set_processing_status(Tx& tx, const std::string& document_id, ProcessingStatus to) {
    return tx.exec(fmt::format("UPDATE invoice_documents SET processing_status = ?, updated_at = ? "
                               "WHERE id = ? AND processing_status IN ({})",
                               statuses_before(to, kProcessingStates)),
                   rules::to_text(to), tx.now(), document_id) > 0;
}

void open_document(Tx& tx, const RunInfo& run, std::string_view invoice_type) {
    // Of the run's own file: copies of it share the run, and a run on a file of another workflow is about to be refused.
    tx.exec(
        "INSERT INTO invoice_documents (id, organization_id, invoice_type, source_file_id, "
        "uploaded_at, updated_at, processing_status) "
        "SELECT id, organization_id, ?, id, created_at, ?, 'uploaded' FROM unified_files "
        "WHERE id = ? AND workflow_run_id = ? ON CONFLICT (id) DO NOTHING",
        invoice_type, tx.now(), from_json<FileInput>(run.input).file_id, run.id);
}

void fail_document(Tx& tx, const RunInfo& run) {
    const std::string id = from_json<FileInput>(run.input).file_id;
    const bool is_current =
        tx.value<std::string>("SELECT workflow_run_id FROM unified_files WHERE id = ?", id) ==
        run.id;
    if (!is_current) return;
    set_processing_status(tx, id, ProcessingStatus::Failed);
    set_document_status(tx, id, DocumentStatus::Failed);
}

void reopen_document(Tx& tx, const RunInfo& run) {
    // Its rows are there: they were in the run's history before it failed or was canceled.
    tx.exec(
        "UPDATE invoice_documents SET processing_status = CASE WHEN creditcard_main_id IS NULL "
        "THEN "
        "'ready_for_matching' ELSE 'matching_completed' END, status = CASE WHEN creditcard_main_id "
        "IS NULL THEN 'imported' WHEN EXISTS (SELECT 1 FROM invoice_lines l WHERE l.invoice_id = "
        "invoice_documents.id AND l.matched_file_id IS NOT NULL) THEN 'partially_matched' ELSE "
        "'matching' END, updated_at = ? WHERE id IN (SELECT coalesce(d.document_id, d.file_id) "
        "FROM "
        "document_findings d WHERE d.workflow_run_id = ?) AND processing_status = 'failed'",
        tx.now(), run.id);
}

void close_opened(Tx& tx, const std::string& file_id) {
    tx.exec("DELETE FROM invoice_documents WHERE id = ? AND creditcard_main_id IS NULL", file_id);
}

}  // namespace belay::workflows
