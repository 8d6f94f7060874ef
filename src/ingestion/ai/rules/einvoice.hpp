// einvoice.hpp — an electronic invoice as the invoice it is: its values are exact, its arithmetic is checked, and what
// the picture beside it says otherwise is for a person to look at.
//
// The rules of EN 16931 that are about sums (BR-CO-10 to BR-CO-17) and of what must be there (BR-02 to BR-16) are
// applied; what breaks one is in `review`, and stays as it is written.
#pragma once

#include <vector>

#include "ingestion/ai/rules/invoice.hpp"
#include "ingestion/media/einvoice.hpp"
#include "ingestion/media/page.hpp"

namespace belay::ai::rules {

// Every value with confidence 1 and no place on a page.
Invoice invoice_of(const media::EInvoice& said);

// What the pages of the PDF that carries `invoice` say otherwise: a number, date, total, currency or account that is
// printed there while the XML's own is not. What is not printed at all is no difference, but for the total.
std::vector<std::string> differences(const Invoice& invoice, const std::vector<media::Page>& pages);

// The invoice as a page of text, for people and for the search: a file of XML has no picture.
media::Page sheet_of(const media::EInvoice& said);

}  // namespace belay::ai::rules
