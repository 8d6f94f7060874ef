#include "ingestion/ingest/tables.hpp"

#include "ingestion/ingest/document_tables.hpp"

namespace belay::ingest {

namespace {

// Clustered by `seq`, so that a new row never lands on an old page; `id` is what the world knows. A row is removed
// softly: its run and its history stay.
constexpr std::string_view kFiles = R"sql(
CREATE TABLE unified_files (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    organization_id TEXT NOT NULL,
    file_type TEXT NOT NULL,
    original_filename TEXT NOT NULL,
    original_file_id TEXT NOT NULL,
    original_file_size INTEGER NOT NULL,
    mime_type TEXT NOT NULL,
    file_suffix TEXT NOT NULL DEFAULT '',
    content_hash TEXT,
    object_key TEXT NOT NULL,
    object_etag TEXT NOT NULL,
    workflow_type TEXT NOT NULL,
    ingest_workflow_key TEXT NOT NULL,
    ingest_source_channel TEXT NOT NULL DEFAULT '',
    workflow_run_id TEXT NOT NULL,
    ai_status TEXT NOT NULL DEFAULT 'ingested',
    other_data TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    deleted_at INTEGER
);
CREATE INDEX idx_files_organization ON unified_files (organization_id, seq DESC);
CREATE INDEX idx_files_content ON unified_files (organization_id, ingest_workflow_key, content_hash);
CREATE INDEX idx_files_run ON unified_files (workflow_run_id);
CREATE INDEX idx_files_key ON unified_files (object_key);
)sql";

constexpr std::string_view kUpload = R"sql(
CREATE TABLE Upload (
    upload_event_id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL,
    name TEXT NOT NULL,
    r2_key TEXT NOT NULL,
    r2_etag TEXT NOT NULL,
    r2_size INTEGER NOT NULL,
    content_type TEXT,
    workflow_id TEXT NOT NULL UNIQUE,
    status TEXT NOT NULL
        CHECK (status IN ('ingested', 'workflow_running', 'classified', 'classification_failed')),
    classification_model TEXT,
    classification_top_label TEXT,
    classification_top_score REAL,
    classification_json TEXT,
    classification_error TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    completed_at INTEGER
);
CREATE INDEX idx_upload_org_created ON Upload (organization_id, created_at DESC);
CREATE INDEX idx_upload_status ON Upload (status);
CREATE UNIQUE INDEX idx_upload_org_name_etag ON Upload (organization_id, name, r2_etag);
)sql";

constexpr std::string_view kHeads = R"sql(
CREATE TABLE object_heads (
    object_key TEXT PRIMARY KEY,
    etag TEXT NOT NULL,
    event_at INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    deleted INTEGER NOT NULL DEFAULT 0
);
)sql";

// The order of S3's own events of one key; and what was told but not yet done, done, or never can be.
constexpr std::string_view kInbox = R"sql(
ALTER TABLE object_heads ADD COLUMN sequencer TEXT NOT NULL DEFAULT '';
CREATE TABLE object_inbox (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL,
    source TEXT NOT NULL,
    action TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('created', 'deleted', 'other', 'invalid')),
    object_key TEXT NOT NULL,
    other_key TEXT NOT NULL,
    etag TEXT NOT NULL,
    sequencer TEXT NOT NULL,
    event_at BIGINT NOT NULL,
    body TEXT NOT NULL,
    status TEXT NOT NULL
        CHECK (status IN ('waiting', 'done', 'ignored', 'invalid', 'dead', 'dropped')),
    attempts BIGINT NOT NULL DEFAULT 0,
    due_at BIGINT NOT NULL,
    reason TEXT NOT NULL DEFAULT '',
    workflow_run_id TEXT NOT NULL DEFAULT '',
    received_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX idx_inbox_due ON object_inbox (status, due_at);
CREATE INDEX idx_inbox_organization ON object_inbox (organization_id, id);
)sql";

// A small picture of each file that somebody looked at; no bytes for one that cannot be drawn.
constexpr std::string_view kThumbnails = R"sql(
CREATE TABLE file_thumbnails (
    file_id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL,
    jpeg BLOB NOT NULL,
    made_at INTEGER NOT NULL
);
)sql";

// Every file with a picture has an Upload, also those that share the run of the same bytes: so `workflow_id` is not
// unique any more. Two objects may be called the same, so neither is the name: the object's key and version are. Copies
// from before have none; they get one, under the id of their file.
constexpr std::string_view kUploadOfEach = R"sql(
CREATE TABLE Upload_each (
    upload_event_id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL,
    name TEXT NOT NULL,
    r2_key TEXT NOT NULL,
    r2_etag TEXT NOT NULL,
    r2_size INTEGER NOT NULL,
    content_type TEXT,
    workflow_id TEXT NOT NULL,
    status TEXT NOT NULL
        CHECK (status IN ('ingested', 'workflow_running', 'classified', 'classification_failed')),
    classification_model TEXT,
    classification_top_label TEXT,
    classification_top_score REAL,
    classification_json TEXT,
    classification_error TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    completed_at INTEGER
);
INSERT INTO Upload_each SELECT upload_event_id, organization_id, name, r2_key, r2_etag, r2_size,
    content_type, workflow_id, status, classification_model, classification_top_label,
    classification_top_score, classification_json, classification_error, created_at, updated_at,
    completed_at FROM Upload;
