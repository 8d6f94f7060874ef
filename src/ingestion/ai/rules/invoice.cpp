// invoice.cpp — puts the parts of an invoice together and says what does not fit.
#include "ingestion/ai/rules/invoice.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "ingestion/ai/rules/document.hpp"
#include "ingestion/ai/rules/invoice_ids.hpp"
#include "ingestion/ai/rules/invoice_lines.hpp"
#include "ingestion/ai/rules/invoice_number.hpp"
#include "ingestion/ai/rules/invoice_parties.hpp"
#include "ingestion/ai/rules/invoice_totals.hpp"
#include "ingestion/ai/rules/two_readings.hpp"

namespace belay::ai::rules {
namespace {

template <class T>
void ask_if_missing(std::vector<std::string>& review, const Found<T>& field,
                    std::string_view name) {
    if (!field) review.push_back(fmt::format("{} not found", name));
}

// What an invoice's own arithmetic says of it.
Balance balance_of(const Totals& totals, const ItemLines& items) {
    Balance balance;
    balance.right = (totals.add_up ? 1 : 0) + (items.sum_known ? 1 : 0);
    balance.wrong = (totals.add_up ? 0 : 1) + (!items.lines.empty() && !items.sum_known ? 1 : 0);
    return balance;
}

// Two readings of an amount that no sum chose between.
void ask_if_read_two_ways(std::vector<std::string>& review, const std::vector<media::Page>& pages,
                          const Found<Decimal>& field, std::string_view name) {
    if (const auto other = other_reading(pages, field))
        review.push_back(
            fmt::format("{}_read_two_ways: {} and {}", name, money_text(*field), *other));
}

void ask_about_readings(Invoice& invoice, const Totals& totals, const ItemLines& items,
                        const std::vector<media::Page>& pages) {
    if (!totals.add_up) {
        ask_if_read_two_ways(invoice.review, pages, invoice.net_total, "net_total");
        ask_if_read_two_ways(invoice.review, pages, invoice.tax_total, "tax_total");
        ask_if_read_two_ways(invoice.review, pages, invoice.grand_total, "grand_total");
    }
    if (items.sum_known) return;
    for (std::size_t i = 0; i < invoice.lines.size(); ++i)
        ask_if_read_two_ways(invoice.review, pages, invoice.lines[i].amount,
                             fmt::format("line {}", i + 1));
}

void check(Invoice& invoice, const Totals& totals, const ItemLines& items) {
    auto& review = invoice.review;
    ask_if_missing(review, invoice.invoice_number, "invoice_number");
    ask_if_missing(review, invoice.issue_date, "issue_date");
    ask_if_missing(review, invoice.seller_name, "seller_name");
    ask_if_missing(review, invoice.grand_total, "grand_total");
    if (invoice.net_total && invoice.tax_total && invoice.grand_total && !totals.add_up &&
        !near(*invoice.net_total + *invoice.tax_total, *invoice.grand_total, Decimal{2, 2})) {
        review.push_back(fmt::format("net {} and tax {} do not sum to the total {}",
                                     money_text(*invoice.net_total), money_text(*invoice.tax_total),
                                     money_text(*invoice.grand_total)));
    }
    if (!invoice.lines.empty() && !items.sum_known) {
        Decimal sum;
        for (const auto& line : invoice.lines) sum = sum + *line.amount;
        review.push_back(
            fmt::format("the lines sum to {}, which is no printed total", money_text(sum)));
    }
    if (invoice.lines.empty() && invoice.grand_total) review.push_back("no lines were read");
    if (invoice.lines.size() >= kInvoiceLinesMax)
        review.push_back(fmt::format("more than {} lines", kInvoiceLinesMax));
    if (invoice.due_date && invoice.issue_date && *invoice.due_date < *invoice.issue_date) {
        review.push_back("due_date is before issue_date");
    }
}

}  // namespace

Invoice read_invoice(const std::vector<media::Page>& read) {
    const auto pages = settled(read, [](const std::vector<media::Page>& tried) {
        const auto document = document_of(tried);
        const auto totals = read_totals(document);
        return balance_of(totals, read_item_lines(document, totals));
    });
    const auto document = document_of(pages);
    Invoice invoice;
    invoice.invoice_number = read_invoice_number(document);
    const auto dates = read_invoice_dates(document);
    invoice.issue_date = dates.issued;
    invoice.due_date = dates.due;
    const auto parties = read_parties(document);
    invoice.seller_name = parties.seller;
    invoice.buyer_name = parties.buyer;
    invoice.seller_address = parties.seller_address;
    invoice.buyer_address = parties.buyer_address;
    const auto ids = read_invoice_ids(document);
    invoice.seller_orgnr = ids.orgnr;
    invoice.seller_vat_number = ids.vat_number;
    invoice.payment = ids.payment;

    const auto totals = read_totals(document);
    invoice.net_total = totals.net;
    invoice.tax_total = totals.tax;
    invoice.grand_total = totals.gross;
    invoice.due_amount = totals.due;
    invoice.vat = totals.vat;
    if (!document.currency.code.empty()) {
        invoice.currency = {document.currency.code, document.currency.confidence};
    }
    auto items = read_item_lines(document, totals);
    invoice.lines = std::move(items.lines);
    check(invoice, totals, items);
    ask_about_readings(invoice, totals, items, pages);
    invoice.confidence = std::min({invoice.invoice_number.confidence, invoice.issue_date.confidence,
                                   invoice.seller_name.confidence, invoice.grand_total.confidence});
    return invoice;
}

namespace {

template <class T>
void member(std::string& out, std::string_view name, const Found<T>& field, const auto& text) {
    out += fmt::format("{}\"{}\":", out.ends_with('{') ? "" : ",", name);
    if (field)
        belay::write_json(out, text(*field));
    else
        out += "null";
}

}  // namespace

std::string invoice_result_json(const Invoice& invoice) {
    const auto plain = [](const std::string& text) { return text; };
    const auto iso = [](const Date& date) { return date.text(); };
    const auto number = [](const Decimal& value) { return value.text(); };
    std::string out = "{";
    member(out, "invoice_number", invoice.invoice_number, plain);
    member(out, "issue_date", invoice.issue_date, iso);
    member(out, "due_date", invoice.due_date, iso);
    member(out, "seller_name", invoice.seller_name, plain);
    member(out, "buyer_name", invoice.buyer_name, plain);
    member(out, "net_total", invoice.net_total, money_text);
    member(out, "tax_total", invoice.tax_total, money_text);
    member(out, "grand_total", invoice.grand_total, money_text);
    member(out, "currency", invoice.currency, plain);
    out += ",\"lines\":[";
    for (std::size_t i = 0; i < invoice.lines.size(); ++i) {
        const auto& line = invoice.lines[i];
        out += i > 0 ? ",{" : "{";
        member(out, "description", line.description, plain);
        member(out, "quantity", line.quantity, number);
        member(out, "unit_price", line.unit_price, number);
        member(out, "line_total", line.amount, money_text);
        out += "}";
    }
    out += "],\"review\":";
    belay::write_json(out, invoice.review);
    return out + "}";
}

}  // namespace belay::ai::rules
