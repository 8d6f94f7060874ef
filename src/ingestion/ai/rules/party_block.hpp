// party_block.hpp — a company's or a person's name on an invoice, and the address block that it heads.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "ingestion/ai/rules/document.hpp"

namespace belay::ai::rules {

// A name that may be a party's.
struct PartyName {
    std::string text{};
    double score = 0;  // how much speaks for it
    int page = 0;
    media::Box box{};
};

// A line of a block: the piece of a line that stands in the block's column.
struct BlockLine {
    std::string text{};
    media::Box box{};
    std::size_t line = 0;
    Segment segment{};
};

// The pieces below `box` whose left edge stands in its column, until a gap of `gap` text heights.
std::vector<BlockLine> block_below(const Document& document, std::size_t line,
                                   const media::Box& box, double gap = 3.6);

// The name at the head of an address block.
std::optional<PartyName> name_of(const Document& document, const std::vector<BlockLine>& block);

}  // namespace belay::ai::rules
