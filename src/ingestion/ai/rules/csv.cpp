// csv.cpp — writes CSV.
#include "ingestion/ai/rules/csv.hpp"

#include <algorithm>

namespace belay::ai::rules {
namespace {

bool is_number(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= '0' && c <= '9') || c == '.' || c == '-';
    });
}

std::string field(std::string text) {
    const char first = text.empty() ? 0 : text.front();
    const bool formula = first == '=' || first == '+' || first == '@' || first == '\t' ||
                         (first == '-' && !is_number(text));
    if (formula) text.insert(text.begin(), '\'');
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"') quoted += '"';
        quoted += c;
    }
    return quoted + "\"";
}

std::string money(const Found<Decimal>& found) { return found ? money_text(*found) : ""; }
std::string plain(const Found<Decimal>& found) { return found ? found->text() : ""; }
std::string iso(const std::optional<Date>& date) { return date ? date->text() : ""; }
std::string text(const Found<std::string>& found) { return found ? *found : ""; }

}  // namespace

std::string csv(const std::vector<std::vector<std::string>>& rows) {
    std::string out;
    for (const auto& row : rows) {
        for (std::size_t i = 0; i < row.size(); ++i) out += (i > 0 ? "," : "") + field(row[i]);
        out += "\r\n";
    }
    return out;
}

std::string statement_csv(const Statement& statement) {
    std::vector<std::vector<std::string>> rows{{"date", "posted", "description", "city", "amount",
                                                "currency", "amount_original", "currency_original",
                                                "exchange_rate"}};
    for (const auto& row : statement.rows) {
        rows.push_back({iso(row.date), iso(row.posted), row.description, row.city,
                        money_text(row.amount), text(statement.currency),
                        row.amount_original ? row.amount_original->text() : "",
                        row.currency_original, row.exchange_rate ? row.exchange_rate->text() : ""});
    }
    return csv(rows);
}

std::string invoice_csv(const Invoice& invoice) {
    std::vector<std::vector<std::string>> rows{
        {"invoice_number", "issue_date", "due_date", "seller_name", "currency", "description",
         "quantity", "unit_price", "line_total", "vat_rate"}};
    for (const auto& line : invoice.lines) {
        rows.push_back({text(invoice.invoice_number), iso(invoice.issue_date.value),
                        iso(invoice.due_date.value), text(invoice.seller_name),
                        text(invoice.currency), text(line.description), plain(line.quantity),
                        plain(line.unit_price), money(line.amount), plain(line.vat_rate)});
    }
    return csv(rows);
}

}  // namespace belay::ai::rules
