// receipt_text_amount.hpp — the amounts of a receipt's line, also where the reader lost a point or a gap.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ingestion/ai/rules/receipt_text.hpp"

namespace belay::ai::rules {

std::vector<LineAmount> amounts_of(const std::vector<media::Word>& words, NumberStyle style);

// The end of a line that must hold an amount ("TOTAL RM 64 13", "CHANGE 1315") read as one whose point
// was not seen. Not sure of itself: a sum has to confirm it.
std::optional<LineAmount> amount_without_point(const std::vector<media::Word>& words);

// The codes of tax rates that this till prints behind amounts: "1,69 C", "1.19CW". Only what stands behind several of
// them is one.
std::set<std::string> tax_codes(const std::vector<Line>& lines);

// "ORANGENSAFT 140 CW": an amount whose point was not seen, known by the code behind it. As unsure as the above.
std::optional<LineAmount> amount_before_code(const std::vector<media::Word>& words,
                                             const std::set<std::string>& codes);

}  // namespace belay::ai::rules
