// accounting.hpp — AI4: a receipt as entries on the accounts of BAS, debits equal to credits.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/describe.hpp>

#include "ingestion/ai/rules/decimal.hpp"
#include "ingestion/ai/rules/receipt.hpp"

namespace belay::ai::rules {

// What the accounts are kept in.
inline constexpr std::string_view kLedgerCurrency = "SEK";
// The reason for a person to look at a receipt in another: its amounts are right, but no entries of the ledger until
// somebody knows the exchange rate.
inline constexpr std::string_view kForeignCurrency = "foreign_currency";

// A receipt that names no currency is taken for one in the ledger's.
bool is_foreign(const Receipt& receipt);

struct AccountingEntry {
    std::string account_code{};
    Decimal debit{0, 2};
    Decimal credit{0, 2};
    std::optional<Decimal> vat_rate{};  // percent
    std::string notes{};
};
BOOST_DESCRIBE_STRUCT(AccountingEntry, (), (account_code, debit, credit, vat_rate, notes))

// "merchant contains hotell → 5831": the first that fits decides the account of the cost.
struct AccountRule {
    std::string merchant_contains{};
    std::string account_code{};
};
BOOST_DESCRIBE_STRUCT(AccountRule, (), (merchant_contains, account_code))

struct AccountingOptions {
    std::vector<AccountRule> rules{};  // before the built-in ones
    std::string cost_account = "5790";
    std::string paid_by_company_card = "1930";
    std::string owed = "2440";
};

struct AccountingProposal {
    std::vector<AccountingEntry> entries{};
    double confidence = 0;
    std::vector<std::string> review{};  // why there are none, or why a person should look
};
BOOST_DESCRIBE_STRUCT(AccountingProposal, (), (entries, confidence, review))

// The cost without deductible tax, the tax by Swedish rate (2641, 2642, 2643), and what was paid. Without
// a total there is no entry. Tax of other countries is cost: it cannot be deducted here.
AccountingProposal propose_accounting(const Receipt& receipt, std::string_view expense_type,
                                      const AccountingOptions& options = {});

// What is wrong with entries, whoever proposed them; empty if they may be kept: each has an account of
// four digits and exactly one of debit and credit above zero, rates are 0 to 100, notes at most 255
// characters, and debits equal credits to the cent.
std::vector<std::string> check_entries(const std::vector<AccountingEntry>& entries);

}  // namespace belay::ai::rules
