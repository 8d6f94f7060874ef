#include "ingestion/media/einvoice/read_einvoice.hpp"

#include <fmt/format.h>

#include "core/base/utf8.hpp"

namespace belay::media::einvoice {
namespace {

const Element* ubl_document(const Element& root) {
    if (root.name == "Invoice" || root.name == "CreditNote") return &root;
    if (root.name != "StandardBusinessDocument") return nullptr;  // Peppol's envelope
    const Element* invoice = root.child("Invoice");
    return invoice != nullptr ? invoice : root.child("CreditNote");
}

}  // namespace

std::string joined(std::initializer_list<std::string> parts) {
    std::string out;
    for (const std::string& part : parts) {
        if (part.find_first_not_of(' ') == std::string::npos) continue;
        out += (out.empty() ? "" : ", ") + part;
    }
    return out;
}

EInvoice read_einvoice(std::string_view bytes) {
    const Element root = parse_xml(bytes);
    if (root.name == "CrossIndustryInvoice" || root.name == "CrossIndustryDocument")
        return read_cii(root);
    if (const Element* document = ubl_document(root)) return read_ubl(*document);
    throw XmlError(fmt::format("this is no invoice: it is a <{}>", base::truncate(root.name, 60)));
}

}  // namespace belay::media::einvoice
