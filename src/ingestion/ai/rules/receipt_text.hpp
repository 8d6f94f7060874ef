// receipt_text.hpp — a receipt as lines that say what they are for.
//
// "TOTAL (INCL GST) : RM 31.02" is a line with the role Total and an amount. The roles come from a table
// of words in English, Malay, Swedish and German, compared so that one letter misread does not hide them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ingestion/ai/rules/amount.hpp"
#include "ingestion/ai/rules/layout.hpp"
#include "ingestion/media/page.hpp"

namespace belay::ai::rules {

enum class Role {
    None,
    GrandTotal,  // after rounding, or "to pay": nothing comes after it
    Total,
    SubTotal,  // before tax, service or rounding
    Tax,
    Service,
    Rounding,
    Discount,
    Cash,    // what was handed over
    Card,    // what was taken from a card
    Change,  // what was given back
    Count,   // numbers of things, points, savings: amounts that are not money paid
    Table,   // the summary of taxes: its own sums, not the receipt's
};

// An amount of a line, read in one of perhaps several ways.
struct LineAmount {
    Decimal value{};
    double sure = 0;  // 0 to 1, of the reading
    std::size_t first = 0, count = 1;
    bool printed_decimals = true;
    bool percent = false;
    std::string currency{};
    media::Box box{};
};

struct ReceiptLine {
    Line line{};
    std::string said{};  // folded, without spaces and amounts: what the words say
    Role role = Role::None;
    std::vector<LineAmount>
        amounts{};  // left to right; several readings of one place follow each other

    // The rightmost amount with decimals; null if there is none.
    const LineAmount* last() const;
};

struct ReceiptText {
    std::vector<ReceiptLine> lines{};
    NumberStyle style{};
    double height = 1;  // usual height of the print
};

ReceiptText receipt_text(const std::vector<media::Page>& pages);

// Whether `said` (folded, no spaces) has `word` in it, give or take the letters that OCR confuses: one in
// words of five letters or more, two from nine on.
bool says(std::string_view said, std::string_view word);
bool says_any(std::string_view said, std::initializer_list<std::string_view> words);

Role role_of(std::string_view said);

}  // namespace belay::ai::rules
