#include "ingestion/workflows/paper/statement_rows.hpp"

#include <cstdlib>
#include <vector>

#include <fmt/format.h>
#include <boost/json/serialize.hpp>

#include <belay/error.hpp>

#include "core/base/utf8.hpp"
#include "ingestion/workflows/paper/document_states.hpp"
#include "ingestion/workflows/paper/statement_identity.hpp"

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

// An item as it is kept, and its line.
struct Kept {
    int line_no = 0;
    MaybeText date{}, amount{};
    std::string description{};
    std::int64_t item_id = 0;
    std::int64_t line_id = 0;
    int matched = 0;
    MaybeText receipt{};
    std::optional<double> score{};
    std::string match_status = "pending";
    bool used = false;  // a row of the new reading is it
};

// A row as it will be written.
struct Row {
    const StatementRow& read;
    MaybeText date{}, amount{};
    std::string description{};
    const Kept* same = nullptr;  // what it was before
};

// How two readings of a row may differ, and it still be the row that people matched: first nothing, then the words,
// then the day. Each kept item is one row at most.
bool is_same(const Row& row, const Kept& kept, int line_no, int pass) {
    if (row.amount != kept.amount) return false;
    const bool words = row.description == kept.description;
    if (pass == 0) return words && row.date == kept.date;
    if (pass == 1) return row.date == kept.date;
    return words && std::abs(line_no - kept.line_no) <= 2;
}

void pair_up(std::vector<Row>& rows, std::vector<Kept>& before) {
    for (int pass = 0; pass < 3; ++pass) {
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (rows[i].same != nullptr) continue;
            for (Kept& kept : before) {
                if (kept.used || !is_same(rows[i], kept, static_cast<int>(i) + 1, pass)) continue;
                kept.used = true;
                rows[i].same = &kept;
                break;
            }
        }
    }
}

class Importer {
public:
    Importer(Tx& tx, const SourceFile& file, const Statement& statement)
        : tx_(tx), file_(file), statement_(statement), known_(find_statement(tx, file, statement)),
          worse_(known_ && is_worse(statement, *known_)) {
        number_ = statement.invoice_number.value.value_or(stand_in_number(file));
        if (known_ && (known_->number_printed || !statement.invoice_number))
            number_ = known_->invoice_number;
    }

    Persisted run() {
        if (known_)
            update_main();
        else
            insert_main();
        upsert_document();
        Persisted out{main_id_, document_id_, number_, 0, known_.has_value(), 0};
        if (worse_) {
            out.items = out.kept = static_cast<int>(known_->items);
            return out;
        }
        out.items = replace_rows();
        return out;
    }

private:
    bool is_number_printed() const {
        return statement_.invoice_number.value.has_value() || (known_ && known_->number_printed);
    }

    void insert_main() {
        const Statement& s = statement_;
        tx_.exec(
            "INSERT INTO creditcard_invoices_main (organization_id, invoice_number, "
            "source_file_id, number_printed, adds_up, ocr_raw, currency, card_number_masked, "
            "card_last_4, bank_name, invoice_date, due_date, payment_due, "
            "payment_ocr, invoice_total, card_total, \"sum\", amount_to_pay, period_start, "
            "period_end, previous_balance, created_at, updated_at) "
            "SELECT ?, ?, ?, ?, ?, ocr_raw, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? "
            "FROM unified_files WHERE id = ?",
            file_.organization_id, number_, file_.file_id, is_number_printed() ? 1 : 0,
            s.adds_up ? 1 : 0, s.currency.value, s.card_number_masked.value, s.card_last_4.value,
            s.issuer.value, iso(s.statement_date.value), iso(s.due_date.value),
            iso(s.due_date.value), s.payment_ocr.value, money(s.total), money(s.total),
            money_text(sum()), money(s.new_balance), iso(s.period_start.value),
            iso(s.period_end.value), money(s.previous_balance), tx_.now(), tx_.now(),
            file_.file_id);
        main_id_ = tx_.value<std::int64_t>(
                          "SELECT id FROM creditcard_invoices_main WHERE organization_id = ? AND "
                          "invoice_number = ?",
                          file_.organization_id, number_)
                       .value();
    }

    // What this reading did not see stays as it is known; what both saw is this one's word, unless it is the worse one.
    void set(std::string_view column, const MaybeText& seen) {
        if (!seen) return;
        const std::string value = worse_ ? fmt::format("coalesce({}, ?)", column) : "?";
        tx_.exec(
            fmt::format("UPDATE creditcard_invoices_main SET {} = {} WHERE id = ?", column, value),
            seen, main_id_);
    }

