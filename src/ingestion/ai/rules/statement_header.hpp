// statement_header.hpp — dates, balances and numbers of a card statement, all but its rows.
#pragma once

#include "ingestion/ai/rules/document.hpp"
#include "ingestion/ai/rules/statement.hpp"

namespace belay::ai::rules {

enum class BalanceKind { None, Previous, New, RowsTotal };

// What the words beside an amount make of it on a statement.
BalanceKind balance_label(std::string_view words);

// Fills everything but rows, adds_up, review and confidence.
void read_statement_header(const Document& document, Statement& statement);

}  // namespace belay::ai::rules
