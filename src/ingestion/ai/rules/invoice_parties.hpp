// invoice_parties.hpp — who sends an invoice and who gets it.
#pragma once

#include <string>

#include "ingestion/ai/rules/document.hpp"
#include "ingestion/ai/rules/field.hpp"

namespace belay::ai::rules {

struct Parties {
    Found<std::string> seller{}, buyer{};
    // Of the block that the name heads, or of the line that it begins.
    Found<std::string> seller_address{}, buyer_address{};
};

// By labels ("Verkäufer", "Bill to"), by the sender's line above an address, by the letterhead and the
// footer. A name that only its position speaks for is given with little confidence.
Parties read_parties(const Document& document);

}  // namespace belay::ai::rules
