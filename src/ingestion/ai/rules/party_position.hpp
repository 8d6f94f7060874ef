// party_position.hpp — parties that nothing labels: letterheads, senders' lines, footers, and whom a letter is addressed to.
#pragma once

#include <string>
#include <vector>

#include "ingestion/ai/rules/party_block.hpp"

namespace belay::ai::rules {

// Names that may be the seller's, without those that are a buyer's.
std::vector<PartyName> sellers_by_position(const Document& document,
                                           const std::vector<PartyName>& buyers);

// Blocks with an address, in the upper half, that are not the seller's.
std::vector<PartyName> buyers_by_position(const Document& document, const std::string& seller);

}  // namespace belay::ai::rules
