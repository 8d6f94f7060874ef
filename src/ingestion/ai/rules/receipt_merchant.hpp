// receipt_merchant.hpp — who sold it: name, registration number and address from the head of a receipt.
#pragma once

#include <string>

#include "ingestion/ai/rules/field.hpp"
#include "ingestion/ai/rules/receipt_text.hpp"

namespace belay::ai::rules {

struct Merchant {
    Found<std::string> name{};
    Found<std::string> orgnr{};
    Found<std::string> address{};
};

// The line with a company's form (Sdn Bhd, GmbH, AB, Ltd) wins over the largest print, and that over the
// first line; addresses, telephone numbers, greetings and titles are never a name.
Merchant find_merchant(const ReceiptText& text);

}  // namespace belay::ai::rules
