#include "ingestion/workflows/paper/model_tasks.hpp"

#include <fmt/format.h>
#include <boost/json/parse.hpp>

#include <belay/error.hpp>

#include "ingestion/media/card_number.hpp"
#include "ingestion/workflows/paper/model_choices.hpp"
#include "ingestion/workflows/paper/page_rows.hpp"
#include "ingestion/workflows/paper/pages.hpp"

namespace belay::workflows {

namespace {

namespace json = boost::json;
namespace rules = ai::rules;
using rules::Date;
using rules::Decimal;
using rules::Found;
using rules::money_text;

constexpr std::string_view kReceiptPrompt =
#include "ingestion/workflows/paper/prompts/receipt.prompt"
    ;
constexpr std::string_view kInvoicePrompt =
#include "ingestion/workflows/paper/prompts/invoice.prompt"
    ;
constexpr std::string_view kStatementPrompt =
#include "ingestion/workflows/paper/prompts/statement.prompt"
    ;

// How sure a field is that a model read and that was found on the page, and one that was not found there.
constexpr double kPrinted = 0.85, kNotFound = 0.6;

json::object text_or_null() { return {{"type", json::array{"string", "null"}}}; }

json::object object_of(std::initializer_list<std::pair<std::string_view, json::value>> members) {
    json::object properties;
    json::array required;
    for (const auto& [name, schema] : members) {
        properties[name] = schema;
        required.emplace_back(name);
    }
    return {{"type", "object"},
            {"properties", std::move(properties)},
            {"required", std::move(required)},
            {"additionalProperties", false}};
}

json::object list_of(json::object items) {
    return {{"type", "array"}, {"items", std::move(items)}};
}

json::object receipt_schema() {
    const json::object text = text_or_null();
    return object_of(
        {{"merchant", text},
         {"orgnr", text},
         {"address", text},
         {"date", text},
         {"total", text},
         {"currency", text},
         {"vat", list_of(object_of({{"rate", text}, {"amount", text}}))},
         {"items", list_of(object_of({{"name", text}, {"quantity", text}, {"amount", text}}))},
         {"payment_type", text}});
}

json::object invoice_schema() {
    const json::object text = text_or_null();
    return object_of({{"invoice_number", text},
                      {"issue_date", text},
                      {"due_date", text},
                      {"seller_name", text},
                      {"buyer_name", text},
                      {"net_total", text},
                      {"tax_total", text},
                      {"grand_total", text},
                      {"currency", text},
                      {"lines", list_of(object_of({{"description", text},
                                                   {"quantity", text},
                                                   {"unit_price", text},
                                                   {"line_total", text}}))}});
}

json::object statement_schema() {
    const json::object text = text_or_null();
    return object_of({{"header", object_of({{"invoice_number", text},
                                            {"statement_date", text},
                                            {"due_date", text},
                                            {"period_start", text},
                                            {"period_end", text},
                                            {"previous_balance", text},
                                            {"new_balance", text},
                                            {"total", text},
                                            {"currency", text}})},
                      {"lines", list_of(object_of({{"date", text},
                                                   {"posted", text},
                                                   {"description", text},
                                                   {"city", text},
                                                   {"amount", text},
                                                   {"currency_original", text},
                                                   {"amount_original", text}}))}});
}

// ---- reading an answer

std::optional<std::string> text_in(const json::value& object, std::string_view name) {
    const json::value* value = object.as_object().if_contains(name);
    if (value == nullptr || !value->is_string() || value->as_string().empty()) return std::nullopt;
    return media::mask_card_numbers(std::string_view(value->as_string()));
}
std::optional<Decimal> decimal_in(const json::value& object, std::string_view name) {
    const auto text = text_in(object, name);
    return text ? Decimal::parse(*text) : std::nullopt;
}
std::optional<Date> date_in(const json::value& object, std::string_view name) {
    const auto text = text_in(object, name);
    const auto date = text ? Date::parse(*text) : std::nullopt;
    return date && date->is_valid() ? date : std::nullopt;
}

std::string digits_of(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c >= '0' && c <= '9') out += c;
    }
    return out;
}

