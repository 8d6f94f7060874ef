#include "ingestion/workflows/paper/statement_rows.hpp"

#include <map>

#include <fmt/format.h>
#include <boost/json/serialize.hpp>

#include <belay/error.hpp>

#include "core/base/utf8.hpp"
#include "ingestion/workflows/paper/document_states.hpp"

namespace belay::workflows {

namespace {

namespace json = boost::json;
using ai::rules::Date;
using ai::rules::Decimal;
using ai::rules::Found;
using ai::rules::money_text;
using ai::rules::Statement;
using ai::rules::StatementRow;
using MaybeText = std::optional<std::string>;

MaybeText money(const Found<Decimal>& found) {
    return found ? MaybeText{money_text(*found)} : std::nullopt;
}
MaybeText iso(const std::optional<Date>& date) {
    return date ? MaybeText{date->text()} : std::nullopt;
}
MaybeText decimal(const std::optional<Decimal>& value) {
    return value ? MaybeText{value->text()} : std::nullopt;
}
MaybeText some(const std::string& text) { return text.empty() ? std::nullopt : MaybeText{text}; }

// What makes an item the same one when a statement is imported again.
std::string identity(int line_no, const MaybeText& date, const MaybeText& amount,
                     const std::string& description) {
    return fmt::format("{}|{}|{}|{}", line_no, date.value_or(""), amount.value_or(""), description);
}

struct Kept {
    std::int64_t item_id = 0;
    std::int64_t line_id = 0;
    int matched = 0;
    MaybeText receipt{};
    std::optional<double> score{};
    std::string match_status = "pending";
};

// What a statement without a number is known by: the same file imported again is the same statement. Only for the key;
// people are shown none (card_invoices.cpp).
std::string stand_in_number(const SourceFile& file) { return "INV-" + file.file_id; }

class Importer {
public:
    Importer(Tx& tx, const SourceFile& file, const Statement& statement)
        : tx_(tx), file_(file), statement_(statement),
          number_(statement.invoice_number.value.value_or(stand_in_number(file))) {}

    Persisted run() {
        upsert_main();
        upsert_document();
        const auto before = known_items();
        tx_.exec("DELETE FROM creditcard_invoice_items WHERE main_id = ?", main_id_);
        tx_.exec("DELETE FROM invoice_lines WHERE invoice_id = ?", document_id_);
        int line_no = 0;
        for (const StatementRow& row : statement_.rows) insert_row(++line_no, row, before);
        let_go_of_others();
        check_count();
        return {main_id_, document_id_, number_, line_no, existed_};
    }

private:
    void upsert_main() {
        const auto known = tx_.value<std::int64_t>(
            "SELECT id FROM creditcard_invoices_main WHERE organization_id = ? AND invoice_number "
            "= ?",
            file_.organization_id, number_);
        existed_ = known.has_value();
        const Statement& s = statement_;
        tx_.exec(
            "INSERT INTO creditcard_invoices_main (organization_id, invoice_number, "
            "source_file_id, "
            "ocr_raw, currency, card_number_masked, invoice_date, due_date, payment_due, "
            "payment_ocr, invoice_total, card_total, \"sum\", amount_to_pay, period_start, "
            "period_end, previous_balance, created_at, updated_at) "
            "SELECT ?, ?, ?, ocr_raw, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? "
            "FROM unified_files WHERE id = ? "
            "ON CONFLICT (organization_id, invoice_number) DO UPDATE SET "
            "source_file_id = excluded.source_file_id, ocr_raw = excluded.ocr_raw, "
            "currency = excluded.currency, card_number_masked = excluded.card_number_masked, "
            "invoice_date = excluded.invoice_date, due_date = excluded.due_date, "
            "payment_due = excluded.payment_due, payment_ocr = excluded.payment_ocr, "
            "invoice_total = excluded.invoice_total, card_total = excluded.card_total, "
            "\"sum\" = excluded.\"sum\", amount_to_pay = excluded.amount_to_pay, "
            "period_start = excluded.period_start, period_end = excluded.period_end, "
            "previous_balance = excluded.previous_balance, updated_at = excluded.updated_at",
            file_.organization_id, number_, file_.file_id, s.currency.value,
            s.card_number_masked.value, iso(s.statement_date.value), iso(s.due_date.value),
            iso(s.due_date.value), s.payment_ocr.value, money(s.new_balance), money(s.total),
            money_text(sum()), money(s.new_balance), iso(s.period_start.value),
            iso(s.period_end.value), money(s.previous_balance), tx_.now(), tx_.now(),
            file_.file_id);
        main_id_ = tx_.value<std::int64_t>(
                          "SELECT id FROM creditcard_invoices_main WHERE organization_id = ? AND "
                          "invoice_number = ?",
                          file_.organization_id, number_)
                       .value();
    }

