#include "ingestion/ingest/files.hpp"

#include <limits>

#include <fmt/format.h>

#include "ingestion/ingest/ids.hpp"

namespace belay::ingest {

namespace {

constexpr std::string_view kFileColumns =
    "f.id, f.organization_id, f.file_type, f.original_filename, f.original_file_size, f.mime_type, "
    "coalesce(f.content_hash, ''), f.object_key, f.object_etag, f.workflow_type, "
    "f.ingest_workflow_key, f.workflow_run_id, coalesce(u.status, f.ai_status), f.created_at, "
    "CASE WHEN u.updated_at > f.updated_at THEN u.updated_at ELSE f.updated_at END";
constexpr std::size_t kFileColumnCount = 15;

// A picture has an Upload of its own, by its key and version.
constexpr std::string_view kFrom =
    "FROM unified_files f LEFT JOIN Upload u ON u.r2_key = f.object_key AND u.r2_etag = "
    "f.object_etag AND f.ingest_workflow_key = 'IMAGE_CLASSIFICATION'";

FileRow file_in(const SqlRow& row) {
    return FileRow{row.get<std::string>(0),  row.get<std::string>(1),  row.get<std::string>(2),
                   row.get<std::string>(3),  row.get<std::int64_t>(4), row.get<std::string>(5),
                   row.get<std::string>(6),  row.get<std::string>(7),  row.get<std::string>(8),
                   row.get<std::string>(9),  row.get<std::string>(10), row.get<std::string>(11),
                   row.get<std::string>(12), row.get<Time>(13),        row.get<Time>(14)};
}

// What papers have instead of an Upload. A company's name is what its papers say; where a paper names none, the
// company's that its number belongs to.
constexpr std::string_view kFindingColumns =
    "f.error_message, coalesce(f.completed_at, d.created_at), coalesce(d.kind, ''), "
    "coalesce(d.result, ''), coalesce(c.name, ''), "
    "coalesce(d.document_id, '')";
constexpr std::string_view kFindingFrom =
    "LEFT JOIN document_findings d ON "
    "d.workflow_run_id = f.workflow_run_id LEFT JOIN companies c ON c.id = f.company_id";

// Only pictures have an Upload that keeps it. The run's id has it too, with the generation, unless the file shares the
// run of another.
std::string event_of(const FileRow& file, const std::string& kept) {
    if (!kept.empty()) return kept;
    std::string event = upload_event_id(file.key, file.etag);
    const std::size_t at = file.workflow_run_id.find(event);
    return at == std::string::npos ? event : file.workflow_run_id.substr(at);
}

// People ask whether a file is done, not which of the statuses of its workflow it has.
constexpr std::string_view kStateOfStatus =
    "CASE WHEN coalesce(u.status, f.ai_status) IN ('failed', 'classification_failed') THEN "
    "CASE WHEN EXISTS (SELECT 1 FROM workflow_runs r WHERE r.public_id = f.workflow_run_id AND "
    "r.status = 'canceled') THEN 'canceled' ELSE 'failed' END "
    "WHEN coalesce(u.status, f.ai_status) = 'canceled' THEN 'canceled' "
    "WHEN coalesce(u.status, f.ai_status) = 'manual_review' THEN 'review' "
    "WHEN coalesce(u.status, f.ai_status) IN ('classified', 'completed', 'approved') THEN 'done' "
    "ELSE 'active' END";

// Waiting is not work: a run of which every step waits for a thread is not at work. A stage with others inside is as long
// as they are.
constexpr std::string_view kRunState =
    "(SELECT CASE WHEN r.status <> 'running' THEN r.status "
    "WHEN EXISTS (SELECT 1 FROM workflow_stage_runs s WHERE s.workflow_run_id = r.id AND s.status "
    "= "
    "'running' AND NOT EXISTS (SELECT 1 FROM workflow_stage_runs i WHERE i.workflow_run_id = "
    "s.workflow_run_id AND i.path LIKE s.path || '.%')) THEN 'running' "
    "WHEN EXISTS (SELECT 1 FROM workflow_stage_runs s WHERE s.workflow_run_id = r.id AND s.status "
    "= "
    "'retrying') THEN 'retrying' "
    "WHEN EXISTS (SELECT 1 FROM workflow_stage_runs s WHERE s.workflow_run_id = r.id AND s.status "
    "= "
    "'queued') THEN 'slot' ELSE 'running' END "
    "FROM workflow_runs r WHERE r.public_id = f.workflow_run_id)";

// In its name, the model's answer, or what was read. What a picture says is not asked of files without words.
constexpr std::string_view kHasText =
    "(? = '' OR lower(f.original_filename) LIKE lower(?) ESCAPE '!' OR "
    "lower(coalesce(u.classification_top_label, '')) LIKE lower(?) ESCAPE '!' OR "
    "lower(coalesce(f.ocr_raw, '')) LIKE lower(?) ESCAPE '!')";

constexpr int kCountedMax = 1'000'000;

// %text% with the signs that LIKE reads taken as they stand.
std::string like_pattern(const std::string& text) {
    std::string out = "%";
    for (const char c : text) {
        if (c == '%' || c == '_' || c == '!') out += '!';
        out += c;
    }
    return out + "%";
}

}  // namespace

namespace {

template <class From>
std::optional<FileRow> find_in(From& from, const std::string& organization_id,
                               const std::string& file_id) {
    const SqlRows rows = from.query(
        fmt::format(
            "SELECT {} {} WHERE f.id = ? AND f.organization_id = ? AND f.deleted_at IS NULL",
            kFileColumns, kFrom),
        file_id, organization_id);
    if (rows.empty()) return std::nullopt;
    return file_in(rows[0]);
}

}  // namespace

std::optional<FileRow> find_file(Engine& engine, const std::string& organization_id,
                                 const std::string& file_id) {
    return find_in(engine, organization_id, file_id);
}
std::optional<FileRow> find_file(Tx& tx, const std::string& organization_id,
                                 const std::string& file_id) {
    return find_in(tx, organization_id, file_id);
}

UploadPage list_uploads(Engine& engine, const std::string& organization_id,
                        std::optional<std::int64_t> before, int limit, const UploadFilter& filter) {
    const std::string like = like_pattern(filter.text);
    const Time since = filter.since.value_or(Time{});
    const Time until = filter.until.value_or(Time{std::chrono::hours{24 * 366 * 5000}});
    // One more than asked for tells whether there are more.
    const std::string wanted = fmt::format(
        "WHERE f.organization_id = ? AND f.seq < ? AND f.deleted_at IS NULL AND "
        "f.file_type <> 'pdf_page' AND {} AND "
        "(? = '' OR f.workflow_type = ?) AND (? = '' OR ? = {}) AND "
        "f.created_at >= ? AND f.created_at < ?",
        kHasText, kStateOfStatus);
    const auto asked = [&](const std::string& sql, std::int64_t below, int most) {
        return engine.query(sql, organization_id, below, filter.text, like, like, like,
                            filter.workflow_type, filter.workflow_type, filter.state, filter.state,
                            since, until, most);
    };
    constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::max();
    const SqlRows rows = asked(
        fmt::format(
            "SELECT {}, coalesce(u.upload_event_id, ''), u.classification_model, "
            "u.classification_top_label, u.classification_top_score, "
            "u.classification_json, u.classification_error, u.completed_at, f.seq, {}, {} {} {} {} "
            "ORDER BY f.seq DESC LIMIT ?",
            kFileColumns, kRunState, kFindingColumns, kFrom, kFindingFrom, wanted),
        before.value_or(kAll), limit + 1);
    UploadPage page;
    if (!before) {
        const auto fewer = static_cast<std::int64_t>(rows.size());
        page.total = fewer <= limit
                         ? fewer
                         : asked(fmt::format("SELECT count(*) FROM (SELECT f.seq {} {} LIMIT ?) m",
                                             kFrom, wanted),
                                 kAll, kCountedMax)[0]
                               .get<std::int64_t>(0);
    }
    for (const SqlRow row : rows) {
        if (page.uploads.size() == static_cast<std::size_t>(limit)) {
            page.next =
                rows[static_cast<std::size_t>(limit) - 1].get<std::int64_t>(kFileColumnCount + 7);
            break;
        }
        constexpr std::size_t at = kFileColumnCount;
        FileRow file = file_in(row);
        std::string event = event_of(file, row.get<std::string>(at));
        UploadRow upload{std::move(file),
                         std::move(event),
                         row.get<std::optional<std::string>>(at + 1),
                         row.get<std::optional<std::string>>(at + 2),
                         row.get<std::optional<double>>(at + 3),
                         row.get<std::optional<std::string>>(at + 4),
                         row.get<std::optional<std::string>>(at + 5),
                         row.get<std::optional<Time>>(at + 6)};
        upload.failure = upload.error ? upload.error : row.get<std::optional<std::string>>(at + 9);
        if (!upload.completed_at) upload.completed_at = row.get<std::optional<Time>>(at + 10);
        upload.run_state = row.get<std::optional<std::string>>(at + 8);
        upload.found_kind = row.get<std::string>(at + 11);
        upload.found = row.get<std::string>(at + 12);
        upload.merchant = row.get<std::string>(at + 13);
        upload.document_id = row.get<std::string>(at + 14);
        page.uploads.push_back(std::move(upload));
    }
    return page;
}

}  // namespace belay::ingest