    void update_main() {
        main_id_ = known_->main_id;
        const Statement& s = statement_;
        set("currency", s.currency.value);
        set("card_number_masked", s.card_number_masked.value);
        set("card_last_4", s.card_last_4.value);
        set("bank_name", s.issuer.value);
        set("invoice_date", iso(s.statement_date.value));
        set("due_date", iso(s.due_date.value));
        set("payment_due", iso(s.due_date.value));
        set("payment_ocr", s.payment_ocr.value);
        set("invoice_total", money(s.total));
        set("card_total", money(s.total));
        set("amount_to_pay", money(s.new_balance));
        set("period_start", iso(s.period_start.value));
        set("period_end", iso(s.period_end.value));
        set("previous_balance", money(s.previous_balance));
        tx_.exec(
            "UPDATE creditcard_invoices_main SET invoice_number = ?, number_printed = ?, "
            "updated_at = ? WHERE id = ?",
            number_, is_number_printed() ? 1 : 0, tx_.now(), main_id_);
        // The file that people are shown beside the rows is the one that the rows were read from, while it is there.
        const bool old_is_gone =
            tx_.value<int>(
                   "SELECT count(*) FROM unified_files f JOIN creditcard_invoices_main m ON "
                   "m.source_file_id = f.id WHERE m.id = ? AND f.deleted_at IS NULL",
                   main_id_)
                .value_or(0) == 0;
        if (worse_ && !old_is_gone) return;
        shows_this_file_ = true;
        tx_.exec(
            "UPDATE creditcard_invoices_main SET source_file_id = ?, ocr_raw = (SELECT ocr_raw "
            "FROM unified_files WHERE id = ?) WHERE id = ?",
            file_.file_id, file_.file_id, main_id_);
        if (worse_) return;
        tx_.exec("UPDATE creditcard_invoices_main SET adds_up = ?, \"sum\" = ? WHERE id = ?",
                 s.adds_up ? 1 : 0, money_text(sum()), main_id_);
    }

    void upsert_document() {
        document_id_ =
            tx_.value<std::string>("SELECT id FROM invoice_documents WHERE creditcard_main_id = ?",
                                   main_id_)
                .value_or(file_.file_id);
        if (document_id_ != file_.file_id) close_opened(tx_, file_.file_id);
        if (worse_ && !shows_this_file_) {
            tx_.exec("UPDATE invoice_documents SET invoice_number = ?, updated_at = ? WHERE id = ?",
                     number_, tx_.now(), document_id_);
            return;
        }
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
            "period_start = coalesce(excluded.period_start, invoice_documents.period_start), "
            "period_end = coalesce(excluded.period_end, invoice_documents.period_end), "
            "updated_at = excluded.updated_at, metadata_json = excluded.metadata_json, "
            "deleted_at = NULL",
            document_id_, file_.organization_id, file_.file_id, main_id_, number_,
            iso(statement_.period_start.value), iso(statement_.period_end.value), tx_.now(),
            tx_.now(), metadata);
        set_document_status(tx_, document_id_, ai::rules::DocumentStatus::Imported);
        set_processing_status(tx_, document_id_, ai::rules::ProcessingStatus::ReadyForMatching);
    }

    std::vector<Kept> known_items() {
        std::vector<Kept> known;
        const SqlRows rows = tx_.query(
            "SELECT i.id, i.line_no, i.purchase_date, i.amount_sek, coalesce(i.description, ''), "
            "i.matched, l.id, l.matched_file_id, l.match_score, coalesce(l.match_status, "
            "'pending') "
            "FROM creditcard_invoice_items i LEFT JOIN invoice_lines l ON "
            "l.creditcard_item_id = i.id WHERE i.main_id = ? ORDER BY i.line_no",
            main_id_);
        for (const SqlRow row : rows) {
            Kept kept;
            kept.item_id = row.get<std::int64_t>(0);
            kept.line_no = row.get<int>(1);
            kept.date = row.get<MaybeText>(2);
            kept.amount = row.get<MaybeText>(3);
            kept.description = row.get<std::string>(4);
            kept.matched = row.get<int>(5);
            kept.line_id = row.get<std::optional<std::int64_t>>(6).value_or(0);
            kept.receipt = row.get<MaybeText>(7);
            kept.score = row.get<std::optional<double>>(8);
            kept.match_status = row.get<std::string>(9);
            known.push_back(std::move(kept));
        }
        return known;
    }

    int replace_rows() {
        std::vector<Kept> before = known_items();
        std::vector<Row> rows;
        for (const StatementRow& row : statement_.rows) {
            rows.push_back({row, iso(row.date), money_text(row.amount),
                            base::truncate(row.description, 1024)});
        }
        pair_up(rows, before);
        tx_.exec("DELETE FROM creditcard_invoice_items WHERE main_id = ?", main_id_);
        tx_.exec("DELETE FROM invoice_lines WHERE invoice_id = ?", document_id_);
        int line_no = 0;
        for (const Row& row : rows) insert_row(++line_no, row);
        let_go_of_others(before);
        check_count();
        return line_no;
    }

    void insert_row(int line_no, const Row& what) {
        const StatementRow& row = what.read;
        const MaybeText& amount = what.amount;
        const std::string& description = what.description;
        const Kept same = what.same == nullptr ? Kept{} : *what.same;
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
    void let_go_of_others(const std::vector<Kept>& before) {
        for (const Kept& gone : before) {
            if (gone.used || !gone.receipt) continue;
            tx_.exec(
                "INSERT INTO invoice_line_history (invoice_line_id, action, performed_by, "
                "old_matched_file_id, reason, created_at) VALUES (?, 'unmatched', 'system', ?, "
                "'imported-again-without-this-line', ?)",
                gone.line_id, gone.receipt, tx_.now());
        }
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
    const std::optional<KnownStatement> known_;
    const bool worse_;  // than what is kept, whose rows stay
    std::string number_{};
    std::int64_t main_id_ = 0;
    std::string document_id_{};
    bool shows_this_file_ = false;
};

}  // namespace

Persisted save_statement(Tx& tx, const SourceFile& file, const Statement& statement) {
    return Importer{tx, file, statement}.run();
}

}  // namespace belay::workflows
