// amount.hpp — reading amounts as people print them: 2.579,80 · 1 234,56 kr · $1,234.56 · (12.00) · 12:50.
//
// Whether "1.234" is a thousand or one and a bit is decided once per document, by what its other
// numbers show (NumberStyle). A reading says how sure it is: 1 is as clear as print gets, under 0.6 it
// needed help (a letter taken for a digit, a space inside the number) and something else, such as a sum
// that comes out right, should speak for it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ingestion/ai/rules/decimal.hpp"
#include "ingestion/media/page.hpp"

namespace belay::ai::rules {

// How a document writes its numbers; 0 where nothing shows it.
struct NumberStyle {
    char decimal = 0;  // ',' or '.'
    char group = 0;    // '.', ',', ' ' or '\''
    double space = 0;  // how wide a space is, in heights of the letters beside it
};

struct Amount {
    Decimal value{};
    std::string
        currency{};  // ISO code, or "$" and "kr", which several countries share; empty if none
    bool decimals = false;  // decimals were printed: prose numbers, years and counts have none
    bool percent = false;   // followed by a percent sign: a rate
    bool signed_ = false;   // a sign was printed
    double confidence = 0;  // 0 to 1
};

// The style that the numbers of these texts speak for. A number with both signs counts most.
NumberStyle number_style(const std::vector<media::Page>& pages);
NumberStyle number_style_of(const std::vector<std::string>& texts);

// Every way to read the whole of `text` as one amount, best first; empty if it is none. Signs in
// front, behind ("12.00-", "12.00 CR") or as parentheses count; so do currency words and signs.
std::vector<Amount> read_amounts(std::string_view text, NumberStyle style = {});

// An amount among the words of a line.
struct AmountAt {
    Amount amount{};
    std::size_t first = 0, count = 1;  // which words
    media::Box box{};
};

// The amounts printed in `words` (one line, left to right). Words that stand close together are read
// as one number when only that makes one: "1 234,56", "€ 12.00", "12,00 kr", "- 5,00". Where a line multiplies
// only if a space parts two columns ("2 520,50  1 041,00"), it does.
std::vector<AmountAt> find_amounts(const std::vector<media::Word>& words, NumberStyle style = {});

// The quantity and the amount that `at` is if its first space parts two columns; empty if it cannot. Of one
// amount of `words`.
std::vector<AmountAt> column_parts(const std::vector<media::Word>& words, const AmountAt& at,
                                   NumberStyle style);

// Parts the amounts of a line that only then multiply: a quantity and a price, or a rate and its base.
void part_columns(const std::vector<media::Word>& words, std::vector<AmountAt>& amounts,
                  NumberStyle style);

}  // namespace belay::ai::rules
