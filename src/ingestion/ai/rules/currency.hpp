// currency.hpp — which currency a document is in.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ingestion/media/page.hpp"

namespace belay::ai::rules {

// The currency that `text` names, or empty: an ISO code ("EUR"), or "$" and "kr", which several
// countries share. Knows codes, signs and words ("Euro", "kronor", "Rs."), whatever their case.
std::string currency_word(std::string_view text);

bool is_currency_code(std::string_view code);

struct CurrencyChoice {
    std::string code{};  // ISO; empty if the document does not say
    double confidence = 0;
};

// The currency of a document: codes and signs beside its amounts count more than codes in its prose,
// and "$" or "kr" is decided by the countries, languages and codes that the document shows.
CurrencyChoice document_currency(const std::vector<media::Page>& pages);

}  // namespace belay::ai::rules
