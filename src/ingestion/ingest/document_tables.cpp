#include "ingestion/ingest/document_tables.hpp"

#include <array>
#include <string_view>

#include <fmt/format.h>

namespace belay::ingest {

namespace {

// What a file says, once it was read.
constexpr std::array<std::string_view, 38> kFileColumns{
    "submitted_by TEXT",
    "original_file_name TEXT",
    "file_creation_timestamp INTEGER",
    "file_category INTEGER",
    "page_number INTEGER",
    "ai_confidence REAL",
    "error_message TEXT",
    "ocr_raw TEXT",
    "orgnr TEXT",
    "company_id INTEGER",
    "purchase_datetime TEXT",
    "receipt_number TEXT",
    "payment_type TEXT",
    "expense_type TEXT",
    "currency TEXT",
    "gross_amount TEXT",
    "net_amount TEXT",
    "gross_amount_original TEXT",
    "net_amount_original TEXT",
    "exchange_rate TEXT",
    "gross_amount_sek TEXT",
    "net_amount_sek TEXT",
    "total_vat_25 TEXT",
    "total_vat_12 TEXT",
    "total_vat_6 TEXT",
    "approved_by TEXT",
    "credit_card_match INTEGER NOT NULL DEFAULT 0",
    "matched INTEGER NOT NULL DEFAULT 0",
    "invoice_match_status TEXT",
    "matched_invoice_id TEXT",
    "credit_card_number TEXT",
    "credit_card_last_4_digits TEXT",
    "credit_card_brand_full TEXT",
    "credit_card_brand_short TEXT",
    "credit_card_payment_variant TEXT",
    "credit_card_type TEXT",
    "credit_card_token TEXT",
    "credit_card_entering_mode TEXT",
};

// The words of a page, with their places: what every later stage reads. `reading` 2 is a second opinion.
constexpr std::string_view kPages = R"sql(
CREATE INDEX idx_files_parent ON unified_files (original_file_id);
CREATE TABLE page_readings (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    file_id TEXT NOT NULL,
    page_number INTEGER NOT NULL,
    reading INTEGER NOT NULL,
    page TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    UNIQUE (file_id, page_number, reading)
);
)sql";

// What a run found: `result` as clients see it, `detail` with confidence and boxes.
constexpr std::string_view kFindings = R"sql(
CREATE TABLE document_findings (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    workflow_run_id TEXT NOT NULL UNIQUE,
    organization_id TEXT NOT NULL,
    file_id TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('receipt', 'invoice', 'statement')),
    result TEXT NOT NULL,
    detail TEXT NOT NULL,
    confidence REAL,
    review TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
);
CREATE INDEX idx_findings_organization ON document_findings (organization_id, kind, id);
CREATE INDEX idx_findings_file ON document_findings (file_id);
)sql";

constexpr std::string_view kReceipts = R"sql(
CREATE TABLE companies (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    organization_id TEXT NOT NULL,
    name TEXT NOT NULL,
    orgnr TEXT,
    address TEXT,
    address2 TEXT,
    zip TEXT,
    city TEXT,
    country TEXT,
    phone TEXT,
    www TEXT,
    email TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (organization_id, orgnr)
);
CREATE INDEX idx_companies_name ON companies (organization_id, name);
CREATE TABLE receipt_items (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    main_id TEXT NOT NULL,
    line_no INTEGER NOT NULL,
    article_id TEXT,
    name TEXT NOT NULL,
    number TEXT NOT NULL,
    item_price_ex_vat TEXT,
    item_price_inc_vat TEXT,
    item_total_price_ex_vat TEXT,
    item_total_price_inc_vat TEXT,
    currency TEXT,
    vat TEXT,
    vat_percentage TEXT,
    item_vat_total TEXT,
    UNIQUE (main_id, line_no)
);
CREATE TABLE ai_accounting_proposals (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    receipt_id TEXT NOT NULL,
    item_id INTEGER,
    line_no INTEGER NOT NULL,
    account_code TEXT NOT NULL,
    debit TEXT NOT NULL,
    credit TEXT NOT NULL,
    vat_rate TEXT,
    notes TEXT,
    created_at INTEGER NOT NULL,
    UNIQUE (receipt_id, line_no)
);
CREATE TABLE ai_processing_history (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    file_id TEXT NOT NULL,
    workflow_run_id TEXT NOT NULL,
    job_type TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('success', 'error', 'skipped', 'queued')),
    ai_stage_name TEXT,
    log_text TEXT,
    error_message TEXT,
    confidence REAL,
    processing_time_ms INTEGER,
    provider TEXT,
    model_name TEXT,
    prompt_text TEXT,
    response_text TEXT,
    created_at INTEGER NOT NULL
);
CREATE INDEX idx_history_file ON ai_processing_history (file_id, id);
)sql";

