// sample.hpp — documents made up from a seed, with what a perfect reader would find in them.
//
// Receipts, invoices over several pages and card statements, in Swedish, English and German. The truth is in
// the shape of `ingest --wait --json`, so that a result can be compared with it field by field. Names,
// numbers and amounts are invented; check digits are right.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe.hpp>

#include "ingestion/samples/sheet.hpp"

namespace belay::samples {

enum class Language { Swedish, English, German };

using MaybeText = std::optional<std::string>;

struct LineTruth {
    MaybeText description{}, quantity{}, unit_price{}, line_total{};
};
BOOST_DESCRIBE_STRUCT(LineTruth, (), (description, quantity, unit_price, line_total))

struct InvoiceTruth {
    MaybeText invoice_number{}, issue_date{}, due_date{}, seller_name{}, buyer_name{}, net_total{},
        tax_total{}, grand_total{}, currency{};
    std::vector<LineTruth> lines{};
};
BOOST_DESCRIBE_STRUCT(InvoiceTruth, (),
                      (invoice_number, issue_date, due_date, seller_name, buyer_name, net_total,
                       tax_total, grand_total, currency, lines))

struct RowTruth {
    MaybeText date{}, posted{}, description{}, city{}, amount{}, currency_original{},
        amount_original{};
};
BOOST_DESCRIBE_STRUCT(RowTruth, (),
                      (date, posted, description, city, amount, currency_original, amount_original))

struct StatementTruth {
    MaybeText invoice_number{}, statement_date{}, period_start{}, period_end{}, previous_balance{},
        new_balance{}, total{}, currency{};
    std::vector<RowTruth> rows{};
};
BOOST_DESCRIBE_STRUCT(StatementTruth, (),
                      (invoice_number, statement_date, period_start, period_end, previous_balance,
                       new_balance, total, currency, rows))

struct VatTruth {
    std::string rate{}, amount{};
};
BOOST_DESCRIBE_STRUCT(VatTruth, (), (rate, amount))

struct ItemTruth {
    std::string name{}, quantity{}, amount{};
};
BOOST_DESCRIBE_STRUCT(ItemTruth, (), (name, quantity, amount))

struct ReceiptTruth {
    MaybeText merchant{}, orgnr{}, date{}, total{}, currency{}, payment_type{};
    std::vector<VatTruth> vat{};
    std::vector<ItemTruth> items{};
};
BOOST_DESCRIBE_STRUCT(ReceiptTruth, (),
                      (merchant, orgnr, date, total, currency, payment_type, vat, items))

template <class Truth>
struct Sample {
    std::string name{};
    std::string workflow_type{};  // as at upload: receipt, invoice, creditcard_invoice
    std::vector<Sheet> sheets{};
    Truth truth{};
};

Sample<ReceiptTruth> make_receipt(std::uint64_t seed, Language language);
// `line_count` items; about 22 fit the first page and 34 each further one.
Sample<InvoiceTruth> make_invoice(std::uint64_t seed, Language language, int line_count);
// Swedish: set out as First Card statements are. English: as a bank's. Where payments are shown (with a
// sign, with CR, in a column of their own) differs from seed to seed.
Sample<StatementTruth> make_statement(std::uint64_t seed, Language language, int row_count);

}  // namespace belay::samples
