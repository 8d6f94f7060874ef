#include "ingestion/ai/rules/document_type.hpp"

#include <algorithm>
#include <array>
#include <span>

#include <fmt/format.h>

#include "ingestion/ai/rules/fold.hpp"
#include "ingestion/ai/rules/receipt_text.hpp"

namespace belay::ai::rules {
namespace {

constexpr std::size_t kLettersMin = 20;  // less is a picture, not a text

struct Signal {
    std::string_view word;  // folded, without spaces
    int weight = 1;
};

// "Tax invoice" stands on the receipts of half the world, so the word invoice alone weighs little.
constexpr std::array kReceipt{
    Signal{"kvitto", 2},    Signal{"receipt", 2},    Signal{"kundenskvitto", 2},
    Signal{"kassenbon", 2}, Signal{"quittung", 2},   Signal{"kundenbeleg", 2},
    Signal{"kassa", 1},     Signal{"kasse", 1},      Signal{"cashier", 2},
    Signal{"terminal", 1},  Signal{"kortkop", 2},    Signal{"godkand", 1},
    Signal{"change", 1},    Signal{"vaxel", 1},      Signal{"ruckgeld", 2},
    Signal{"zuruck", 1},    Signal{"cash", 1},       Signal{"kontant", 1},
    Signal{"bargeld", 2},   Signal{"rounding", 2},   Signal{"oresavrundning", 2},
    Signal{"butik", 1},     Signal{"filiale", 1},    Signal{"summa", 1},
    Signal{"moms", 1},      Signal{"subtotal", 1},   Signal{"thankyou", 1},
    Signal{"welcome", 1},   Signal{"valkommen", 1},  Signal{"ihreneinkauf", 2},
    Signal{"tenderd", 1},   Signal{"mastercard", 1}, Signal{"contactless", 1},
    Signal{"kontaktlos", 1}};
constexpr std::array kInvoice{Signal{"faktura", 2},
                              Signal{"invoice", 1},
                              Signal{"rechnung", 2},
                              Signal{"forfallodatum", 3},
                              Signal{"forfallodag", 3},
                              Signal{"duedate", 3},
                              Signal{"falligkeit", 2},
                              Signal{"zahlbarbis", 3},
                              Signal{"bankgiro", 3},
                              Signal{"plusgiro", 3},
                              Signal{"iban", 2},
                              Signal{"fakturanummer", 3},
                              Signal{"fakturanr", 3},
                              Signal{"invoicenumber", 2},
                              Signal{"rechnungsnummer", 3},
                              Signal{"ocrnummer", 3},
                              Signal{"betalningsvillkor", 3},
                              Signal{"paymentterms", 3},
                              Signal{"zahlungsbedingungen", 3},
                              Signal{"lieferdatum", 2},
                              Signal{"kundnummer", 1},
                              Signal{"kundennummer", 2},
                              Signal{"drojsmalsranta", 3},
                              Signal{"billto", 2}};
constexpr std::array kCardIssuer{Signal{"firstcard", 2}, Signal{"kundnr", 1},
                                 Signal{"fakturanr", 1}, Signal{"betalatill", 1}};

struct Count {
    int weight = 0;
    std::string words{};
};

Count count(const std::string& said, std::span<const Signal> signals) {
    Count out;
    for (const Signal& signal : signals) {
        if (said.find(signal.word) == std::string::npos) continue;
        out.weight += signal.weight;
        out.words += (out.words.empty() ? "" : ", ") + std::string{signal.word};
    }
    return out;
}

// "************1234": a till masks the card that paid.
bool has_masked_card(const std::string& text) {
    const std::size_t at = text.find("****");
    return at != std::string::npos && text.find_first_of("0123456789", at) != std::string::npos;
}

DocumentTypeAnswer answer(DocumentType type, double confidence, std::string reasoning) {
    return {std::string{to_string(type)}, confidence, std::move(reasoning)};
}

}  // namespace

std::string_view to_string(DocumentType type) {
    switch (type) {
        case DocumentType::Receipt:
            return "receipt";
        case DocumentType::Invoice:
            return "invoice";
        case DocumentType::CardInvoice:
            return "fc_invoice";
        case DocumentType::Other:
            return "other";
        case DocumentType::ManualReview:
            return "Manual Review";
    }
    return "Manual Review";
}

DocumentTypeAnswer classify_document(const std::vector<media::Page>& pages) {
    std::string text;
    for (const media::Page& page : pages) {
        for (const media::Word& word : page.words) text += word.text + " ";
    }
    const std::string said = fold_alnum(text);
    if (said.size() < kLettersMin)
        return answer(DocumentType::ManualReview, 0.3, "too little text was read");

    const Count issuer = count(said, kCardIssuer);
    if (issuer.weight >= 2 && (said.find("firstcard") != std::string::npos || issuer.weight >= 2))
        return answer(DocumentType::CardInvoice, std::min(0.95, 0.6 + 0.1 * issuer.weight),
                      "card statement: " + issuer.words);

    Count receipt = count(said, kReceipt);
    const Count invoice = count(said, kInvoice);
    if (has_masked_card(text)) {
        receipt.weight += 2;
        receipt.words += receipt.words.empty() ? "masked card" : ", masked card";
    }
    if (receipt.weight == 0 && invoice.weight == 0)
        return answer(DocumentType::Other, 0.5, "no sign of a receipt or an invoice");
    // Two pages are seldom a receipt.
    const int pages_count = pages.size() > 1 ? 2 : 0;
    if (receipt.weight >= invoice.weight + pages_count) {
        return answer(DocumentType::Receipt, std::min(0.95, 0.4 + 0.1 * receipt.weight),
                      fmt::format("receipt: {}", receipt.words));
    }
    return answer(DocumentType::Invoice, std::min(0.9, 0.35 + 0.1 * invoice.weight),
                  fmt::format("invoice: {}", invoice.words));
}

}  // namespace belay::ai::rules
