#include "ingestion/workflows/paper/ending.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <belay/skip.hpp>

#include "ingestion/ai/rules/accounting.hpp"
#include "ingestion/ingest/copies.hpp"
#include "ingestion/workflows/paper/document_states.hpp"
#include "ingestion/workflows/paper/history.hpp"
#include "ingestion/workflows/paper/pages.hpp"

namespace belay::workflows {

namespace {

struct FailureRecord {
    std::string file_id{};
    std::string stage{};
    std::string message{};
    std::vector<PageFailure> pages{};
};
BOOST_DESCRIBE_STRUCT(FailureRecord, (), (file_id, stage, message, pages))

std::string record_failure(Tx& tx, const FailureRecord& failure) {
    if (!is_own_source(tx, failure.file_id)) return "failed";
    note_failure(tx, failure.file_id, failure.stage, failure.message);
    if (is_current_run(tx, failure.file_id)) {
        tx.exec(
            "UPDATE unified_files SET ai_status = 'failed', error_message = ?, updated_at = ? "
            "WHERE id = ?",
            failure.message, tx.now(), failure.file_id);
        for (const PageFailure& page : failure.pages) mark_page_failed(tx, failure.file_id, page);
    }
    return "failed";
}

void mark_processing(Tx& tx, const RunInfo& run) {
    tx.exec(
        "UPDATE unified_files SET ai_status = 'processing', error_message = NULL, completed_at = "
        "NULL, "
        "updated_at = ? "
        "WHERE workflow_run_id = ? AND file_type <> 'pdf_page'",
        tx.now(), run.id);
}

void mark_ended(Tx& tx, const RunInfo& run) {
    const bool canceled = run.status == RunStatus::Canceled;
    std::string reason = run.error;
    if (reason.empty()) reason = fmt::format("the run is {}", to_string(run.status));
    tx.exec(
        "UPDATE unified_files SET completed_at = ?, updated_at = ?, "
        "error_message = CASE WHEN ai_status = 'failed' THEN error_message ELSE ? END, "
        "ai_status = CASE WHEN ai_status = 'failed' THEN ai_status ELSE ? END "
        "WHERE workflow_run_id = ? AND file_type <> 'pdf_page'",
        tx.now(), tx.now(), reason, canceled ? "canceled" : "failed", run.id);
}

bool is_doubtful(const std::vector<std::string>& review) {
    return std::ranges::any_of(
        review, [](const std::string& reason) { return reason != ai::rules::kForeignCurrency; });
}

std::string_view status_of(const std::vector<std::string>& review) {
    return is_doubtful(review) ? "manual_review" : "completed";
}

// A run that was canceled when `finalize` was recorded already and then retried: what says its status does not run again.
void mark_succeeded(Tx& tx, const RunInfo& run) {
    const auto review = tx.value<std::string>(
        "SELECT review FROM document_findings WHERE workflow_run_id = ?", run.id);
    if (!review) return;
    tx.exec(
        "UPDATE unified_files SET ai_status = ?, error_message = NULL, completed_at = ?, "
        "updated_at = ? WHERE workflow_run_id = ? AND file_type <> 'pdf_page' AND ai_status NOT IN "
        "('completed', 'manual_review', 'approved')",
        status_of(from_json<std::vector<std::string>>(*review)), tx.now(), tx.now(), run.id);
}

}  // namespace

std::string save_finding(Tx& tx, const Finding& finding) {
    const SourceFile file = own_source(tx, finding.file_id);
    const std::string status{status_of(finding.review)};
    tx.exec(
        "INSERT INTO document_findings (workflow_run_id, organization_id, file_id, kind, result, "
        "detail, confidence, review, document_id, created_at, updated_at) VALUES (?, ?, ?, ?, ?, "
        "?, ?, "
        "?, ?, ?, ?) "
        "ON CONFLICT (workflow_run_id) DO UPDATE SET result = excluded.result, "
        "detail = excluded.detail, confidence = excluded.confidence, review = excluded.review, "
        "document_id = excluded.document_id, "
        "updated_at = excluded.updated_at",
        tx.run_id(), file.organization_id, file.file_id, finding.kind, finding.result,
        finding.detail, finding.confidence, to_json(finding.review),
        finding.document_id.empty() ? std::nullopt : std::optional(finding.document_id), tx.now(),
        tx.now());
    // Files with the same content share the run, and so its end.
    tx.exec(
        "UPDATE unified_files SET ai_status = ?, ai_confidence = ?, error_message = NULL, "
        "completed_at = ?, updated_at = ? WHERE workflow_run_id = ? AND file_type <> 'pdf_page'",
        status, finding.confidence, tx.now(), tx.now(), tx.run_id());
    ingest::share_found(tx, tx.run_id(), file.file_id);
    ingest::leave_to_copy(tx, file.file_id);
    return status;
}

void mark_page_failed(Tx& tx, const std::string& document_id, const PageFailure& page) {
    tx.exec(
        "UPDATE unified_files SET ai_status = 'ocr_failed', error_message = ?, updated_at = ? "
        "WHERE id = ?",
        page.message, tx.now(), page_file_id(document_id, page.number));
}

Failed failed_with(const StepFailed& error) {
    Failed failed{error.stage(), error.what(), std::current_exception()};
    if (const auto* fan = dynamic_cast<const FanFailed*>(&error)) {
        for (const BranchFailure& branch : fan->failures())
            failed.pages.push_back({static_cast<int>(branch.branch) + 1, branch.message});
    }
    return failed;
}

Task<void> give_up(Context& ctx, std::string file_id, Failed failed,
                   std::vector<std::string> later) {
    const std::string reason = fmt::format("stage `{}` failed", failed.stage);
    if (failed.message.find(kMismatch) != std::string::npos)
        co_await skip(ctx, "guard", failed.message);
    for (const std::string& stage : later) co_await skip(ctx, stage, reason);
    const FailureRecord record{file_id, failed.stage, failed.message, failed.pages};
    co_await ctx.transaction("finalize", record_failure, record);
    std::rethrow_exception(failed.error);
}

WorkflowOptions paper_options(Engine& engine, std::string_view summary,
                              std::string_view invoice_type) {
    WorkflowOptions options;
    options.summary = summary;
    options.admit = [&engine](std::string_view organization, const FileInput& input) {
        admit_file(engine, organization, input);
    };
    options.on_start = [type = std::string(invoice_type)](Tx& tx, const RunInfo& run) {
        mark_processing(tx, run);
        if (!type.empty()) open_document(tx, run, type);
    };
    options.on_end = [has_document = !invoice_type.empty()](Tx& tx, const RunInfo& run) {
        if (run.status == RunStatus::Succeeded) {
            mark_succeeded(tx, run);
            if (has_document) reopen_document(tx, run);
            return;
        }
        mark_ended(tx, run);
        if (has_document) fail_document(tx, run);
    };
    return options;
}

void set_status(Tx& tx, const std::string& file_id, std::string_view ai_status) {
    tx.exec("UPDATE unified_files SET ai_status = ?, updated_at = ? WHERE id = ?", ai_status,
            tx.now(), file_id);
}

}  // namespace belay::workflows
