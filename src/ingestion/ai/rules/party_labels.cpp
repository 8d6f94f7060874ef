#include "ingestion/ai/rules/party_labels.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "ingestion/ai/rules/company.hpp"
#include "ingestion/ai/rules/fold.hpp"

namespace belay::ai::rules {
namespace {

enum Meaning { Seller = 1, Buyer = 2, OtherParty = 3 };

constexpr auto kLabels = std::to_array<Label>({
    {"verkaufer", Seller},
    {"lieferant", Seller},
    {"seller", Seller},
    {"supplier", Seller},
    {"vendor", Seller},
    {"saljare", Seller},
    {"leverantor", Seller},
    {"rechnungssteller", Seller},
    {"rechnungsaussteller", Seller},
    {"vendeur", Seller},
    {"fournisseur", Seller},
    {"saelger", Seller},
    {"selger", Seller},
    {"vendedor", Seller},
    {"venditore", Seller},
    {"fornitore", Seller},
    {"verkoper", Seller},
    {"leverancier", Seller},
    {"from", Seller},
    {"billfrom", Seller},
    {"invoicefrom", Seller},
    {"avsandare", Seller},
    {"leistungserbringer", Seller},
    {"auftragnehmer", Seller},
    {"kaufer", Buyer},
    {"kauferleistungsempfanger", Buyer},
    {"leistungsempfanger", Buyer},
    {"rechnungsempfanger", Buyer},
    {"kunde", Buyer},
    {"buyer", Buyer},
    {"customer", Buyer},
    {"billto", Buyer},
    {"billedto", Buyer},
    {"soldto", Buyer},
    {"invoiceto", Buyer},
    {"client", Buyer},
    {"kopare", Buyer},
    {"kund", Buyer},
    {"fakturaadress", Buyer},
    {"faktureringsadress", Buyer},
    {"rechnungsadresse", Buyer},
    {"rechnungsanschrift", Buyer},
    {"acheteur", Buyer},
    {"facturea", Buyer},
    {"adressedefacturation", Buyer},
    {"factuuradres", Buyer},
    {"koeber", Buyer},
    {"kjoper", Buyer},
    {"cliente", Buyer},
    {"facturara", Buyer},
    {"fatturatoa", Buyer},
    {"klant", Buyer},
    {"auftraggeber", Buyer},
    {"fakturamottagare", Buyer},
    {"invoiceaddress", Buyer},
    {"billingaddress", Buyer},
    {"to", Buyer},
    {"shipto", OtherParty},
    {"deliveryaddress", OtherParty},
    {"lieferadresse", OtherParty},
    {"leveransadress", OtherParty},
    {"warenempfanger", OtherParty},
    {"abweichenderwarenempfanger", OtherParty},
    {"abweichenderzahlungsempfanger", OtherParty},
    {"abweichenderrechnungsempfanger", OtherParty},
    {"steuerbevollmachtigterdesverkaufers", OtherParty},
    {"lieferanschrift", OtherParty},
    {"adressedelivraison", OtherParty},
    {"afleveradres", OtherParty},
    {"deliverto", OtherParty},
    {"payee", OtherParty},
    {"zahlungsempfanger", OtherParty},
    {"contactcommercial", OtherParty},
});

}  // namespace

LabelledParties labelled_parties(const Document& document) {
    LabelledParties found;
    for (const auto& label : find_labels(document.lines, kLabels)) {
        if (label.meaning == OtherParty) continue;
        const auto& line = document.lines[label.line];
        // A label stands alone or ends in a colon; inside a sentence it is a word.
        const auto segments = segments_of(line, 1.6);
        const auto own = std::find_if(segments.begin(), segments.end(), [&](const Segment& s) {
            return s.first <= label.first && label.first < s.first + s.count;
        });
        const bool begins = own != segments.end() && own->first == label.first;
        const auto last = label.first + label.count;
        const bool ends = own != segments.end() && own->first + own->count == last;
        const bool colon = line.words[last - 1].text.ends_with(':') ||
                           (last < line.words.size() && line.words[last].text == ":");
        if (!begins || (!ends && !colon)) continue;
        const bool weak =
            line.text(label.first, label.count).size() <= 5;  // "From", "To": only with a colon
        if (weak && !colon) continue;
        std::optional<PartyName> name;
        if (colon && !ends) {
            auto first = last;
            if (first < line.words.size() && line.words[first].text == ":") ++first;
            const auto text = line.text(first, own->first + own->count - first);
            if (is_name_like(text))
                name = PartyName{clean_name(text), 0.9, line.page,
                                 line.box_of(first, own->first + own->count - first)};
        }
        if (!name) name = name_of(document, block_below(document, label.line, label.box));
        if (!name && colon && ends && own + 1 != segments.end()) {
            const auto text = line.text((own + 1)->first, (own + 1)->count);
            if (is_name_like(text))
                name = PartyName{clean_name(text), 0.85, line.page, (own + 1)->box};
        }
        if (!name) continue;
        name->score *= label.exact ? 1 : 0.95;
        name->score -= 0.05 * (name->page - document.first_page);
        (label.meaning == Seller ? found.sellers : found.buyers).push_back(*name);
    }
    return found;
}

}  // namespace belay::ai::rules
