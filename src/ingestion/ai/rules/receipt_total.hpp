// receipt_total.hpp — which of a receipt's amounts was paid.
#pragma once

#include <string>
#include <vector>

#include "ingestion/ai/rules/decimal.hpp"
#include "ingestion/ai/rules/field.hpp"
#include "ingestion/ai/rules/receipt_text.hpp"

namespace belay::ai::rules {

// One amount that could be the total, and what speaks for it.
struct ReceiptTotal {
    Decimal value{};
    double score = 0;
    std::vector<std::string> reasons{};  // "printed as total", "cash less change", …
    int page = 0;
    media::Box box{};
};

// Every candidate, best first. Nothing is decided here: the first may be as bad as the second.
std::vector<ReceiptTotal> total_candidates(const ReceiptText& text);

// A printed amount that is one digit off one that sums give was misread, and so was one with a digit too
// many in front (the sign of a currency) when the shorter one is said elsewhere: moves what speaks for it.
void settle_misread(std::vector<ReceiptTotal>& candidates);

// The total, with a confidence from how much speaks for it and how far the next one is behind.
Found<Decimal> choose_total(std::vector<ReceiptTotal> candidates);

}  // namespace belay::ai::rules
