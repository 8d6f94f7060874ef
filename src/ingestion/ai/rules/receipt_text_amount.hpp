// receipt_text_amount.hpp — the amounts of a receipt's line, also where the reader lost a point or a gap.
#pragma once

#include <optional>
#include <vector>

#include "ingestion/ai/rules/receipt_text.hpp"

namespace belay::ai::rules {

std::vector<LineAmount> amounts_of(const std::vector<media::Word>& words, NumberStyle style);

// The end of a line that must hold an amount ("TOTAL RM 64 13", "CHANGE 1315") read as one whose point
// was not seen. Not sure of itself: a sum has to confirm it.
std::optional<LineAmount> amount_without_point(const std::vector<media::Word>& words);

}  // namespace belay::ai::rules
