// samples_test.cpp — rules against documents made from seeds: many variants, none of them seen before.
#include <gtest/gtest.h>

#include "ingestion/ai/rules/calibration.hpp"
#include "ingestion/ai/rules/fold.hpp"
#include "ingestion/ai/rules/invoice.hpp"
#include "ingestion/ai/rules/receipt.hpp"
#include "ingestion/ai/rules/statement.hpp"
#include "ingestion/samples/sample.hpp"

namespace belay::ai::rules {
namespace {

using samples::Language;

std::string text(const Found<Decimal>& found) { return found ? money_text(*found) : "null"; }
std::string text(const Found<Date>& found) { return found ? found->text() : "null"; }
std::string text(const Found<std::string>& found) { return found ? *found : "null"; }
std::string text(const samples::MaybeText& maybe) { return maybe.value_or("null"); }

class EveryLanguage : public testing::TestWithParam<std::tuple<Language, int>> {};

TEST_P(EveryLanguage, an_invoice_of_several_pages_is_read_whole) {
    const auto [language, seed] = GetParam();
    const auto sample =
        samples::make_invoice(static_cast<std::uint64_t>(seed), language, 5 + 7 * seed);

    const auto invoice = read_invoice(samples::pages_of(sample.sheets));

    const auto& truth = sample.truth;
    EXPECT_EQ(text(invoice.invoice_number), text(truth.invoice_number));
    EXPECT_EQ(text(invoice.issue_date), text(truth.issue_date));
    EXPECT_EQ(text(invoice.due_date), text(truth.due_date));
    EXPECT_EQ(text(invoice.seller_name), text(truth.seller_name));
    EXPECT_EQ(text(invoice.buyer_name), text(truth.buyer_name));
    EXPECT_EQ(text(invoice.net_total), text(truth.net_total));
    EXPECT_EQ(text(invoice.tax_total), text(truth.tax_total));
    EXPECT_EQ(text(invoice.grand_total), text(truth.grand_total));
    EXPECT_EQ(text(invoice.currency), text(truth.currency));
    ASSERT_EQ(invoice.lines.size(), truth.lines.size());
    for (std::size_t i = 0; i < truth.lines.size(); ++i) {
        EXPECT_EQ(text(invoice.lines[i].amount), text(truth.lines[i].line_total));
        EXPECT_EQ(text(invoice.lines[i].description), text(truth.lines[i].description));
    }
    auto told = invoice;
    calibrate(told);
    EXPECT_TRUE(told.review.empty()) << told.review.front();
}

// A clean paper whose items add up is nobody's business.
TEST_P(EveryLanguage, a_clean_receipt_is_read_whole_and_asks_nobody) {
    const auto [language, seed] = GetParam();
    const auto sample = samples::make_receipt(static_cast<std::uint64_t>(seed), language);

    auto receipt = read_receipt(samples::pages_of(sample.sheets));
    calibrate(receipt);

    EXPECT_EQ(fold_alnum(text(receipt.merchant)), fold_alnum(text(sample.truth.merchant)));
    EXPECT_EQ(text(receipt.date), text(sample.truth.date));
    EXPECT_EQ(text(receipt.total), text(sample.truth.total));
    EXPECT_EQ(receipt.items.size(), sample.truth.items.size());
    EXPECT_TRUE(receipt.items_sum_up);
    EXPECT_TRUE(receipt.review.empty()) << receipt.review.front();
}

TEST_P(EveryLanguage, a_card_statement_is_read_row_by_row_and_adds_up) {
    const auto [language, seed] = GetParam();
    if (language == Language::German) return;  // no German statements are made
    const auto sample =
        samples::make_statement(static_cast<std::uint64_t>(seed), language, 8 + 9 * seed);

    const auto statement = read_statement(samples::pages_of(sample.sheets));

    const auto& truth = sample.truth;
    EXPECT_EQ(text(statement.invoice_number), text(truth.invoice_number));
    EXPECT_EQ(text(statement.statement_date), text(truth.statement_date));
    EXPECT_EQ(text(statement.period_start), text(truth.period_start));
    EXPECT_EQ(text(statement.previous_balance), text(truth.previous_balance));
    EXPECT_EQ(text(statement.new_balance), text(truth.new_balance));
    EXPECT_EQ(text(statement.total), text(truth.total));
    EXPECT_EQ(text(statement.currency), text(truth.currency));
    ASSERT_EQ(statement.rows.size(), truth.rows.size());
    for (std::size_t i = 0; i < truth.rows.size(); ++i) {
        const auto& row = statement.rows[i];
        EXPECT_EQ(row.date ? row.date->text() : "null", text(truth.rows[i].date));
        EXPECT_EQ(money_text(row.amount), text(truth.rows[i].amount));
        EXPECT_EQ(row.description, text(truth.rows[i].description));
        EXPECT_EQ(row.city, truth.rows[i].city.value_or(""));
        EXPECT_EQ(row.currency_original, truth.rows[i].currency_original.value_or(""));
        const auto original = row.amount_original ? money_text(*row.amount_original) : "null";
        EXPECT_EQ(original, text(truth.rows[i].amount_original));
    }
    EXPECT_TRUE(statement.adds_up);
    EXPECT_TRUE(statement.review.empty());
}

INSTANTIATE_TEST_SUITE_P(Samples, EveryLanguage,
                         testing::Combine(testing::Values(Language::Swedish, Language::English,
                                                          Language::German),
                                          testing::Range(0, 12)));

}  // namespace
}  // namespace belay::ai::rules