INSERT INTO Upload_each SELECT f.id, f.organization_id, f.original_filename, f.object_key,
    f.object_etag, f.original_file_size, f.mime_type, f.workflow_run_id, u.status,
    u.classification_model, u.classification_top_label, u.classification_top_score,
    u.classification_json, u.classification_error, f.created_at, u.updated_at, u.completed_at
    FROM unified_files f JOIN Upload u ON u.workflow_id = f.workflow_run_id
    WHERE f.deleted_at IS NULL AND (f.object_key <> u.r2_key OR f.object_etag <> u.r2_etag);
DELETE FROM Upload_each WHERE NOT EXISTS (SELECT 1 FROM unified_files f WHERE
    f.object_key = Upload_each.r2_key AND f.object_etag = Upload_each.r2_etag AND
    f.ingest_workflow_key = 'IMAGE_CLASSIFICATION' AND f.deleted_at IS NULL);
DROP TABLE Upload;
ALTER TABLE Upload_each RENAME TO Upload;
CREATE INDEX idx_upload_org_created ON Upload (organization_id, created_at DESC);
CREATE INDEX idx_upload_status ON Upload (status);
CREATE INDEX idx_upload_workflow ON Upload (workflow_id);
CREATE INDEX idx_upload_org_name_etag ON Upload (organization_id, name, r2_etag);
CREATE UNIQUE INDEX idx_upload_key_etag ON Upload (r2_key, r2_etag);
)sql";

// How often the object store could not be asked about it: that is no fault of the message, and wears nothing out.
constexpr std::string_view kOutages = R"sql(
ALTER TABLE object_inbox ADD COLUMN outages BIGINT NOT NULL DEFAULT 0;
)sql";

// Whose objects the sender of a message may tell of: what its metadata says is held against it.
constexpr std::string_view kSpeaksFor = R"sql(
ALTER TABLE object_inbox ADD COLUMN speaks_for TEXT NOT NULL DEFAULT '';
)sql";

// What the XML of a file says: `reading` is a media::ReadEInvoice::Result.
constexpr std::string_view kEInvoices = R"sql(
CREATE TABLE einvoices (
    file_id TEXT PRIMARY KEY,
    reading TEXT NOT NULL,
    created_at INTEGER NOT NULL
);
)sql";

// Copies have what their run found, as they have since (copies.hpp); those from before had only its status.
constexpr std::string_view kFoundOfEach = R"sql(
UPDATE unified_files SET (
    file_type, completed_at, ocr_raw, other_data, orgnr, company_id, purchase_datetime, receipt_number,
    payment_type, expense_type, currency, gross_amount, net_amount, gross_amount_original, net_amount_original,
    exchange_rate, gross_amount_sek, net_amount_sek, total_vat_25, total_vat_12, total_vat_6,
    credit_card_number, credit_card_last_4_digits, credit_card_brand_short
) = (SELECT
    s.file_type, s.completed_at, s.ocr_raw, s.other_data, s.orgnr, s.company_id, s.purchase_datetime,
    s.receipt_number, s.payment_type, s.expense_type, s.currency, s.gross_amount, s.net_amount,
    s.gross_amount_original, s.net_amount_original, s.exchange_rate, s.gross_amount_sek, s.net_amount_sek,
    s.total_vat_25, s.total_vat_12, s.total_vat_6, s.credit_card_number, s.credit_card_last_4_digits,
    s.credit_card_brand_short
    FROM document_findings d JOIN unified_files s ON s.id = d.file_id
    WHERE d.workflow_run_id = unified_files.workflow_run_id)
WHERE file_type <> 'pdf_page' AND EXISTS (SELECT 1 FROM document_findings d WHERE
    d.workflow_run_id = unified_files.workflow_run_id AND d.file_id <> unified_files.id);
)sql";

}  // namespace

std::vector<std::string> migrations() {
    return {
        std::string(kFiles) + std::string(kUpload) + std::string(kHeads),
        std::string(kInbox),
        document_tables(),
        std::string(kThumbnails),
        statement_identity(),
        std::string(kUploadOfEach) + std::string(kOutages),
        std::string(kSpeaksFor),
        std::string(kEInvoices),
        std::string(kFoundOfEach),
    };
}

}  // namespace belay::ingest
