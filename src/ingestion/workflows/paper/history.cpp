#include "ingestion/workflows/paper/history.hpp"

#include "core/base/utf8.hpp"

namespace belay::workflows {

namespace {

// What is kept of a text that only people read.
constexpr std::size_t kTextBytesMax = 64 * 1024;

std::optional<std::string> kept(std::string_view text) {
    if (text.empty()) return std::nullopt;
    return std::string(base::truncate(text, kTextBytesMax));
}

}  // namespace

void note_success(Tx& tx, const std::string& file_id, const AiJob& job, const Answered& by,
                  std::string_view log_text, std::string_view response_text) {
    std::string log(log_text);
    if (!by.note.empty()) log += (log.empty() ? "" : "; ") + by.note;
    tx.exec(
        "INSERT INTO ai_processing_history (file_id, workflow_run_id, job_type, status, "
        "ai_stage_name, log_text, confidence, processing_time_ms, provider, model_name, "
        "response_text, created_at) VALUES (?, ?, ?, 'success', ?, ?, ?, ?, ?, ?, ?, ?)",
        file_id, tx.run_id(), job.job_type, job.stage_name, kept(log), by.confidence, by.took_ms,
        by.provider, by.model, kept(response_text), tx.now());
}

void note_failure(Tx& tx, const std::string& file_id, std::string_view job_type,
                  std::string_view error) {
    tx.exec(
        "INSERT INTO ai_processing_history (file_id, workflow_run_id, job_type, status, "
        "error_message, created_at) VALUES (?, ?, ?, 'error', ?, ?)",
        file_id, tx.run_id(), job_type, kept(error), tx.now());
}

}  // namespace belay::workflows
