// invoice.hpp — an invoice read from its pages: who, what, how much, until when.
//
// Rules, not guesses: a field is found by what is printed beside it and kept if the arithmetic of the
// document (lines sum to net, net + VAT = total, quantity × price = amount) does not speak against it.
// What was not found is empty; what does not add up is said in `review`.
#pragma once

#include <string>
#include <vector>

#include <boost/describe.hpp>

#include "ingestion/ai/rules/date.hpp"
#include "ingestion/ai/rules/decimal.hpp"
#include "ingestion/ai/rules/field.hpp"
#include "ingestion/media/page.hpp"

namespace belay::ai::rules {

struct InvoiceLine {
    Found<std::string> description{};
    Found<Decimal> quantity{};
    Found<Decimal> unit_price{};
    Found<Decimal> amount{};
    Found<Decimal> vat_rate{};  // percent
    BOOST_DESCRIBE_CLASS(InvoiceLine, (), (description, quantity, unit_price, amount, vat_rate), (),
                         ())
};

struct VatSum {
    Decimal rate{};  // percent
    Decimal base{};
    Decimal amount{};
    BOOST_DESCRIBE_CLASS(VatSum, (), (rate, base, amount), (), ())
};

// Where to pay. Each was checked by its own check digits; one that fails them is left out.
struct PaymentDetails {
    Found<std::string> iban{};
    Found<std::string> bic{};
    Found<std::string> bankgiro{};
    Found<std::string> plusgiro{};
    Found<std::string> ocr_reference{};
    BOOST_DESCRIBE_CLASS(PaymentDetails, (), (iban, bic, bankgiro, plusgiro, ocr_reference), (), ())
};

struct Invoice {
    Found<std::string> invoice_number{};
    Found<Date> issue_date{};
    Found<Date> due_date{};
    Found<std::string> seller_name{};
    Found<std::string> seller_orgnr{};
    Found<std::string> seller_vat_number{};
    Found<std::string> buyer_name{};
    Found<std::string> seller_address{}, buyer_address{};  // "Street 1, 12345 Town"
    PaymentDetails payment{};
    Found<Decimal> net_total{};
    Found<Decimal> tax_total{};
    Found<Decimal> grand_total{};
    Found<Decimal> due_amount{};  // what is left to pay, where it is printed apart from the total
    std::vector<VatSum> vat{};
    Found<std::string> currency{};
    std::vector<InvoiceLine> lines{};
    std::vector<std::string> review{};  // why a person should look; empty if nothing speaks for it
    double confidence = 0;  // of the whole: the least sure of number, date, seller and total
    BOOST_DESCRIBE_CLASS(Invoice, (),
                         (invoice_number, issue_date, due_date, seller_name, seller_orgnr,
                          seller_vat_number, buyer_name, seller_address, buyer_address, payment,
                          net_total, tax_total, grand_total, due_amount, vat, currency, lines,
                          review, confidence),
                         (), ())
};

// At most this many lines are kept; an invoice with more says so in `review`.
inline constexpr std::size_t kInvoiceLinesMax = 2000;

Invoice read_invoice(const std::vector<media::Page>& pages);

// The object that `ingest --wait --json` prints: {invoice_number, issue_date, due_date, seller_name,
// buyer_name, net_total, tax_total, grand_total, currency, lines: [{description, quantity, unit_price,
// line_total}], review}, null where nothing was found, money as decimal text.
std::string invoice_result_json(const Invoice& invoice);

}  // namespace belay::ai::rules
