#include "ingestion/workflows/paper/page_retry.hpp"

#include <fmt/format.h>

#include <belay/error.hpp>

#include "ingestion/workflows/paper/pages.hpp"

namespace belay::workflows {

namespace {

[[noreturn]] void refuse(const std::string& why) { throw Error(ErrorCode::InvalidArgument, why); }

// `wf2_…_p3`, or the next one that nobody has had.
std::string id_of_retry(Tx& tx, const std::string& run, int number) {
    for (int round = 1;; ++round) {
        std::string id = round == 1 ? fmt::format("{}_p{}", run, number)
                                    : fmt::format("{}_p{}_{}", run, number, round);
        if (tx.query("SELECT 1 FROM workflow_runs WHERE public_id = ?", id).empty()) return id;
    }
}

}  // namespace

std::optional<std::string> retry_page(Tx& tx, const std::string& organization_id,
                                      const std::string& file_id, int number) {
    const SqlRows rows = tx.query(
        "SELECT f.workflow_run_id, r.status, f.ai_status, p.ai_status, f.ingest_workflow_key, "
        "coalesce(f.content_hash, ''), p.id, p.original_file_id FROM unified_files f JOIN "
        "workflow_runs r ON "
        "r.public_id = f.workflow_run_id JOIN unified_files p ON p.workflow_run_id = "
        "f.workflow_run_id AND p.file_type = 'pdf_page' AND p.page_number = ? AND p.deleted_at IS "
        "NULL WHERE f.id = ? AND f.organization_id = ? AND f.file_type <> 'pdf_page' AND "
        "f.deleted_at IS NULL",
        number, file_id, organization_id);
    if (rows.empty()) return std::nullopt;
    const SqlRow row = rows[0];
    const auto run = row.get<std::string>(0);
    const auto status = row.get<std::string>(1);
    if (status != "succeeded")
        refuse(
            fmt::format("run {} is {}: a page alone is read again when the run has succeeded "
                        "without it{}",
                        run, status, status == "failed" ? "; retry the run" : ""));
    if (row.get<std::string>(3) != "ocr_failed") refuse(fmt::format("page {} was read", number));
    if (row.get<std::string>(2) == "approved")
        refuse("somebody approved what was found; reopen it first");
    const std::string id = id_of_retry(tx, run, number);
    // Copies share the run, and its pages are theirs.
    tx.exec(
        "UPDATE unified_files SET workflow_run_id = ?, updated_at = ? WHERE workflow_run_id = ?",
        id, tx.now(), run);
    tx.exec(
        "UPDATE unified_files SET ai_status = 'uploaded', error_message = NULL, updated_at = ? "
        "WHERE id = ?",
        tx.now(), row.get<std::string>(6));
    SubmitOptions options;
    options.id = id;
    options.organization_id = organization_id;
    options.source_channel = "page_retry";
    options.file_id = file_id;
    options.content_hash = row.get<std::string>(5);
    // The file that they were read from: what was read is kept under it.
    tx.submit(row.get<std::string>(4), FileInput{row.get<std::string>(7)}, options);
    return id;
}

}  // namespace belay::workflows
