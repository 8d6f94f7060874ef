// read_einvoice.hpp — XML to an invoice: UN/CEFACT CII (Factur-X, ZUGFeRD 1 and 2, XRechnung) and UBL (Peppol,
// XRechnung).
//
// The names of the standard EN 16931 are in comments where they say more than ours (BT-24 …). What the values are worth
// is not judged here.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "ingestion/media/einvoice.hpp"
#include "ingestion/media/einvoice/xml.hpp"

namespace belay::media::einvoice {

// Throws XmlError: not well-formed, above a limit, or no invoice.
EInvoice read_einvoice(std::string_view bytes);

// "a, b, c" of what is not empty.
std::string joined(std::initializer_list<std::string> parts);

EInvoice read_cii(const Element& root);
// `root` is an Invoice or a CreditNote.
EInvoice read_ubl(const Element& root);

}  // namespace belay::media::einvoice
