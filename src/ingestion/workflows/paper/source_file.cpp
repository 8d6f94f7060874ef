#include "ingestion/workflows/paper/source_file.hpp"

#include <fmt/format.h>

#include <belay/engine.hpp>

#include "core/base/hash.hpp"

namespace belay::workflows {

namespace {

// Above the largest upload that makes sense as a document; the sandbox gets a copy of it.
constexpr std::uint64_t kDocumentBytesMax = 256u << 20;

void check_guard(const Attempt& attempt, const Guard& guard, const SourceFile& file,
                 const std::string& workflow_key, const std::string& workflow_type) {
    const bool right_key = workflow_key.starts_with(guard.workflow_prefix);
    const bool right_type = guard.workflow_type.empty() || workflow_type == guard.workflow_type;
    if (right_key && right_type) return;
    throw WorkflowMismatch(fmt::format(
        "{}: stage `{}` is for {}* workflows{}, but {} was uploaded as `{}` for {}", kMismatch,
        attempt.stage(), guard.workflow_prefix,
        guard.workflow_type.empty() ? ""
                                    : fmt::format(" and files of type `{}`", guard.workflow_type),
        file.name, workflow_type, workflow_key));
}

}  // namespace

SourceFile find_source(const Attempt& attempt, const PaperServices& services,
                       const FileInput& input, const Guard& guard) {
    const SqlRows rows = services.engine.query(
        "SELECT id, organization_id, original_filename, object_key, original_file_size, mime_type, "
        "coalesce(content_hash, ''), ingest_workflow_key, workflow_type FROM unified_files "
        "WHERE (id = ? OR workflow_run_id = ?) AND deleted_at IS NULL AND file_type <> 'pdf_page' "
        "ORDER BY id <> ? LIMIT 1",
        input.file_id, attempt.run_id(), input.file_id);
    if (rows.empty())
        throw NonRetryable(fmt::format("there is no file {}: it was deleted", input.file_id));
    const SqlRow row = rows[0];
    const SourceFile file{row.get<std::string>(0),   row.get<std::string>(1),
                          row.get<std::string>(2),   row.get<std::string>(3),
                          row.get<std::uint64_t>(4), row.get<std::string>(5),
                          row.get<std::string>(6)};
    check_guard(attempt, guard, file, row.get<std::string>(7), row.get<std::string>(8));
    return file;
}

std::string read_bytes(const PaperServices& services, const SourceFile& file) {
    auto bytes = services.object_store.get(objects::Key{file.key}, kDocumentBytesMax);
    if (!bytes)
        throw NonRetryable(fmt::format("{} is not stored any more: it was deleted", file.name));
    return *std::move(bytes);
}

std::string read_checked(const PaperServices& services, const SourceFile& file) {
    std::string bytes = read_bytes(services, file);
    const bool same = bytes.size() == file.size &&
                      (file.content_hash.empty() || base::sha256_hex(bytes) == file.content_hash);
    if (!same) {
        throw NonRetryable(
            fmt::format("the bytes stored as {} are not those that were uploaded", file.key));
    }
    return bytes;
}

bool is_current_run(Tx& tx, const std::string& file_id) {
    return tx.value<std::string>("SELECT workflow_run_id FROM unified_files WHERE id = ?",
                                 file_id) == tx.run_id();
}

}  // namespace belay::workflows
