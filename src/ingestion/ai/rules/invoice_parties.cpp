// invoice_parties.cpp — labelled names first, then those that stand where a party's name stands.
#include "ingestion/ai/rules/invoice_parties.hpp"

#include <algorithm>

#include "ingestion/ai/rules/party_labels.hpp"
#include "ingestion/ai/rules/party_position.hpp"

namespace belay::ai::rules {
namespace {

Found<std::string> best_of(const std::vector<PartyName>& names, double least) {
    const PartyName* best = nullptr;
    for (const auto& name : names) {
        if (!name.text.empty() && (best == nullptr || name.score > best->score)) best = &name;
    }
    if (best == nullptr || best->score < least) return {};
    return {best->text, std::min(0.97, best->score), best->page, best->box};
}

}  // namespace

Parties read_parties(const Document& document) {
    auto [sellers, buyers] = labelled_parties(document);
    if (sellers.empty()) sellers = sellers_by_position(document, buyers);
    Parties parties;
    // Under this it would be a guess.
    parties.seller = best_of(sellers, 0.6);
    if (buyers.empty())
        buyers = buyers_by_position(document, parties.seller ? *parties.seller : std::string{});
    parties.buyer = best_of(buyers, 0.4);
    return parties;
}

}  // namespace belay::ai::rules