    void upsert_document() {
        document_id_ =
            tx_.value<std::string>("SELECT id FROM invoice_documents WHERE creditcard_main_id = ?",
                                   main_id_)
                .value_or(file_.file_id);
        if (document_id_ != file_.file_id) close_opened(tx_, file_.file_id);
        const std::string metadata = json::serialize(json::object{
            {"source_file_id", file_.file_id},
            {"workflow_run_id", tx_.run_id()},
            {"creditcard_main_id", main_id_},
            {"creditcard_invoice_number", number_},
            {"overall_confidence", statement_.confidence},
        });
        tx_.exec(
            "INSERT INTO invoice_documents (id, organization_id, invoice_type, source_file_id, "
            "creditcard_main_id, invoice_number, period_start, period_end, uploaded_at, "
            "updated_at, "
            "processing_status, metadata_json) "
            "VALUES (?, ?, 'credit_card_invoice', ?, ?, ?, ?, ?, ?, ?, 'ready_for_matching', ?) "
            "ON CONFLICT (id) DO UPDATE SET source_file_id = excluded.source_file_id, "
            "creditcard_main_id = excluded.creditcard_main_id, "
            "invoice_number = excluded.invoice_number, "
            "period_start = excluded.period_start, period_end = excluded.period_end, "
            "updated_at = excluded.updated_at, metadata_json = excluded.metadata_json, "
            "deleted_at = NULL",
            document_id_, file_.organization_id, file_.file_id, main_id_, number_,
            iso(statement_.period_start.value), iso(statement_.period_end.value), tx_.now(),
            tx_.now(), metadata);
        set_document_status(tx_, document_id_, ai::rules::DocumentStatus::Imported);
        set_processing_status(tx_, document_id_, ai::rules::ProcessingStatus::ReadyForMatching);
    }

    std::map<std::string, Kept> known_items() {
        std::map<std::string, Kept> known;
        const SqlRows rows = tx_.query(
            "SELECT i.id, i.line_no, i.purchase_date, i.amount_sek, coalesce(i.description, ''), "
            "i.matched, l.id, l.matched_file_id, l.match_score, coalesce(l.match_status, "
            "'pending') "
            "FROM creditcard_invoice_items i LEFT JOIN invoice_lines l ON "
            "l.creditcard_item_id = i.id WHERE i.main_id = ?",
            main_id_);
        for (const SqlRow row : rows) {
            Kept kept;
            kept.item_id = row.get<std::int64_t>(0);
            kept.matched = row.get<int>(5);
            kept.line_id = row.get<std::optional<std::int64_t>>(6).value_or(0);
            kept.receipt = row.get<MaybeText>(7);
            kept.score = row.get<std::optional<double>>(8);
            kept.match_status = row.get<std::string>(9);
            known[identity(row.get<int>(1), row.get<MaybeText>(2), row.get<MaybeText>(3),
                           row.get<std::string>(4))] = kept;
        }
        return known;
    }

