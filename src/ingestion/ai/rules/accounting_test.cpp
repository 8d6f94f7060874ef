#include "ingestion/ai/rules/accounting.hpp"

#include <gtest/gtest.h>

#include "ingestion/ai/rules/document_type.hpp"
#include "ingestion/ai/rules/expense_type.hpp"
#include "ingestion/ai/rules/typed_page.hpp"

namespace belay::ai::rules {
namespace {

Receipt paid(std::int64_t ore) {
    Receipt receipt;
    receipt.total = {Decimal{ore, 2}, 0.9};
    receipt.currency = {std::string{"SEK"}, 0.9};
    return receipt;
}

TEST(Accounting, cost_and_tax_are_debited_and_what_was_paid_is_credited) {
    Receipt receipt = paid(12500);
    receipt.vat = {{Decimal{25, 0}, Decimal{2500, 2}, Decimal{10000, 2}}};

    const auto proposal = propose_accounting(receipt, "corporate");

    ASSERT_EQ(proposal.entries.size(), 3u);
    EXPECT_EQ(proposal.entries[0].account_code, "5790");
    EXPECT_EQ(money_text(proposal.entries[0].debit), "100.00");
    EXPECT_EQ(proposal.entries[1].account_code, "2641");
    EXPECT_EQ(proposal.entries[2].account_code, "1930");
    EXPECT_EQ(money_text(proposal.entries[2].credit), "125.00");
    EXPECT_TRUE(check_entries(proposal.entries).empty());
}

TEST(Accounting, a_private_expense_is_owed) {
    EXPECT_EQ(propose_accounting(paid(1000), "personal").entries.back().account_code, "2440");
}

TEST(Accounting, without_a_total_there_is_no_entry) {
    const auto proposal = propose_accounting(Receipt{}, "personal");

    EXPECT_TRUE(proposal.entries.empty());
    EXPECT_EQ(proposal.review, std::vector<std::string>{"total_missing"});
}

TEST(Accounting, a_rule_of_the_company_comes_before_the_built_in_ones) {
    Receipt receipt = paid(1000);
    receipt.merchant = {std::string{"Grand Hôtel AB"}, 0.9};

    EXPECT_EQ(propose_accounting(receipt, "personal").entries[0].account_code, "5831");
    EXPECT_EQ(propose_accounting(receipt, "personal", {.rules = {{"grand", "6071"}}})
                  .entries[0]
                  .account_code,
              "6071");
}

TEST(Accounting, entries_that_do_not_balance_are_refused) {
    const std::vector<AccountingEntry> entries{
        {"5790", Decimal{10000, 2}, Decimal{0, 2}, std::nullopt, ""},
        {"1930", Decimal{0, 2}, Decimal{9999, 2}, std::nullopt, ""}};

    EXPECT_EQ(check_entries(entries).size(), 1u);
    EXPECT_EQ(check_entries(
                  {{"579", Decimal{1, 2}, Decimal{1, 2}, Decimal{101, 0}, std::string(300, 'x')}})
                  .size(),
              4u);
}

TEST(ExpenseType, only_the_companys_own_card_makes_it_corporate) {
    Receipt receipt = paid(1000);
    receipt.payment_type = {std::string{"card"}, 0.9};
    receipt.card = ReceiptCard{"mastercard", "************4711", "4711"};

    EXPECT_EQ(classify_expense(receipt).expense_type, "personal");
    EXPECT_EQ(classify_expense(receipt, {.company_cards_last_4 = {"4711"}}).expense_type,
              "corporate");
}

TEST(DocumentType, the_signs_of_each_kind_decide) {
    const auto kind = [](const char* text) {
        return classify_document({typed_page(text)}).document_type;
    };

    EXPECT_EQ(kind("TAX INVOICE\nCASHIER: ANN\nTOTAL 5.00\nCASH 10.00\nCHANGE 5.00"), "receipt");
    EXPECT_EQ(kind("FAKTURA\nFakturanummer 4711\nFörfallodatum 2024-03-12\nBankgiro 123-4567"),
              "invoice");
    EXPECT_EQ(kind("FIRST CARD\nKUNDNR 12 FAKTURANR 34\nBETALA TILL bank"), "fc_invoice");
    EXPECT_EQ(kind("Once upon a time there was a page about nothing at all"), "other");
    EXPECT_EQ(kind("x"), "Manual Review");
}

}  // namespace
}  // namespace belay::ai::rules
