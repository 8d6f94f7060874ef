// invoice_lines.hpp — the items of an invoice, over all its pages.
#pragma once

#include <vector>

#include "ingestion/ai/rules/document.hpp"
#include "ingestion/ai/rules/invoice.hpp"
#include "ingestion/ai/rules/invoice_totals.hpp"

namespace belay::ai::rules {

struct ItemLines {
    std::vector<InvoiceLine> lines{};
    bool sum_known = false;  // they add up to a printed sum
};

// Items under a heading of columns; where there is none, rows of text and amount that add up to a
// printed sum. Sums within the table and rows that break the sum are left out.
ItemLines read_item_lines(const Document& document, const Totals& totals);

}  // namespace belay::ai::rules
