#include "ingestion/workflows/paper/source_file.hpp"

#include <fmt/format.h>

#include <belay/engine.hpp>

#include "core/base/hash.hpp"

namespace belay::workflows {

namespace {

// Above the largest upload that makes sense as a document; the sandbox gets a copy of it.
constexpr std::uint64_t kDocumentBytesMax = 256u << 20;

NonRetryable no_file(const std::string& file_id) {
    return NonRetryable(fmt::format("there is no file {}: it was deleted", file_id));
}

SourceFile source_in(const SqlRows& rows, const std::string& file_id) {
    if (rows.empty()) throw no_file(file_id);
    const SqlRow row = rows[0];
    return {row.get<std::string>(0), row.get<std::string>(1),   row.get<std::string>(2),
            row.get<std::string>(3), row.get<std::uint64_t>(4), row.get<std::string>(5),
            row.get<std::string>(6)};
}

// Of the run's organization. A deleted file is still one while a copy of it shares its run, and the copy has its bytes;
// without any, no step is paid for any more.
constexpr std::string_view kOwn =
    "SELECT f.id, o.organization_id, o.original_filename, o.object_key, o.original_file_size, "
    "o.mime_type, coalesce(o.content_hash, ''), f.ingest_workflow_key, f.workflow_type FROM "
    "unified_files f JOIN workflow_runs r ON r.organization_id = f.organization_id JOIN "
    "unified_files o ON o.organization_id = f.organization_id AND o.deleted_at IS NULL AND (o.id = "
    "f.id OR (o.workflow_run_id = f.workflow_run_id AND o.file_type <> 'pdf_page')) WHERE "
    "r.public_id = ? AND f.id = ? AND f.file_type <> 'pdf_page' ORDER BY o.id <> f.id, o.seq "
    "LIMIT 1";

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
    const SqlRows rows = services.engine.query(kOwn, attempt.run_id(), input.file_id);
    const SourceFile file = source_in(rows, input.file_id);
    check_guard(attempt, guard, file, rows[0].get<std::string>(7), rows[0].get<std::string>(8));
    return file;
}

SourceFile own_source(const Attempt& attempt, const PaperServices& services,
                      const std::string& file_id) {
    return source_in(services.engine.query(kOwn, attempt.run_id(), file_id), file_id);
}

SourceFile own_source(Tx& tx, const std::string& file_id) {
    return source_in(tx.query(kOwn, tx.run_id(), file_id), file_id);
}

bool is_own_source(Tx& tx, const std::string& file_id) {
    return !tx.query(kOwn, tx.run_id(), file_id).empty();
}

void admit_file(Engine& engine, std::string_view organization, const FileInput& input) {
    const SqlRows rows = engine.query(
        "SELECT 1 FROM unified_files WHERE id = ? AND organization_id = ? AND deleted_at IS NULL "
        "AND file_type <> 'pdf_page'",
        input.file_id, std::string(organization));
    if (rows.empty()) throw no_file(input.file_id);
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
