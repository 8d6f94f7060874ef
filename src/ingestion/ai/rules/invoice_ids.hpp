// invoice_ids.hpp — numbers that carry their own proof: IBAN, bankgiro, plusgiro, OCR reference, company
// and VAT numbers.
#pragma once

#include <string>
#include <string_view>

#include "ingestion/ai/rules/document.hpp"
#include "ingestion/ai/rules/invoice.hpp"

namespace belay::ai::rules {

// ISO 13616: two letters, two check digits, the length its country uses, remainder 1 modulo 97.
bool is_iban(std::string_view text);
// The last digit makes the sum of alternately doubled digits a multiple of ten (Luhn, "modulo 10"): Swedish
// company numbers, bankgiro, plusgiro and OCR references.
bool has_luhn_digit(std::string_view digits);
// Ten digits, the third at least 2 for a company, with a right check digit: 556016-0680.
bool is_swedish_orgnr(std::string_view text);
// A VAT number of an EU country, Great Britain, Norway or Switzerland, by its country's length; Swedish ones
// by their check digit too.
bool is_vat_number(std::string_view text);

struct InvoiceIds {
    Found<std::string> orgnr{}, vat_number{};
    PaymentDetails payment{};
};
InvoiceIds read_invoice_ids(const Document& document);

}  // namespace belay::ai::rules
