// statement_columns.hpp — the columns of a statement: what a heading calls them, and where amounts stand.
#pragma once

#include <map>
#include <vector>

#include "ingestion/ai/rules/document.hpp"

namespace belay::ai::rules {

enum class StatementColumn { Amount, Credit, Debit, Balance, Foreign, City, Text };

struct StatementHeading {
    StatementColumn column = StatementColumn::Text;
    media::Box box{};
};

// An amount of money as rows have it: two decimals, no percentage.
bool is_row_money(const Amount& amount);

class StatementColumns {
public:
    // `dated` are the lines that begin with a date and hold money; their amounts show the column.
    StatementColumns(const Document& document, const std::vector<std::size_t>& dated);

    // The headings nearest above a line, on its page.
    std::vector<StatementHeading> headings_for(std::size_t line) const;

    struct Choice {
        const AmountAt* amount = nullptr;  // null if the line has none in its column
        bool credit = false;               // it stands in a column of payments and credits
    };
    // The amount of a row, among those from word `from` on: under a heading that says so or in the band of
    // amounts; never a balance or a foreign amount.
    Choice amount_of(std::size_t line, std::size_t from,
                     const std::vector<StatementHeading>& headings) const;

private:
    const Document& document_;
    std::vector<LabelAt> labels_{};
    std::map<int, double> bands_{};  // right edge of the amounts, by page
};

}  // namespace belay::ai::rules
