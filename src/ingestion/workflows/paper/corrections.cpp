#include "ingestion/workflows/paper/corrections.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>
#include <boost/json.hpp>

#include <belay/codec.hpp>
#include <belay/error.hpp>

#include "core/base/utf8.hpp"
#include "ingestion/ai/rules/date.hpp"
#include "ingestion/ai/rules/decimal.hpp"
#include "ingestion/ai/rules/invoice.hpp"
#include "ingestion/ai/rules/receipt.hpp"
#include "ingestion/ingest/copies.hpp"
#include "ingestion/workflows/paper/history.hpp"
#include "ingestion/workflows/paper/invoice_rows.hpp"
#include "ingestion/workflows/paper/receipt_rows.hpp"

namespace belay::workflows {

namespace {

namespace json = boost::json;

constexpr std::size_t kValueBytesMax = 400;
constexpr AiJob kCorrectionJob{"correction", "Correction"};
constexpr AiJob kApprovalJob{"approval", "Approval"};
constexpr AiJob kReopeningJob{"reopening", "Reopening"};
constexpr std::size_t kRowsMax = 500;

enum class Shape { Text, Day, Money, Currency };

struct FieldRow {
    std::string_view kind;
    std::string_view field;
    Shape shape;
    std::string_view column;  // of unified_files; empty: only in the finding
};
constexpr std::array kFields{
    FieldRow{"receipt", "merchant", Shape::Text, ""},
    FieldRow{"receipt", "orgnr", Shape::Text, "orgnr"},
    FieldRow{"receipt", "address", Shape::Text, ""},
    FieldRow{"receipt", "date", Shape::Day, "purchase_datetime"},
    FieldRow{"receipt", "total", Shape::Money, "gross_amount"},
    FieldRow{"receipt", "currency", Shape::Currency, "currency"},
    FieldRow{"receipt", "payment_type", Shape::Text, "payment_type"},
    FieldRow{"receipt", "expense_type", Shape::Text, "expense_type"},
    FieldRow{"invoice", "invoice_number", Shape::Text, ""},
    FieldRow{"invoice", "issue_date", Shape::Day, ""},
    FieldRow{"invoice", "due_date", Shape::Day, ""},
    FieldRow{"invoice", "seller_name", Shape::Text, ""},
    FieldRow{"invoice", "buyer_name", Shape::Text, ""},
    FieldRow{"invoice", "net_total", Shape::Money, ""},
    FieldRow{"invoice", "tax_total", Shape::Money, ""},
    FieldRow{"invoice", "grand_total", Shape::Money, ""},
    FieldRow{"invoice", "currency", Shape::Currency, ""},
};

const FieldRow& field_named(std::string_view kind, std::string_view field) {
    for (const FieldRow& row : kFields) {
        if (row.kind == kind && row.field == field) return row;
    }
    std::string known;
    for (const FieldRow& row : kFields) {
        if (row.kind == kind) known += fmt::format("{}{}", known.empty() ? "" : ", ", row.field);
    }
    throw Error(ErrorCode::InvalidArgument,
                fmt::format("`{}` cannot be corrected; what can is {}", field, known));
}

bool is_currency(std::string_view text) {
    return text.size() == 3 &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

// The value as it is kept, or why it is none.
std::string checked(const FieldRow& row, const std::string& value) {
    const auto refuse = [&](std::string_view wanted) -> Error {
        return {ErrorCode::InvalidArgument,
                fmt::format("`{}` is {}, not `{}`", row.field, wanted, base::truncate(value, 60))};
    };
    switch (row.shape) {
        case Shape::Day:
            if (const auto day = ai::rules::Date::parse(value)) return day->text();
            throw refuse("a day such as 2024-03-12");
        case Shape::Money:
            if (const auto amount = ai::rules::Decimal::parse(value))
                return ai::rules::money_text(*amount);
            throw refuse("an amount such as 1249.50");
        case Shape::Currency:
            if (is_currency(value)) return value;
            throw refuse("a currency of three capital letters such as SEK");
        case Shape::Text:
            if (value.empty() || value.size() > kValueBytesMax)
                throw refuse(fmt::format("a text of 1 to {} bytes", kValueBytesMax));
            return value;
    }
    return value;
}

struct FoundPaper {
    std::string run_id{};
    std::string file_id{};  // whose rows the run wrote
    json::object result{};
    json::object detail{};
};

std::optional<FoundPaper> find_paper(Tx& tx, const std::string& organization_id,
                                     const std::string& kind, const std::string& file_id) {
    const SqlRows rows = tx.query(
        "SELECT d.workflow_run_id, d.file_id, d.result, d.detail FROM unified_files f JOIN "
        "document_findings d ON d.workflow_run_id = f.workflow_run_id WHERE f.id = ? AND "
        "f.organization_id = ? AND f.deleted_at IS NULL AND d.kind = ?",
        file_id, organization_id, kind);
    if (rows.empty()) return std::nullopt;
    const SqlRow row = rows[0];
    return FoundPaper{row.get<std::string>(0), row.get<std::string>(1),
                      json::parse(row.get<std::string>(2)).as_object(),
                      json::parse(row.get<std::string>(3)).as_object()};
}

std::string shown(const json::object& result, std::string_view field) {
    const json::value* value = result.if_contains(field);
    if (value == nullptr || value->is_null()) return "nothing";
    return value->is_string() ? std::string(value->as_string()) : json::serialize(*value);
}

// The value that was read keeps its place on the paper; it is now somebody's word, and sure.
void put(FoundPaper& paper, const FieldRow& row, const std::optional<std::string>& value) {
    const json::value written = value ? json::value(*value) : json::value();
    paper.result[row.field] = written;
    json::value* read = paper.detail.if_contains(row.field);
    if (read == nullptr || !read->is_object()) return;
    read->as_object()["value"] = written;
    read->as_object()["confidence"] = 1.0;
}

// Whether it can be booked follows the currency that it has now.
void judge_currency(FoundPaper& paper) {
    const json::value* currency = paper.result.if_contains("currency");
    const bool foreign = currency != nullptr && currency->is_string() &&
                         currency->as_string() != ai::rules::kLedgerCurrency;
    for (json::object* told : {&paper.result, &paper.detail}) {
        json::value* review = told->if_contains("review");
        if (review == nullptr || !review->is_array()) continue;
        json::array kept;
        for (const json::value& reason : review->as_array()) {
            if (reason != json::value(ai::rules::kForeignCurrency)) kept.push_back(reason);
        }
        if (foreign) kept.emplace_back(ai::rules::kForeignCurrency);
        *review = std::move(kept);
    }
}

void update_file(Tx& tx, const std::string& organization_id, const FoundPaper& paper,
                 const FieldRow& row, const std::optional<std::string>& value) {
    if (!row.column.empty()) {
        tx.exec(fmt::format("UPDATE unified_files SET {} = ? WHERE id = ?", row.column), value,
                paper.file_id);
    }
    if (row.field != "merchant" && row.field != "orgnr") return;
    if (row.kind != "receipt") return;
    const auto text = [&](std::string_view name) {
        const json::value* found = paper.result.if_contains(name);
        return found != nullptr && found->is_string() ? std::string(found->as_string()) : "";
    };
    tx.exec("UPDATE unified_files SET company_id = ? WHERE id = ?",
            company_of(tx, organization_id, text("merchant"), text("orgnr"), text("address")),
            paper.file_id);
}

// A row of `items`, `lines` or `vat`, as the result has it.
struct RowReader {
    std::string_view field;
    std::size_t number;
    const json::object& row;

    std::optional<std::string> text(std::string_view name) const {
        const json::value* value = row.if_contains(name);
        if (value == nullptr || value->is_null()) return std::nullopt;
        if (!value->is_string()) throw refuse(name, "a text");
        std::string out(value->as_string());
        if (out.size() > kValueBytesMax)
            throw refuse(name, fmt::format("a text of at most {} bytes", kValueBytesMax));
        if (out.empty()) return std::nullopt;
        return out;
    }
    std::optional<ai::rules::Decimal> amount(std::string_view name) const {
        const auto given = text(name);
        if (!given) return std::nullopt;
        const auto found = ai::rules::Decimal::parse(*given);
        if (!found) throw refuse(name, "an amount such as 1249.50");
        return found;
    }
    ai::rules::Decimal needed(std::string_view name) const {
        const auto found = amount(name);
        if (!found) throw refuse(name, "an amount such as 1249.50");
        return *found;
    }
    Error refuse(std::string_view name, std::string_view wanted) const {
        return {ErrorCode::InvalidArgument,
                fmt::format("`{}` of row {} of `{}` is {}", name, number, field, wanted)};
    }
    void allow_only(std::initializer_list<std::string_view> names) const {
        for (const auto& member : row) {
            if (std::ranges::find(names, std::string_view(member.key())) == names.end())
                throw refuse(std::string(base::truncate(std::string(member.key()), 60)),
                             fmt::format("not one of {}", fmt::join(names, ", ")));
        }
    }
};

template <class F>
void for_each_row(std::string_view field, const json::array& rows, F take) {
    if (rows.size() > kRowsMax)
        throw Error(
            ErrorCode::InvalidArgument,
            fmt::format("`{}` has {} rows; at most {} can be given", field, rows.size(), kRowsMax));
    std::size_t number = 0;
    for (const json::value& row : rows) {
        if (!row.is_object())
            throw Error(ErrorCode::InvalidArgument,
                        fmt::format("row {} of `{}` is not an object", number + 1, field));
        ++number;
        take(RowReader{field, number, row.as_object()});
    }
}

// Each keeps its place on the paper as long as it is the row that stood there.
void put_items(ai::rules::Receipt& receipt, const json::array& rows) {
    std::vector<ai::rules::ReceiptItem> items;
    for_each_row("items", rows, [&](const RowReader& row) {
        row.allow_only({"name", "quantity", "amount"});
        ai::rules::ReceiptItem item;
        if (row.number <= receipt.items.size()) item = receipt.items[row.number - 1];
        item.name = row.text("name").value_or("");
        item.quantity = row.amount("quantity").value_or(ai::rules::Decimal{1, 0});
        item.amount = row.needed("amount");
        item.confidence = 1;
        items.push_back(std::move(item));
    });
    receipt.items = std::move(items);
}
void put_vat(ai::rules::Receipt& receipt, const json::array& rows) {
    std::vector<ai::rules::ReceiptVat> vat;
    for_each_row("vat", rows, [&](const RowReader& row) {
        row.allow_only({"rate", "amount"});
        vat.push_back({row.needed("rate"), row.needed("amount"), std::nullopt});
    });
    receipt.vat = std::move(vat);
}
template <class T>
void say(ai::rules::Found<T>& found, std::optional<T> value) {
    found.value = std::move(value);
    found.confidence = 1;
}
void put_lines(ai::rules::Invoice& invoice, const json::array& rows) {
    std::vector<ai::rules::InvoiceLine> lines;
    for_each_row("lines", rows, [&](const RowReader& row) {
        row.allow_only({"description", "quantity", "unit_price", "line_total"});
        ai::rules::InvoiceLine line;
        if (row.number <= invoice.lines.size()) line = invoice.lines[row.number - 1];
        say(line.description, row.text("description"));
        say(line.quantity, row.amount("quantity"));
        say(line.unit_price, row.amount("unit_price"));
        say(line.amount, row.amount("line_total"));
        lines.push_back(std::move(line));
    });
    invoice.lines = std::move(lines);
}

std::string counted_rows(const json::object& result, std::string_view field) {
    const json::value* rows = result.if_contains(field);
    return fmt::format("{} rows",
                       rows != nullptr && rows->is_array() ? rows->as_array().size() : 0);
}

void put_rows(Tx& tx, FoundPaper& paper, const std::string& kind, const std::string& field,
              const json::array& rows) {
    const bool receipt = kind == "receipt" && (field == "items" || field == "vat");
    if (!receipt && !(kind == "invoice" && field == "lines"))
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("`{}` has no rows; what has is {}", base::truncate(field, 60),
                                kind == "receipt" ? "items, vat" : "lines"));
    if (receipt) {
        auto read = from_json<ai::rules::Receipt>(json::serialize(paper.detail));
        if (field == "items")
            put_items(read, rows);
        else
            put_vat(read, rows);
        replace_lines(tx, paper.file_id, read);
        paper.detail = json::parse(to_json(read)).as_object();
        paper.result[field] = json::parse(ai::rules::receipt_json(read, "")).as_object()[field];
    } else {
        auto read = from_json<ai::rules::Invoice>(json::serialize(paper.detail));
        put_lines(read, rows);
        replace_lines(tx, paper.file_id, read);
        paper.detail = json::parse(to_json(read)).as_object();
        paper.result[field] = json::parse(ai::rules::invoice_result_json(read)).as_object()[field];
    }
}

// A total that is another one would be booked as it was.
void book_again(Tx& tx, const FoundPaper& paper, const ai::rules::AccountingOptions& options) {
    const auto receipt = from_json<ai::rules::Receipt>(json::serialize(paper.detail));
    const json::value* expense = paper.result.if_contains("expense_type");
    const auto proposal = ai::rules::propose_accounting(
        receipt,
        expense != nullptr && expense->is_string() ? std::string_view(expense->as_string()) : "",
        options);
    if (ai::rules::check_entries(proposal.entries).empty())
        replace_entries(tx, paper.file_id, proposal.entries);
}

}  // namespace

Judged correct_paper(Tx& tx, const std::string& organization_id, const std::string& kind,
                     const std::string& file_id, const std::vector<Correction>& corrections,
                     const std::string& by, const ai::rules::AccountingOptions& accounting) {
    auto paper = find_paper(tx, organization_id, kind, file_id);
    if (!paper) return Judged::NotFound;
    std::string told;
    for (const Correction& correction : corrections) {
        if (correction.rows) {
            const std::string before = counted_rows(paper->result, correction.field);
            put_rows(tx, *paper, kind, correction.field, *correction.rows);
            told += fmt::format("{}{}: {} → {}", told.empty() ? "" : "; ", correction.field, before,
                                counted_rows(paper->result, correction.field));
            continue;
        }
        const FieldRow& row = field_named(kind, correction.field);
        std::optional<std::string> value;
        if (correction.value) value = checked(row, *correction.value);
        told += fmt::format("{}{}: {} → {}", told.empty() ? "" : "; ", row.field,
                            shown(paper->result, row.field), value.value_or("nothing"));
        put(*paper, row, value);
        update_file(tx, organization_id, *paper, row, value);
    }
    if (corrections.empty()) return Judged::Done;
    if (kind == "receipt") {
        judge_currency(*paper);
        book_again(tx, *paper, accounting);
    }
    tx.exec(
        "UPDATE document_findings SET result = ?, detail = ?, review = ?, updated_at = ? WHERE "
        "workflow_run_id = ?",
        json::serialize(paper->result), json::serialize(paper->detail),
        json::serialize(paper->result["review"]), tx.now(), paper->run_id);
    tx.exec("UPDATE unified_files SET updated_at = ? WHERE workflow_run_id = ?", tx.now(),
            paper->run_id);
    ingest::share_found(tx, paper->run_id, paper->file_id);
    note_success(tx, paper->file_id, kCorrectionJob, {by, "", 1, 0, ""}, told);
    return Judged::Done;
}

Judged approve_paper(Tx& tx, const std::string& organization_id, const std::string& kind,
                     const std::string& file_id, const std::string& by) {
    const auto paper = find_paper(tx, organization_id, kind, file_id);
    if (!paper) return Judged::NotFound;
    tx.exec(
        "UPDATE unified_files SET ai_status = 'completed', approved_by = ?, updated_at = ? WHERE "
        "workflow_run_id = ? AND file_type <> 'pdf_page' AND ai_status IN ('completed', "
        "'manual_review')",
        by, tx.now(), paper->run_id);
    note_success(tx, paper->file_id, kApprovalJob, {by, "", 1, 0, ""}, "approved as it stands");
    return Judged::Done;
}

Judged reopen_paper(Tx& tx, const std::string& organization_id, const std::string& kind,
                    const std::string& file_id, const std::string& by) {
    const auto paper = find_paper(tx, organization_id, kind, file_id);
    if (!paper) return Judged::NotFound;
    const json::value* review = paper->result.if_contains("review");
    const bool doubted = review != nullptr && review->is_array() && !review->as_array().empty();
    tx.exec(
        "UPDATE unified_files SET ai_status = ?, approved_by = NULL, updated_at = ? WHERE "
        "workflow_run_id = ? AND file_type <> 'pdf_page' AND approved_by IS NOT NULL",
        doubted ? "manual_review" : "completed", tx.now(), paper->run_id);
    note_success(tx, paper->file_id, kReopeningJob, {by, "", 1, 0, ""}, "approval taken back");
    return Judged::Done;
}

}  // namespace belay::workflows
