#include "ingestion/workflows/paper/model_choices.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <boost/json.hpp>

#include "core/base/utf8.hpp"
#include "ingestion/media/card_number.hpp"
#include "ingestion/workflows/paper/model_tasks.hpp"

namespace belay::workflows {

namespace {

namespace json = boost::json;
namespace rules = ai::rules;
using rules::Decimal;
using rules::money_text;

constexpr std::string_view kDocumentTypePrompt =
#include "ingestion/workflows/paper/prompts/document_type.prompt"
    ;
constexpr std::string_view kExpenseTypePrompt =
#include "ingestion/workflows/paper/prompts/expense_type.prompt"
    ;
constexpr std::string_view kAccountingPrompt =
#include "ingestion/workflows/paper/prompts/accounting.prompt"
    ;

constexpr std::size_t kReasonCharsMax = 500;
constexpr std::size_t kNotesCharsMax = 200;
constexpr double kTaken = 0.85;

json::object object_of(json::object properties) {
    json::array required;
    for (const auto& member : properties) required.emplace_back(member.key());
    return {{"type", "object"},
            {"properties", std::move(properties)},
            {"required", std::move(required)},
            {"additionalProperties", false}};
}

const json::object& text() {
    static const json::object kText{{"type", "string"}};
    return kText;
}
const json::object& text_or_null() {
    static const json::object kTextOrNull{{"type", json::array{"string", "null"}}};
    return kTextOrNull;
}
const json::object& share() {
    static const json::object kShare{{"type", "number"}, {"minimum", 0}, {"maximum", 1}};
    return kShare;
}

constexpr std::array kDocumentTypes{rules::DocumentType::Receipt, rules::DocumentType::Invoice,
                                    rules::DocumentType::CardInvoice, rules::DocumentType::Other,
                                    rules::DocumentType::ManualReview};

json::object document_type_schema() {
    json::array types;
    for (const auto type : kDocumentTypes) types.emplace_back(to_string(type));
    return object_of({{"document_type", {{"type", "string"}, {"enum", std::move(types)}}},
                      {"confidence", share()},
                      {"reasoning", text()}});
}

json::object expense_type_schema() {
    return object_of(
        {{"expense_type", {{"type", "string"}, {"enum", json::array{"personal", "corporate"}}}},
         {"confidence", share()},
         {"card_identifier", text_or_null()},
         {"reasoning", text()}});
}

json::object accounting_schema() {
    const json::object entry = object_of({{"account_code", text()},
                                          {"debit", text()},
                                          {"credit", text()},
                                          {"vat_rate", text_or_null()},
                                          {"notes", text()}});
    return object_of({{"entries", {{"type", "array"}, {"items", entry}, {"maxItems", 50}}}});
}

// Of what a model says nothing is shown whole, and no card's number.
std::string said(const json::value& answer, std::string_view name, std::size_t chars_max) {
    const json::value& value = answer.at(name);
    if (!value.is_string()) return {};
    const auto text = std::string_view(value.as_string());
    return base::truncate(media::mask_card_numbers(base::to_valid_utf8(text)), chars_max);
}

bool is_last_4(std::string_view text) {
    return text.size() == 4 &&
           std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

bool is_printed(const Reading& reading, const std::string& digits) {
    const auto has = [&](const media::Page& page) {
        return std::ranges::any_of(page.words, [&](const media::Word& word) {
            return word.text.find(digits) != std::string::npos;
        });
    };
    return std::ranges::any_of(reading.pages, has) || std::ranges::any_of(reading.again, has);
}

bool is_tax_account(const std::string& code) {
    return code == "2641" || code == "2642" || code == "2643";
}

Decimal tax_of(const std::vector<rules::AccountingEntry>& entries) {
    Decimal tax{0, 2};
    for (const auto& entry : entries) {
        if (is_tax_account(entry.account_code)) tax = tax + entry.debit;
    }
    return tax;
}

}  // namespace

std::optional<ai::Task> choice_task(std::string_view task) {
    static const ai::Schema kDocumentType{document_type_schema()};
    static const ai::Schema kExpenseType{expense_type_schema()};
    static const ai::Schema kAccounting{accounting_schema()};
    if (task == Analyst::kDocumentType)
        return ai::Task{"document_type", std::string(kDocumentTypePrompt), kDocumentType};
    if (task == Analyst::kExpenseType)
        return ai::Task{"expense_type", std::string(kExpenseTypePrompt), kExpenseType};
    if (task == Analyst::kAccounting)
        return ai::Task{"accounting", std::string(kAccountingPrompt), kAccounting};
    return std::nullopt;
}

std::string expense_text(const Reading& reading, const rules::ExpenseOptions& options) {
    const auto& cards = options.company_cards_last_4;
    return fmt::format("The company's cards end in: {}\n\n{}",
                       cards.empty() ? "(it has none)" : fmt::format("{}", fmt::join(cards, ", ")),
                       document_text(reading));
}

std::string accounting_text(const rules::Receipt& receipt, const std::string& expense_type,
                            const rules::AccountingOptions& options) {
    std::string out =
        fmt::format("Merchant: {}\nTotal: {} SEK\nPaid by: {}, so the credit is on {}\n",
                    receipt.merchant ? *receipt.merchant : "(not read)",
                    receipt.total ? money_text(*receipt.total) : "(not read)",
                    expense_type == "corporate" ? "the company's card" : "an employee",
                    expense_type == "corporate" ? options.paid_by_company_card : options.owed);
    for (const auto& vat : receipt.vat)
        out += fmt::format("Tax at {} %: {}\n", vat.rate.text(), money_text(vat.amount));
    for (const auto& item : receipt.items)
        out += fmt::format("Bought: {}, {}\n", item.name, money_text(item.amount));
    for (const auto& rule : options.rules)
        out +=
            fmt::format("This company books {} on {}\n", rule.merchant_contains, rule.account_code);
    out += fmt::format("If no account fits better the cost is on {}\n", options.cost_account);
    return out;
}

FromModel<rules::DocumentTypeAnswer> document_type_from_model(
    const json::value& answer, const rules::DocumentTypeAnswer& by_rules) {
    const std::string type = said(answer, "document_type", 80);
    const std::string_view card = to_string(rules::DocumentType::CardInvoice);
    // None of a receipt's stages may touch one, whoever is sure of the contrary.
    if (by_rules.document_type == card && type != card)
        return {{}, fmt::format("it calls a card statement `{}`", type)};
    return {rules::DocumentTypeAnswer{type, answer.at("confidence").to_number<double>(),
                                      said(answer, "reasoning", kReasonCharsMax)},
            {}};
}

FromModel<rules::ExpenseAnswer> expense_type_from_model(const json::value& answer,
                                                        const Reading& reading,
                                                        const rules::ExpenseOptions& options) {
    const std::string type = said(answer, "expense_type", 80);
    const std::string card = said(answer, "card_identifier", 40);
    if (!card.empty() && !is_last_4(card)) return {{}, "its card identifier is not four digits"};
    if (!card.empty() && !is_printed(reading, card))
        return {{}, fmt::format("its card {} is not printed on the receipt", card)};
    const auto& own = options.company_cards_last_4;
    const bool is_own = std::ranges::find(own, card) != own.end();
    if (type == "corporate" && !is_own)
        return {{}, "it calls the purchase corporate without a card of the company"};
    if (type == "personal" && is_own)
        return {{}, fmt::format("it calls the purchase personal with the company's card {}", card)};
    return {rules::ExpenseAnswer{type, answer.at("confidence").to_number<double>(), card,
                                 said(answer, "reasoning", kReasonCharsMax)},
            {}};
}

FromModel<rules::AccountingProposal> accounting_from_model(
    const json::value& answer, const rules::Receipt& receipt,
    const rules::AccountingProposal& by_rules) {
    rules::AccountingProposal out;
    for (const json::value& row : answer.at("entries").as_array()) {
        const auto debit = Decimal::parse(said(row, "debit", 40));
        const auto credit = Decimal::parse(said(row, "credit", 40));
        const std::string rate = said(row, "vat_rate", 40);
        const auto percent = Decimal::parse(rate);
        if (!debit || !credit || (!rate.empty() && !percent))
            return {{}, "an amount of its entries is no number"};
        out.entries.push_back({said(row, "account_code", 40), debit->rescaled(2),
                               credit->rescaled(2), percent, said(row, "notes", kNotesCharsMax)});
    }
    if (out.entries.empty()) return {{}, "it proposed no entries"};
    if (const auto faults = rules::check_entries(out.entries); !faults.empty())
        return {{}, fmt::format("its entries cannot be kept: {}", fmt::join(faults, "; "))};
    // What was paid, from the very account that it was paid from; and no more tax back than is printed.
    const auto& paid = by_rules.entries.back();
    Decimal credits{0, 2};
    for (const auto& entry : out.entries) {
        credits = credits + entry.credit;
        if (!entry.credit.is_zero() && entry.account_code != paid.account_code)
            return {{},
                    fmt::format("it credits {}, not {}", entry.account_code, paid.account_code)};
    }
    if (credits != receipt.total->rescaled(2))
        return {{},
                fmt::format("its entries come to {}, not to the total {}", money_text(credits),
                            money_text(*receipt.total))};
    if (tax_of(out.entries) > tax_of(by_rules.entries))
        return {{},
                fmt::format("it deducts {} of tax, and {} can be", money_text(tax_of(out.entries)),
                            money_text(tax_of(by_rules.entries)))};
    out.confidence = kTaken;
    out.review = by_rules.review;
    return {out, {}};
}

}  // namespace belay::workflows
