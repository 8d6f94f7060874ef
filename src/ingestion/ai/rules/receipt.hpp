// receipt.hpp — what a receipt says, found by written rules.
//
// Every field has how sure it is and where it was read. A field that the rules cannot decide is empty,
// with a reason in `review`: a wrong total costs more than a missing one. The arithmetic of the receipt
// (cash less change, parts that sum to the total, tax of a rate) decides between readings of OCR.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <boost/describe.hpp>

#include "ingestion/ai/rules/date.hpp"
#include "ingestion/ai/rules/decimal.hpp"
#include "ingestion/ai/rules/field.hpp"
#include "ingestion/media/page.hpp"

namespace belay::ai::rules {

struct ReceiptVat {
    Decimal rate{};    // percent
    Decimal amount{};  // the tax
    std::optional<Decimal> net{};
};
BOOST_DESCRIBE_STRUCT(ReceiptVat, (), (rate, amount, net))

struct ReceiptItem {
    std::string name{};
    Decimal quantity{1, 0};
    Decimal amount{};  // of the line, tax included as printed
    double confidence = 0;
    int page = 1;
    media::Box box{};
};
BOOST_DESCRIBE_STRUCT(ReceiptItem, (), (name, quantity, amount, confidence, page, box))

// The card that paid, as far as it may be kept: never the whole number.
struct ReceiptCard {
    std::string brand{};   // "visa", "mastercard", …
    std::string masked{};  // "************1234"
    std::string last_4{};
};
BOOST_DESCRIBE_STRUCT(ReceiptCard, (), (brand, masked, last_4))

struct Receipt {
    Found<std::string> merchant{};
    Found<std::string> orgnr{};  // registration or VAT number as printed
    Found<std::string> address{};
    Found<Date> date{};
    Found<std::string> time{};  // 15:57 or 15:57:20
    Found<Decimal> total{};
    Found<std::string> currency{};  // ISO
    std::vector<ReceiptVat> vat{};
    std::vector<ReceiptItem> items{};
    bool items_sum_up = false;          // the items (and discounts) sum to the total
    Found<std::string> payment_type{};  // cash, card, swish
    std::optional<ReceiptCard> card{};
    Found<std::string> receipt_number{};
    std::vector<std::string> review{};  // why a person should look; empty if all is well
};
BOOST_DESCRIBE_STRUCT(Receipt, (),
                      (merchant, orgnr, address, date, time, total, currency, vat, items,
                       items_sum_up, payment_type, card, receipt_number, review))

struct ReceiptOptions {
    std::string currency_default{};  // for a receipt that names none; empty: it stays empty
    // Nothing is bought after today; without it no date is refused for being in the future.
    std::optional<Date> today{};
    double total_sure = 0.5;  // below, a total is not given
    double date_sure = 0.4;
    double merchant_sure = 0.3;
};

// Reads a receipt from its pages. Pages that are second readings of the same paper go to `again`: they
// are asked only where the first leaves doubt.
Receipt read_receipt(const std::vector<media::Page>& pages, const ReceiptOptions& options = {},
                     const std::vector<media::Page>& again = {});

// The object that `ingest --wait --json` prints, as JSON text; `expense_type` comes from AI2.
std::string receipt_json(const Receipt& receipt, const std::string& expense_type);

}  // namespace belay::ai::rules
