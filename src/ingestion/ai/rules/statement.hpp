// statement.hpp — a card statement read from its pages: header, and a row for every purchase and payment.
//
// Swedish First Card statements (YYMMDD dates, 2.579,80, Valutakurs rows, KORTTOTAL, ATT BETALA) and the
// statements of banks in English. A charge is positive, a payment or refund negative, whatever signs the
// bank prints: the balances decide. Rows that do not come to the printed total say so in `review`.
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

struct StatementRow {
    std::optional<Date> date{};    // of the purchase
    std::optional<Date> posted{};  // when the bank entered it, where that is printed
    std::string description{};
    std::string city{};  // where the statement has a column for it
    Decimal amount{};    // in the statement's currency; a charge is positive
    std::string currency_original{};
    std::optional<Decimal> amount_original{};
    std::optional<Decimal> exchange_rate{};
    double confidence = 0;
    int page = 0;
    media::Box box{};
    std::string source_text{};  // the line as read
    BOOST_DESCRIBE_CLASS(StatementRow, (),
                         (date, posted, description, city, amount, currency_original,
                          amount_original, exchange_rate, confidence, page, box, source_text),
                         (), ())
};

struct Statement {
    Found<std::string> invoice_number{};
    Found<Date> statement_date{};
    Found<Date> due_date{};
    Found<Date> period_start{}, period_end{};
    Found<Decimal> previous_balance{};
    Found<Decimal> new_balance{};  // what the statement comes to: ATT BETALA, new balance
    Found<Decimal> total{};        // the printed sum of the rows: KORTTOTAL, net activity
    Found<std::string> currency{};
    Found<std::string> card_number_masked{};  // "**** 9917": never more than its last four
    Found<std::string> card_last_4{};
    Found<std::string> issuer{};  // "First Card"
    Found<std::string> payment_ocr{};
    std::vector<StatementRow> rows{};
    bool adds_up = false;  // the rows come to the printed total, or from the old balance to the new
    std::vector<std::string> review{};
    double confidence = 0;
    BOOST_DESCRIBE_CLASS(Statement, (),
                         (invoice_number, statement_date, due_date, period_start, period_end,
                          previous_balance, new_balance, total, currency, card_number_masked,
                          card_last_4, issuer, payment_ocr, rows, adds_up, review, confidence),
                         (), ())
};

inline constexpr std::size_t kStatementRowsMax = 5000;

Statement read_statement(const std::vector<media::Page>& pages);

// The object that `ingest --wait --json` prints: {invoice_number, statement_date, period_start,
// period_end, previous_balance, new_balance, total, currency, rows: [{date, posted, description, city,
// amount, currency_original, amount_original}], review}, null where nothing was found.
std::string statement_result_json(const Statement& statement);

}  // namespace belay::ai::rules