constexpr std::string_view kCards = R"sql(
CREATE TABLE creditcard_invoices_main (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    organization_id TEXT NOT NULL,
    invoice_number TEXT NOT NULL,
    source_file_id TEXT NOT NULL,
    ocr_raw TEXT,
    currency TEXT,
    invoice_print_time TEXT,
    card_type TEXT,
    card_name TEXT,
    card_number_masked TEXT,
    card_holder TEXT,
    cost_center TEXT,
    customer_name TEXT,
    co TEXT,
    address TEXT,
    bank_name TEXT,
    bank_org_no TEXT,
    bank_vat_no TEXT,
    bank_fi_no TEXT,
    invoice_date TEXT,
    customer_number TEXT,
    invoice_number_long TEXT,
    due_date TEXT,
    invoice_total TEXT,
    payment_plusgiro TEXT,
    payment_bankgiro TEXT,
    payment_iban TEXT,
    payment_bic TEXT,
    payment_ocr TEXT,
    payment_due TEXT,
    card_total TEXT,
    "sum" TEXT,
    vat_25 TEXT,
    vat_12 TEXT,
    vat_6 TEXT,
    vat_0 TEXT,
    amount_to_pay TEXT,
    reported_vat TEXT,
    next_invoice TEXT,
    period_start TEXT,
    period_end TEXT,
    previous_balance TEXT,
    note_1 TEXT,
    note_2 TEXT,
    note_3 TEXT,
    note_4 TEXT,
    note_5 TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (organization_id, invoice_number)
);
CREATE INDEX idx_card_invoices_date ON creditcard_invoices_main (invoice_date);
CREATE TABLE creditcard_invoice_items (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    main_id INTEGER NOT NULL,
    line_no INTEGER NOT NULL,
    transaction_id TEXT,
    purchase_date TEXT,
    posting_date TEXT,
    merchant_name TEXT,
    merchant_city TEXT,
    merchant_country TEXT,
    mcc TEXT,
    description TEXT,
    currency_original TEXT,
    amount_original TEXT,
    exchange_rate TEXT,
    amount_sek TEXT,
    vat_rate TEXT,
    vat_amount TEXT,
    net_amount TEXT,
    gross_amount TEXT,
    cost_center_override TEXT,
    project_code TEXT,
    matched INTEGER NOT NULL DEFAULT 0 CHECK (matched BETWEEN 0 AND 3),
    confidence REAL,
    source_text TEXT,
    updated_at INTEGER NOT NULL,
    UNIQUE (main_id, line_no)
);
CREATE INDEX idx_card_items_date ON creditcard_invoice_items (purchase_date);
CREATE INDEX idx_card_items_merchant ON creditcard_invoice_items (merchant_name);
CREATE TABLE creditcard_receipt_matches (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    receipt_id TEXT NOT NULL,
    invoice_item_id INTEGER NOT NULL,
    matched_amount TEXT,
    matched_at INTEGER NOT NULL,
    UNIQUE (receipt_id, invoice_item_id)
);
CREATE INDEX idx_card_matches_item ON creditcard_receipt_matches (invoice_item_id);
)sql";

