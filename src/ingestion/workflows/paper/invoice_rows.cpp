#include "ingestion/workflows/paper/invoice_rows.hpp"

#include <fmt/format.h>
#include <boost/json/serialize.hpp>

#include "core/base/utf8.hpp"
#include "ingestion/workflows/paper/document_states.hpp"
#include "ingestion/workflows/paper/receipt_rows.hpp"
#include "ingestion/workflows/paper/source_file.hpp"

namespace belay::workflows {

namespace {

namespace json = boost::json;
using ai::rules::Decimal;
using ai::rules::Found;
using ai::rules::Invoice;
using ai::rules::money_text;
using MaybeText = std::optional<std::string>;

MaybeText money(const Found<Decimal>& found) {
    return found ? MaybeText{money_text(*found)} : std::nullopt;
}
MaybeText plain(const Found<Decimal>& found) {
    return found ? MaybeText{found->text()} : std::nullopt;
}
MaybeText iso(const Found<ai::rules::Date>& found) {
    return found ? MaybeText{found->text()} : std::nullopt;
}

MaybeText tax_of(const Invoice& invoice, int rate) {
    for (const auto& vat : invoice.vat) {
        if (vat.rate == Decimal{rate, 0}) return money_text(vat.amount);
    }
    return std::nullopt;
}

json::value or_null(const MaybeText& text) { return text ? json::value(*text) : json::value(); }

std::string metadata(const Invoice& invoice) {
    return json::serialize(json::object{
        {"invoice_number", or_null(invoice.invoice_number.value)},
        {"seller_vat_number", or_null(invoice.seller_vat_number.value)},
        {"iban", or_null(invoice.payment.iban.value)},
        {"bankgiro", or_null(invoice.payment.bankgiro.value)},
        {"plusgiro", or_null(invoice.payment.plusgiro.value)},
        {"ocr", or_null(invoice.payment.ocr_reference.value)},
        {"due_date", or_null(iso(invoice.due_date))},
        {"overall_confidence", invoice.confidence},
        {"line_counts", json::object{{"total", invoice.lines.size()}}},
    });
}

void update_file(Tx& tx, const std::string& file_id, const Invoice& invoice,
                 const std::optional<std::int64_t>& company) {
    const bool swedish = invoice.currency && *invoice.currency == "SEK";
    const MaybeText gross = money(invoice.grand_total), net = money(invoice.net_total);
    tx.exec(
        "UPDATE unified_files SET file_type = 'invoice', company_id = ?, orgnr = ?, "
        "purchase_datetime = ?, currency = ?, gross_amount = ?, net_amount = ?, "
        "gross_amount_original = ?, net_amount_original = ?, gross_amount_sek = ?, "
        "net_amount_sek = ?, total_vat_25 = ?, total_vat_12 = ?, total_vat_6 = ?, "
        "receipt_number = ?, ai_confidence = ?, updated_at = ? WHERE id = ?",
        company, invoice.seller_orgnr.value, iso(invoice.issue_date), invoice.currency.value, gross,
        net, gross, net, swedish ? gross : std::nullopt, swedish ? net : std::nullopt,
        tax_of(invoice, 25), tax_of(invoice, 12), tax_of(invoice, 6), invoice.invoice_number.value,
        invoice.confidence, tx.now(), file_id);
}

}  // namespace

void replace_lines(Tx& tx, const std::string& file_id, const Invoice& invoice) {
    tx.exec("DELETE FROM invoice_lines WHERE invoice_id = ?", file_id);
    int line_no = 0;
    for (const auto& line : invoice.lines) {
        tx.exec(
            "INSERT INTO invoice_lines (invoice_id, line_no, amount, currency, description, "
            "quantity, "
            "unit_price, vat_rate, extraction_confidence, created_at) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            file_id, ++line_no, money(line.amount), invoice.currency.value,
            base::truncate(line.description.value.value_or(""), 1024), plain(line.quantity),
            plain(line.unit_price), plain(line.vat_rate), line.amount.confidence, tx.now());
    }
}

void save_invoice(Tx& tx, const Answer<Invoice>& answer) {
    const Invoice& invoice = answer.value;
    note_success(tx, answer.file_id, kInvoiceJob, answer.by,
                 fmt::format("{} lines", invoice.lines.size()),
                 ai::rules::invoice_result_json(invoice));
    if (!is_current_run(tx, answer.file_id)) return;
    const std::string organization =
        tx.value<std::string>("SELECT organization_id FROM unified_files WHERE id = ?",
                              answer.file_id)
            .value_or("");
    const std::string orgnr =
        invoice.seller_orgnr ? *invoice.seller_orgnr : invoice.seller_vat_number.value.value_or("");
    const auto company = company_of(tx, organization, invoice.seller_name.value.value_or(""), orgnr,
                                    invoice.seller_address.value.value_or(""));
    update_file(tx, answer.file_id, invoice, company);
    tx.exec(
        "INSERT INTO invoice_documents (id, organization_id, invoice_type, source_file_id, "
        "invoice_number, company_id, uploaded_at, updated_at, processing_status, metadata_json) "
        "VALUES (?, ?, 'supplier', ?, ?, ?, ?, ?, 'ready_for_matching', ?) "
        "ON CONFLICT (id) DO UPDATE SET invoice_number = excluded.invoice_number, "
        "company_id = excluded.company_id, updated_at = excluded.updated_at, "
        "metadata_json = excluded.metadata_json, deleted_at = NULL",
        answer.file_id, organization, answer.file_id, invoice.invoice_number.value, company,
        tx.now(), tx.now(), metadata(invoice));
    set_document_status(tx, answer.file_id, ai::rules::DocumentStatus::Imported);
    set_processing_status(tx, answer.file_id, ai::rules::ProcessingStatus::ReadyForMatching);
    replace_lines(tx, answer.file_id, invoice);
}

}  // namespace belay::workflows