// Where an amount is printed, whatever stands between its digits.
Found<Decimal> printed(const Reading& reading, const std::optional<Decimal>& amount) {
    if (!amount) return {};
    const std::string digits = digits_of(money_text(*amount));
    for (const media::Page& page : reading.pages) {
        for (const media::Word& word : page.words) {
            if (digits_of(word.text) == digits) return {*amount, kPrinted, page.number, word.box};
        }
    }
    return {*amount, kNotFound};
}

template <class T>
Found<T> as_found(const std::optional<T>& value) {
    return value ? Found<T>{*value, kPrinted} : Found<T>{};
}

bool is_printed(const Found<Decimal>& found) { return found && found.confidence >= kPrinted; }

}  // namespace

ai::Task model_task(std::string_view task) {
    if (const auto choice = choice_task(task)) return *choice;
    static const ai::Schema kReceiptSchema{receipt_schema()};
    static const ai::Schema kInvoiceSchema{invoice_schema()};
    static const ai::Schema kStatementSchema{statement_schema()};
    if (task == Analyst::kReceipt) return {"receipt", std::string(kReceiptPrompt), kReceiptSchema};
    if (task == Analyst::kInvoice) return {"invoice", std::string(kInvoicePrompt), kInvoiceSchema};
    if (task == Analyst::kStatement)
        return {"statement", std::string(kStatementPrompt), kStatementSchema};
    throw Error(ErrorCode::InvalidArgument, fmt::format("there is no task {}", task));
}

std::string document_text(const Reading& reading) {
    std::string text;
    for (const media::Page& page : reading.pages) {
        if (!text.empty()) text += kPageBreak;
        text += page_text(page);
    }
    return text;
}

FromModel<rules::Receipt> receipt_from_model(const json::value& answer, const Reading& reading) {
    rules::Receipt out;
    out.merchant = as_found(text_in(answer, "merchant"));
    out.orgnr = as_found(text_in(answer, "orgnr"));
    out.address = as_found(text_in(answer, "address"));
    out.date = as_found(date_in(answer, "date"));
    out.total = printed(reading, decimal_in(answer, "total"));
    out.currency = as_found(text_in(answer, "currency"));
    out.payment_type = as_found(text_in(answer, "payment_type"));
    for (const json::value& row : answer.at("vat").as_array()) {
        const auto rate = decimal_in(row, "rate"), amount = decimal_in(row, "amount");
        if (rate && amount) out.vat.push_back({*rate, *amount, std::nullopt});
    }
    Decimal sum{0, 2};
    for (const json::value& row : answer.at("items").as_array()) {
        const auto name = text_in(row, "name");
        const auto amount = decimal_in(row, "amount");
        if (!name || !amount) continue;
        sum = sum + *amount;
        out.items.push_back(
            {*name, decimal_in(row, "quantity").value_or(Decimal{1, 0}), *amount, kPrinted, 1, {}});
    }
    out.items_sum_up = out.total && sum == *out.total;
    if (!out.merchant && !out.total && !out.date) return {{}, "it found nothing"};
    if (out.total && !is_printed(out.total))
        return {{},
                fmt::format("its total {} is not printed on the receipt", money_text(*out.total))};
    for (const auto& vat : out.vat) {
        if (out.total && vat.amount > *out.total)
            return {{}, fmt::format("its tax {} is above the total", money_text(vat.amount))};
    }
    if (!out.total) out.review.push_back("total_not_found");
    if (!out.date) out.review.push_back("date_not_found");
    if (!out.merchant) out.review.push_back("merchant_not_found");
    if (out.total && !out.items.empty() && !out.items_sum_up)
        out.review.push_back("items_do_not_sum_to_total");
    return {out, {}};
}