constexpr std::string_view kInvoices = R"sql(
CREATE TABLE invoice_documents (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL,
    invoice_type TEXT NOT NULL CHECK (invoice_type IN ('company_card', 'credit_card_invoice', 'supplier')),
    source_file_id TEXT NOT NULL,
    creditcard_main_id INTEGER UNIQUE,
    invoice_number TEXT,
    company_id INTEGER,
    period_start TEXT,
    period_end TEXT,
    uploaded_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    status TEXT NOT NULL DEFAULT 'imported' CHECK (status IN
        ('imported', 'matching', 'matched', 'partially_matched', 'completed', 'failed')),
    processing_status TEXT NOT NULL DEFAULT 'uploaded' CHECK (processing_status IN
        ('uploaded', 'ocr_pending', 'ocr_done', 'ai_processing', 'ready_for_matching', 'matching_completed',
         'completed', 'failed')),
    metadata_json TEXT,
    deleted_at INTEGER
);
CREATE INDEX idx_invoice_documents_organization ON invoice_documents (organization_id, invoice_type);
CREATE INDEX idx_invoice_documents_file ON invoice_documents (source_file_id);
CREATE TABLE invoice_lines (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    invoice_id TEXT NOT NULL,
    line_no INTEGER NOT NULL,
    creditcard_item_id INTEGER,
    transaction_date TEXT,
    amount TEXT,
    currency TEXT,
    merchant_name TEXT,
    description TEXT,
    quantity TEXT,
    unit_price TEXT,
    vat_rate TEXT,
    matched_file_id TEXT,
    match_score REAL,
    extraction_confidence REAL,
    ocr_source_text TEXT,
    match_status TEXT NOT NULL DEFAULT 'pending' CHECK (match_status IN
        ('pending', 'auto', 'manual', 'confirmed', 'unmatched', 'ignored')),
    created_at INTEGER NOT NULL,
    UNIQUE (invoice_id, line_no)
);
CREATE INDEX idx_invoice_lines_receipt ON invoice_lines (matched_file_id);
CREATE TABLE invoice_line_history (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    invoice_line_id INTEGER NOT NULL,
    action TEXT NOT NULL CHECK (action IN ('matched', 'unmatched', 'rejected', 'confirmed', 'no_match', 'ignored')),
    performed_by TEXT NOT NULL,
    old_matched_file_id TEXT,
    new_matched_file_id TEXT,
    reason TEXT,
    created_at INTEGER NOT NULL
);
CREATE INDEX idx_line_history_line ON invoice_line_history (invoice_line_id, id);
)sql";

// What a statement is known by when it prints no number, and how well it was read; which document a run's finding went
// into. `invoice_total` is the printed sum of the rows, as `total` is everywhere; what is to be paid is `amount_to_pay`.
constexpr std::string_view kIdentity = R"sql(
ALTER TABLE creditcard_invoices_main ADD COLUMN number_printed INTEGER NOT NULL DEFAULT 1;
ALTER TABLE creditcard_invoices_main ADD COLUMN card_last_4 TEXT;
ALTER TABLE creditcard_invoices_main ADD COLUMN adds_up INTEGER NOT NULL DEFAULT 0;
ALTER TABLE document_findings ADD COLUMN document_id TEXT;
ALTER TABLE unified_files ADD COLUMN completed_at BIGINT;
UPDATE creditcard_invoices_main SET number_printed = 0 WHERE invoice_number = 'INV-' || source_file_id;
UPDATE creditcard_invoices_main SET card_last_4 = substr(card_number_masked, length(card_number_masked) - 3)
    WHERE length(card_number_masked) >= 8;
UPDATE creditcard_invoices_main SET card_last_4 = NULL
    WHERE card_last_4 LIKE '%*%' OR card_last_4 LIKE '%x%' OR card_last_4 LIKE '%X%';
UPDATE creditcard_invoices_main SET card_number_masked =
    CASE WHEN card_last_4 IS NULL THEN NULL ELSE '**** ' || card_last_4 END;
UPDATE creditcard_invoices_main SET invoice_total = card_total;
UPDATE document_findings SET document_id = (SELECT d.id FROM invoice_documents d WHERE d.source_file_id =
    document_findings.file_id AND d.creditcard_main_id IS NOT NULL) WHERE kind = 'statement';
CREATE INDEX idx_findings_document ON document_findings (document_id);
CREATE INDEX idx_card_invoices_period ON creditcard_invoices_main (organization_id, period_end);
)sql";

}  // namespace

std::string statement_identity() { return std::string(kIdentity); }

std::string document_tables() {
    std::string sql;
    for (const std::string_view column : kFileColumns)
        sql += fmt::format("ALTER TABLE unified_files ADD COLUMN {};\n", column);
    for (const std::string_view part : {kPages, kFindings, kReceipts, kCards, kInvoices})
        sql += part;
    return sql;
}

}  // namespace belay::ingest
