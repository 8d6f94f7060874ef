// expense_type.hpp — AI2: whether the company or an employee paid, by the means of payment alone.
#pragma once

#include <string>
#include <vector>

#include <boost/describe.hpp>

#include "ingestion/ai/rules/receipt.hpp"

namespace belay::ai::rules {

struct ExpenseAnswer {
    std::string expense_type{};  // "personal" or "corporate"
    double confidence = 0;
    std::string card_identifier{};  // last four digits, if a card was seen
    std::string reasoning{};
};
BOOST_DESCRIBE_STRUCT(ExpenseAnswer, (), (expense_type, confidence, card_identifier, reasoning))

struct ExpenseOptions {
    std::vector<std::string> company_cards_last_4{};
};

// Corporate only if the receipt shows the last four digits of one of the company's cards; swish, cash and
// every other card are personal, and so is a receipt that does not say how it was paid.
ExpenseAnswer classify_expense(const Receipt& receipt, const ExpenseOptions& options = {});

}  // namespace belay::ai::rules
