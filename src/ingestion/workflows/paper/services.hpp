// services.hpp — what the workflows on paper (receipts, invoices, card statements) work with.
#pragma once

#include <string>
#include <vector>

#include <belay/engine.hpp>

#include "core/env/clock.hpp"
#include "ingestion/ai/patience.hpp"
#include "ingestion/ai/rules/accounting.hpp"
#include "ingestion/ai/rules/calibration.hpp"
#include "ingestion/ai/rules/matching.hpp"
#include "ingestion/isolate/turns.hpp"
#include "ingestion/objects/store.hpp"
#include "ingestion/workflows/paper/page_reader.hpp"

namespace belay::workflows {

class Analyst;

struct PaperOptions {
    std::string currency_default{};                   // for a receipt that names none
    std::vector<std::string> company_cards_last_4{};  // what was paid with them is corporate
    ai::rules::AccountingOptions accounting{};
    ai::rules::MatchRules matching{};
    int pages_max = 500;                            // of one document
    double review_below = ai::rules::kReviewBelow;  // a field less sure is for a person to look at
    bool keep_pages = true;                         // each page's picture is kept, as PNG
    // For how long a model that does not answer is asked again, before the rules answer.
    Duration model_patience = ai::kModelPatience;
};

// All of it outlives the engine's work.
struct PaperServices {
    Engine& engine;
    objects::Store& object_store;
    PageReader& reader;
    isolate::Turns& turns;  // at the helper that the reader asks
    Analyst& analyst;
    const env::Clock& clock;
    PaperOptions options{};
};

}  // namespace belay::workflows
