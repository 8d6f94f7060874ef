// document.cpp — reads a document once, for all rules.
#include "ingestion/ai/rules/document.hpp"

namespace belay::ai::rules {

std::vector<media::Word> Document::words(const Place& place) const {
    const auto& all = lines[place.line].words;
    const auto from = all.begin() + static_cast<std::ptrdiff_t>(place.segment.first);
    return {from, from + static_cast<std::ptrdiff_t>(place.segment.count)};
}

Document document_of(const std::vector<media::Page>& pages) {
    Document document;
    document.numbers = number_style(pages);
    document.date_style = date_style(pages);
    document.currency = document_currency(pages);
    document.lines = lines_of(pages);
    document.height = text_height(document.lines);
    if (!pages.empty()) {
        document.first_page = pages.front().number;
        document.page_width = pages.front().width;
        document.page_height = pages.front().height;
        document.from_ocr = pages.front().source == media::PageSource::Ocr;
    }
    for (const auto& line : document.lines) {
        document.amounts.push_back(find_amounts(line.words, document.numbers));
        document.dates.push_back(find_dates(line.words, document.date_style));
    }
    return document;
}

}  // namespace belay::ai::rules
