// total_label.hpp — what the words beside an amount make of it: net, tax, gross, still to pay, …
#pragma once

#include <string_view>

namespace belay::ai::rules {

enum class TotalKind {
    None,
    Net,      // the sum without tax
    LineSum,  // the sum of the lines, before charges: often the net
    Tax,
    TaxWithin,  // tax that is part of the amount above: "of which VAT"
    Gross,      // the sum with tax
    Due,        // what is to be paid; the gross unless something was paid before
    Paid,       // what was paid before
    Rounding,
    Other,  // a discount, freight or charge: known to be none of the above
};

struct TotalLabel {
    TotalKind kind = TotalKind::None;
    double strength = 0;  // 0 to 1: how much the words say so
};

// Reads the words of a row that stand before an amount, in five languages; None for prose and for
// anything else.
TotalLabel total_label(std::string_view words);

}  // namespace belay::ai::rules
