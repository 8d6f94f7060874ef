// document.hpp — a document as the rules see it: its lines, and how it writes numbers and dates.
//
// Made once from the pages; every rule reads it and none changes it.
#pragma once

#include <string>
#include <vector>

#include "ingestion/ai/rules/amount.hpp"
#include "ingestion/ai/rules/currency.hpp"
#include "ingestion/ai/rules/date.hpp"
#include "ingestion/ai/rules/layout.hpp"
#include "ingestion/media/page.hpp"

namespace belay::ai::rules {

struct Document {
    std::vector<Line> lines{};  // of all pages, in order
    // Of lines[i]: its amounts and dates.
    std::vector<std::vector<AmountAt>> amounts{};
    std::vector<std::vector<DateAt>> dates{};
    NumberStyle numbers{};
    DateStyle date_style{};
    CurrencyChoice currency{};
    double height = 10;  // of its usual text
    int first_page = 1;
    double page_width = 0, page_height = 0;  // of the first page
    bool from_ocr = false;

    std::string text(const Place& place) const {
        return lines[place.line].text(place.segment.first, place.segment.count);
    }
    // The words of a place, for find_amounts and find_dates.
    std::vector<media::Word> words(const Place& place) const;
};

Document document_of(const std::vector<media::Page>& pages);

}  // namespace belay::ai::rules
