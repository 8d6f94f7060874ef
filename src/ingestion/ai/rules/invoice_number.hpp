// invoice_number.hpp — the number of an invoice, and its dates.
#pragma once

#include <string>

#include "ingestion/ai/rules/document.hpp"
#include "ingestion/ai/rules/field.hpp"

namespace belay::ai::rules {

Found<std::string> read_invoice_number(const Document& document);

struct InvoiceDates {
    Found<Date> issued{}, due{};
};
InvoiceDates read_invoice_dates(const Document& document);

}  // namespace belay::ai::rules
