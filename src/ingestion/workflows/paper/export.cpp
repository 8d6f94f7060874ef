#include "ingestion/workflows/paper/export.hpp"

#include <array>
#include <map>

#include <fmt/format.h>

#include <belay/codec.hpp>

#include "ingestion/ai/rules/accounting.hpp"
#include "ingestion/ai/rules/csv.hpp"
#include "ingestion/ai/rules/sie.hpp"
#include "ingestion/ingest/copies.hpp"
#include "ingestion/workflows/paper/findings.hpp"
#include "ingestion/workflows/paper/invoice.hpp"

namespace belay::workflows {

namespace {

namespace rules = ai::rules;
using MaybeText = std::optional<std::string>;

// A year of a company's receipts; more belong into more files.
constexpr int kReceiptsMax = 50'000;

struct AccountName {
    std::string_view number, name;
};
constexpr std::array kAccountNames{
    AccountName{"1930", "Företagskonto"},
    AccountName{"2440", "Leverantörsskulder"},
    AccountName{"2641", "Debiterad ingående moms 25 %"},
    AccountName{"2642", "Debiterad ingående moms 12 %"},
    AccountName{"2643", "Debiterad ingående moms 6 %"},
    AccountName{"5611", "Drivmedel för personbilar"},
    AccountName{"5613", "Parkering"},
    AccountName{"5790", "Övriga kostnader"},
    AccountName{"5800", "Resekostnader"},
    AccountName{"5831", "Kost och logi i Sverige"},
    AccountName{"6110", "Kontorsmateriel"},
    AccountName{"6250", "Postbefordran"},
};

std::string counted(int receipts) {
    return fmt::format("{} receipt{}", receipts, receipts == 1 ? "" : "s");
}

std::string name_of(const std::string& account) {
    for (const AccountName& row : kAccountNames) {
        if (row.number == account) return std::string(row.name);
    }
    return "Konto " + account;
}

SqlRows receipts_in(const TableReader& reading, const std::string& organization_id,
                    const ExportRange& range) {
    const std::string from = range.from ? range.from->text() : "0000";
    const std::string to = range.to ? range.to->plus_days(1).text() : "9999";
    return reading.query(
        fmt::format(
            "SELECT f.id, f.purchase_datetime, coalesce({}, ''), coalesce(f.orgnr, ''), "
            "coalesce(f.gross_amount, ''), coalesce(f.net_amount, ''), coalesce(f.currency, ''), "
            "coalesce(f.total_vat_25, ''), coalesce(f.total_vat_12, ''), coalesce(f.total_vat_6, "
            "''), coalesce(f.payment_type, ''), coalesce(f.expense_type, ''), f.ai_status, "
            "f.original_filename, coalesce(d.file_id, f.id) FROM unified_files f {} "
            "WHERE f.organization_id = ? AND f.ingest_workflow_key = 'WF1_RECEIPT' AND "
            "f.deleted_at IS NULL AND f.ai_status IN ('completed', 'manual_review') AND {} AND "
            "coalesce(f.purchase_datetime, '1') >= ? AND coalesce(f.purchase_datetime, '1') < ? "
            "ORDER BY f.purchase_datetime, f.seq LIMIT ?",
            kMerchant, kMerchantFrom, ingest::kOldestOfItsRun),
        organization_id, from, to, kReceiptsMax);
}

// The time of day is on some receipts only, and nobody books by it.
std::string day_of_purchase(const SqlRow& row) {
    return row.get<MaybeText>(1).value_or("").substr(0, 10);
}

bool is_foreign(const SqlRow& row, const LedgerOptions& ledger) {
    const std::string currency = row.get<std::string>(6);
    return !currency.empty() && currency != ledger.currency;
}

// Receipts that are not in a file of entries.
struct LeftOut {
    int foreign = 0;
    int incomplete = 0;  // no date, or nothing to enter
};

std::string told(const LeftOut& left_out, const LedgerOptions& ledger) {
    std::string out;
    if (left_out.foreign > 0) {
        out += fmt::format("{} in another currency than {}", counted(left_out.foreign),
                           ledger.currency);
    }
    if (left_out.incomplete > 0) {
        out += fmt::format("{}{} without a date or a total", out.empty() ? "" : ", ",
                           counted(left_out.incomplete));
    }
    return out.empty() ? out : "Left out: " + out;
}

std::vector<rules::SieEntry> entries_of(const TableReader& reading, const std::string& file_id,
                                        const LedgerOptions& ledger) {
    std::vector<rules::SieEntry> out;
    for (const SqlRow row : reading.query(
             "SELECT account_code, debit, credit, coalesce(notes, '') FROM ai_accounting_proposals "
             "WHERE receipt_id = ? ORDER BY line_no",
             file_id)) {
        const std::string proposed = row.get<std::string>(0);
        const auto own = ledger.accounts.find(proposed);
        out.push_back({own == ledger.accounts.end() ? proposed : own->second,
                       rules::Decimal::parse(row.get<std::string>(1)).value_or(rules::Decimal{}),
                       rules::Decimal::parse(row.get<std::string>(2)).value_or(rules::Decimal{}),
                       row.get<std::string>(3)});
    }
    return out;
}

}  // namespace

std::string receipts_csv(const TableReader& reading, const std::string& organization_id,
                         const ExportRange& range) {
    std::vector<std::vector<std::string>> rows{{"file_id", "date", "merchant", "orgnr", "total",
                                                "net", "currency", "vat_25", "vat_12", "vat_6",
                                                "payment_type", "expense_type", "status", "file"}};
    for (const SqlRow row : receipts_in(reading, organization_id, range)) {
        std::vector<std::string> line{row.get<std::string>(0), day_of_purchase(row)};
        for (std::size_t i = 2; i < 14; ++i) line.push_back(row.get<std::string>(i));
        rows.push_back(std::move(line));
    }
    return rules::csv(rows);
}

std::optional<std::string> invoice_lines_csv(Engine& engine, const std::string& organization_id,
                                             const std::string& file_id) {
    const auto detail =
        finding_detail(engine, organization_id, std::string(kInvoiceWorkflow), file_id);
    if (!detail) return std::nullopt;
    return rules::invoice_csv(from_json<rules::Invoice>(*detail));
}

std::optional<std::string> card_lines_csv(Engine& engine, const std::string& organization_id,
                                          const std::string& document_id) {
    const SqlRows rows = engine.query(
        "SELECT g.detail FROM invoice_documents d JOIN unified_files f ON f.id = d.source_file_id "
        "JOIN document_findings g ON g.workflow_run_id = f.workflow_run_id "
        "WHERE d.id = ? AND d.organization_id = ?",
        document_id, organization_id);
    if (rows.empty()) return std::nullopt;
    return rules::statement_csv(from_json<rules::Statement>(rows[0].get<std::string>(0)));
}

std::string sie_export(const TableReader& reading, const std::string& organization_id,
                       const ExportRange& range, const rules::Date& today,
                       const LedgerOptions& ledger) {
    rules::SieFile file;
    file.generated = today;
    file.company = organization_id;
    std::map<std::string, std::string> accounts;
    LeftOut left_out;
    for (const SqlRow row : receipts_in(reading, organization_id, range)) {
        if (is_foreign(row, ledger)) {
            ++left_out.foreign;
            continue;
        }
        const auto date = rules::Date::parse(day_of_purchase(row));
        auto entries = entries_of(reading, row.get<std::string>(14), ledger);
        if (!date || entries.empty()) {
            ++left_out.incomplete;
            continue;
        }
        for (const auto& entry : entries) accounts[entry.account] = name_of(entry.account);
        file.verifications.push_back({*date, row.get<std::string>(2), std::move(entries)});
    }
    file.comment = told(left_out, ledger);
    for (auto& [number, name] : accounts) file.accounts.push_back({number, name});
    return rules::sie_file(file);
}

std::string sie_comment(std::string_view file) {
    constexpr std::string_view kBegin = "#PROSA \"";
    const std::size_t at = file.find(kBegin);
    if (at == std::string_view::npos) return {};
    const std::string_view rest = file.substr(at + kBegin.size());
    return std::string(rest.substr(0, rest.find('"')));
}

}  // namespace belay::workflows
