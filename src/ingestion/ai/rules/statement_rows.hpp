// statement_rows.hpp — the transactions of a card statement.
#pragma once

#include <optional>
#include <vector>

#include "ingestion/ai/rules/document.hpp"
#include "ingestion/ai/rules/statement.hpp"

namespace belay::ai::rules {

// A row before its sign and year are settled.
struct RawRow {
    StatementRow row{};
    bool credit_column = false;     // its amount stands in a column of payments and credits
    bool credit_section = false;    // under a heading of payments and credits
    bool loose = false;             // without a date of its own: a row only if the sum says so
    std::vector<Decimal> others{};  // other readings of its amount
};

// Rows in the order printed: a date at the left, text, an amount in the column of amounts; what stands
// below without a date (a foreign amount, a rate) belongs to the row above. `latest` settles years that
// are not printed: no row is later than that, and none a year older.
std::vector<RawRow> read_raw_rows(const Document& document, std::optional<Date> latest);

}  // namespace belay::ai::rules
