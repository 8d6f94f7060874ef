// party_labels.hpp — parties that are labelled: "Seller", "Bill to", "Rechnungsempfänger", "Köpare".
#pragma once

#include <vector>

#include "ingestion/ai/rules/party_block.hpp"

namespace belay::ai::rules {

struct LabelledParties {
    std::vector<PartyName> sellers{};
    std::vector<PartyName> buyers{};
};

// Names below their label, or right of it.
LabelledParties labelled_parties(const Document& document);

}  // namespace belay::ai::rules