FromModel<rules::Invoice> invoice_from_model(const json::value& answer, const Reading& reading) {
    rules::Invoice out;
    out.invoice_number = as_found(text_in(answer, "invoice_number"));
    out.issue_date = as_found(date_in(answer, "issue_date"));
    out.due_date = as_found(date_in(answer, "due_date"));
    out.seller_name = as_found(text_in(answer, "seller_name"));
    out.buyer_name = as_found(text_in(answer, "buyer_name"));
    out.net_total = printed(reading, decimal_in(answer, "net_total"));
    out.tax_total = printed(reading, decimal_in(answer, "tax_total"));
    out.grand_total = printed(reading, decimal_in(answer, "grand_total"));
    out.currency = as_found(text_in(answer, "currency"));
    Decimal sum{0, 2};
    for (const json::value& row : answer.at("lines").as_array()) {
        rules::InvoiceLine line;
        line.description = as_found(text_in(row, "description"));
        line.quantity = as_found(decimal_in(row, "quantity"));
        line.unit_price = as_found(decimal_in(row, "unit_price"));
        line.amount = printed(reading, decimal_in(row, "line_total"));
        if (!line.amount) continue;
        sum = sum + *line.amount;
        out.lines.push_back(std::move(line));
    }
    if (!out.grand_total && out.lines.empty()) return {{}, "it found nothing"};
    if (out.grand_total && !is_printed(out.grand_total))
        return {{},
                fmt::format("its total {} is not printed on the invoice",
                            money_text(*out.grand_total))};
    if (out.net_total && out.tax_total && out.grand_total &&
        !near(*out.net_total + *out.tax_total, *out.grand_total, Decimal{2, 2})) {
        return {{},
                fmt::format("its net {} and tax {} do not come to its total {}",
                            money_text(*out.net_total), money_text(*out.tax_total),
                            money_text(*out.grand_total))};
    }
    const bool to_net = out.net_total && near(sum, *out.net_total, Decimal{2, 2});
    const bool to_total = out.grand_total && near(sum, *out.grand_total, Decimal{2, 2});
    if (!out.lines.empty() && !to_net && !to_total)
        return {{},
                fmt::format("its lines come to {}, which is none of its totals", money_text(sum))};
    out.confidence = kPrinted;
    if (!out.invoice_number) out.review.push_back("invoice_number not found");
    if (!out.seller_name) out.review.push_back("seller_name not found");
    if (!out.grand_total) out.review.push_back("grand_total not found");
    return {out, {}};
}

FromModel<rules::Statement> statement_from_model(const json::value& answer,
                                                 const Reading& reading) {
    rules::Statement out;
    const json::value& header = answer.at("header");
    out.invoice_number = as_found(text_in(header, "invoice_number"));
    out.statement_date = as_found(date_in(header, "statement_date"));
    out.due_date = as_found(date_in(header, "due_date"));
    out.period_start = as_found(date_in(header, "period_start"));
    out.period_end = as_found(date_in(header, "period_end"));
    out.previous_balance = printed(reading, decimal_in(header, "previous_balance"));
    out.new_balance = printed(reading, decimal_in(header, "new_balance"));
    out.total = printed(reading, decimal_in(header, "total"));
    out.currency = as_found(text_in(header, "currency"));
    Decimal sum{0, 2};
    for (const json::value& line : answer.at("lines").as_array()) {
        rules::StatementRow row;
        const auto amount = decimal_in(line, "amount");
        if (!amount) continue;
        row.date = date_in(line, "date");
        row.posted = date_in(line, "posted");
        row.description = text_in(line, "description").value_or("");
        row.city = text_in(line, "city").value_or("");
        row.amount = *amount;
        row.currency_original = text_in(line, "currency_original").value_or("");
        row.amount_original = decimal_in(line, "amount_original");
        row.confidence = kPrinted;
        sum = sum + row.amount;
        out.rows.push_back(std::move(row));
    }
    if (out.rows.empty()) return {{}, "it found no rows"};
    const bool by_total = out.total && near(sum, *out.total, Decimal{1, 2});
    const bool by_balance = out.previous_balance && out.new_balance &&
                            near(*out.previous_balance + sum, *out.new_balance, Decimal{1, 2});
    const bool by_end = !out.total && out.new_balance && near(sum, *out.new_balance, Decimal{1, 2});
    out.adds_up = by_total || by_balance || by_end;
    if (!out.adds_up)
        return {{},
                fmt::format("its rows come to {}, which is not the printed sum", money_text(sum))};
    out.confidence = kPrinted;
    return {out, {}};
}

}  // namespace belay::workflows