    void insert_row(int line_no, const StatementRow& row,
                    const std::map<std::string, Kept>& before) {
        const MaybeText amount = money_text(row.amount);
        const std::string description = base::truncate(row.description, 1024);
        const auto found = before.find(identity(line_no, iso(row.date), amount, description));
        const Kept same = found == before.end() ? Kept{} : found->second;
        const auto id = [](std::int64_t old) {
            return old == 0 ? std::nullopt : std::optional<std::int64_t>(old);
        };
        tx_.exec(
            "INSERT INTO creditcard_invoice_items (id, main_id, line_no, purchase_date, "
            "posting_date, "
            "merchant_name, merchant_city, description, currency_original, amount_original, "
            "exchange_rate, amount_sek, gross_amount, matched, confidence, source_text, "
            "updated_at) "
            "VALUES (/*sqlite*/ ? /*end*/ /*postgres coalesce(?::bigint, "
            "nextval(pg_get_serial_sequence('creditcard_invoice_items', 'id')))*/, "
            "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            id(same.item_id), main_id_, line_no, iso(row.date), iso(row.posted),
            base::truncate(row.description, 200), some(row.city), description,
            some(row.currency_original), decimal(row.amount_original), decimal(row.exchange_rate),
            amount, amount, same.matched, row.confidence, some(row.source_text), tx_.now());
        const auto item = tx_.value<std::int64_t>(
            "SELECT id FROM creditcard_invoice_items WHERE main_id = ? AND line_no = ?", main_id_,
            line_no);
        tx_.exec(
            "INSERT INTO invoice_lines (id, invoice_id, line_no, creditcard_item_id, "
            "transaction_date, "
            "amount, currency, merchant_name, description, matched_file_id, match_score, "
            "match_status, extraction_confidence, ocr_source_text, created_at) "
            "VALUES (/*sqlite*/ ? /*end*/ /*postgres coalesce(?::bigint, "
            "nextval(pg_get_serial_sequence('invoice_lines', 'id')))*/, "
            "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            id(same.line_id), document_id_, line_no, item, iso(row.date), amount,
            statement_.currency.value, base::truncate(row.description, 255), description,
            same.receipt, same.score, same.match_status, row.confidence, some(row.source_text),
            tx_.now());
    }

    // Receipts whose row is gone are free again.
    void let_go_of_others() {
        tx_.exec(
            "DELETE FROM creditcard_receipt_matches WHERE NOT EXISTS (SELECT 1 FROM "
            "creditcard_invoice_items i WHERE i.id = invoice_item_id)");
        tx_.exec(
            "UPDATE unified_files SET credit_card_match = 0, matched = 0, matched_invoice_id = "
            "NULL, "
            "invoice_match_status = 'unmatched' WHERE matched_invoice_id = ? AND NOT EXISTS "
            "(SELECT 1 FROM invoice_lines l WHERE l.matched_file_id = unified_files.id)",
            document_id_);
    }

    void check_count() {
        const auto count = tx_.value<std::size_t>(
            "SELECT count(*) FROM creditcard_invoice_items WHERE main_id = ?", main_id_);
        if (count != statement_.rows.size()) {
            throw Error(ErrorCode::InvalidArgument,
                        fmt::format("{} rows were written of {}", count.value_or(0),
                                    statement_.rows.size()));
        }
    }

    Decimal sum() const {
        Decimal total{0, 2};
        for (const StatementRow& row : statement_.rows) total = total + row.amount;
        return total;
    }

    Tx& tx_;
    const SourceFile& file_;
    const Statement& statement_;
    const std::string number_;
    std::int64_t main_id_ = 0;
    std::string document_id_{};
    bool existed_ = false;
};

}  // namespace

Persisted save_statement(Tx& tx, const SourceFile& file, const Statement& statement) {
    return Importer{tx, file, statement}.run();
}

}  // namespace belay::workflows
