// receipt_vat.hpp — the taxes that a receipt shows, by rate.
#pragma once

#include <vector>

#include "ingestion/ai/rules/receipt.hpp"
#include "ingestion/ai/rules/receipt_text.hpp"

namespace belay::ai::rules {

// One entry per rate, checked: the tax of a rate has to be that share of what it was taken on, or of the
// total. A line that fails this was misread and is left out. `total` may be empty.
std::vector<ReceiptVat> find_vat(const ReceiptText& text, const Found<Decimal>& total);

}  // namespace belay::ai::rules
