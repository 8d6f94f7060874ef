// paper_settings.hpp — what can be set about receipts, invoices and card statements.
//
// By environment variable, and for `belay serve` also by flag and file (settings.hpp): BELAY_PAPER_CURRENCY is
// --paper-currency is `paper_currency = SEK`.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ingestion/workflows/paper/services.hpp"
#include "service/cli/place.hpp"

namespace belay::cli {

// BELAY_PAPER_…: CURRENCY, COMPANY_CARDS, PAGES_MAX, MATCH_DAYS, MATCH_AMOUNT, COST_ACCOUNT, CARD_ACCOUNT, OWED_ACCOUNT,
// ACCOUNT_RULES. Throws Error{InvalidArgument} naming the variable and what would be right.
workflows::PaperOptions paper_options(const Environment& environment);

// What the sandboxed helper is told of our environment, which it does not inherit: where its models lie.
std::vector<std::pair<std::string, std::string>> helper_environment(const Environment& environment);

}  // namespace belay::cli
