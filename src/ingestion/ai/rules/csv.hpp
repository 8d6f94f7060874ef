// csv.hpp — rows as a CSV file (RFC 4180), as spreadsheets open it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ingestion/ai/rules/invoice.hpp"
#include "ingestion/ai/rules/statement.hpp"

namespace belay::ai::rules {

// Fields joined by commas and rows ended by CR LF; a field with a comma, a quote or a line break is quoted. A
// field that a spreadsheet would take for a formula (=, +, @, or a minus before something that is no
// number) gets an apostrophe in front: documents are made by strangers.
std::string csv(const std::vector<std::vector<std::string>>& rows);

// One row a transaction, with a heading.
std::string statement_csv(const Statement& statement);
// One row a line, the invoice's own fields repeated.
std::string invoice_csv(const Invoice& invoice);

}  // namespace belay::ai::rules
