// cii.cpp — an invoice in UN/CEFACT's Cross Industry Invoice, and in the draft of it that ZUGFeRD 1 was.
//
// The two have the same structure; ZUGFeRD 1 calls many parts otherwise.
#include "ingestion/media/einvoice/read_einvoice.hpp"

namespace belay::media::einvoice {
namespace {

const Element kNone{};

const Element& part(const Element& of, std::string_view name, std::string_view name_in_1 = {}) {
    const Element* found = of.child(name);
    if (found == nullptr && !name_in_1.empty()) found = of.child(name_in_1);
    return found == nullptr ? kNone : *found;
}

// Format 102 is 20240312; anything else stays as it is written.
std::string date_in(const Element& holder) {
    std::string text = holder.text_below({"DateTimeString"});
    if (text.empty()) text = holder.text_below({"DateTime"});
    if (text.size() == 8 && text.find_first_not_of("0123456789") == std::string::npos)
        return text.substr(0, 4) + "-" + text.substr(4, 2) + "-" + text.substr(6);
    return text;
}

EInvoiceParty party_in(const Element& party) {
    EInvoiceParty out;
    out.name = party.text_below({"Name"});
    out.legal_number = party.text_below({"SpecifiedLegalOrganization", "ID"});
    const Element& at = part(party, "PostalTradeAddress");
    out.address = joined({at.text_below({"LineOne"}), at.text_below({"LineTwo"}),
                          at.text_below({"PostcodeCode"}) + " " + at.text_below({"CityName"}),
                          at.text_below({"CountryID"})});
    for (const Element& child : party.children) {
        if (child.name != "SpecifiedTaxRegistration") continue;
        const Element& id = part(child, "ID");
        (id.attribute("schemeID") == "VA" ? out.vat_number : out.tax_number) = id.text;
    }
    return out;
}

// An amount that may be said once more in the currency of the tax office.
std::string amount_in(const Element& sums, std::string_view name, std::string_view currency) {
    std::string first;
    for (const Element& child : sums.children) {
        if (child.name != name) continue;
        const auto own = child.attribute("currencyID");
        if (own.empty() || own == currency) return child.text;
        if (first.empty()) first = child.text;
    }
    return first;
}

std::string rate_in(const Element& tax) {
    return part(tax, "RateApplicablePercent", "ApplicablePercent").text;
}

void add_allowances(EInvoiceLine& line, const Element& settlement) {
    for (const Element& child : settlement.children) {
        if (child.name != "SpecifiedTradeAllowanceCharge") continue;
        const bool charge = child.text_below({"ChargeIndicator", "Indicator"}) == "true";
        (charge ? line.charges : line.allowances).push_back(child.text_below({"ActualAmount"}));
    }
}

EInvoiceLine line_in(const Element& item) {
    const Element& agreement =
        part(item, "SpecifiedLineTradeAgreement", "SpecifiedSupplyChainTradeAgreement");
    const Element& delivery =
        part(item, "SpecifiedLineTradeDelivery", "SpecifiedSupplyChainTradeDelivery");
    const Element& settlement =
        part(item, "SpecifiedLineTradeSettlement", "SpecifiedSupplyChainTradeSettlement");
    EInvoiceLine line;
    line.id = item.text_below({"AssociatedDocumentLineDocument", "LineID"});
    line.name = item.text_below({"SpecifiedTradeProduct", "Name"});
    const Element& quantity = part(delivery, "BilledQuantity");
    line.quantity = quantity.text;
    line.unit = quantity.attribute("unitCode");
    const Element& price = part(agreement, "NetPriceProductTradePrice");
    line.price = price.text_below({"ChargeAmount"});
    line.price_per = price.text_below({"BasisQuantity"});
    line.gross_price = part(agreement, "GrossPriceProductTradePrice").text_below({"ChargeAmount"});
    line.amount = part(settlement, "SpecifiedTradeSettlementLineMonetarySummation",
                       "SpecifiedTradeSettlementMonetarySummation")
                      .text_below({"LineTotalAmount"});
    line.vat_rate = rate_in(part(settlement, "ApplicableTradeTax"));
    add_allowances(line, settlement);
    return line;
}

void read_lines(EInvoice& out, const Element& transaction) {
    for (const Element& child : transaction.children) {
        if (child.name != "IncludedSupplyChainTradeLineItem") continue;
        EInvoiceLine line = line_in(child);
        // A line that groups others or only says something has no amount of its own.
        const auto kind =
            child.text_below({"AssociatedDocumentLineDocument", "LineStatusReasonCode"});
        if (line.amount.empty() || kind == "GROUP" || kind == "INFORMATION") continue;
        if (out.lines.size() >= kEInvoiceLinesMax) {
            out.cut = true;
            return;
        }
        out.lines.push_back(std::move(line));
    }
}

void read_settlement(EInvoice& out, const Element& settlement) {
    out.currency = settlement.text_below({"InvoiceCurrencyCode"});
    out.payment_reference = settlement.text_below({"PaymentReference"});
    for (const Element& child : settlement.children) {
        if (child.name == "ApplicableTradeTax") {
            if (out.taxes.size() >= kEInvoiceTaxesMax)
                out.cut = true;
            else
                out.taxes.push_back({rate_in(child), child.text_below({"BasisAmount"}),
                                     child.text_below({"CalculatedAmount"})});
        } else if (child.name == "SpecifiedTradeSettlementPaymentMeans" && out.iban.empty()) {
            out.iban = child.text_below({"PayeePartyCreditorFinancialAccount", "IBANID"});
            out.bic = child.text_below({"PayeeSpecifiedCreditorFinancialInstitution", "BICID"});
        } else if (child.name == "SpecifiedTradePaymentTerms" && out.due_date.empty()) {
            out.due_date = date_in(part(child, "DueDateDateTime"));
        }
    }
    const Element& sums = part(settlement, "SpecifiedTradeSettlementHeaderMonetarySummation",
                               "SpecifiedTradeSettlementMonetarySummation");
    const auto sum = [&](std::string_view name) { return amount_in(sums, name, out.currency); };
    out.line_total = sum("LineTotalAmount");
    out.allowance_total = sum("AllowanceTotalAmount");
    out.charge_total = sum("ChargeTotalAmount");
    out.net_total = sum("TaxBasisTotalAmount");
    out.tax_total = sum("TaxTotalAmount");
    out.grand_total = sum("GrandTotalAmount");
    out.prepaid = sum("TotalPrepaidAmount");
    out.rounding = sum("RoundingAmount");
    out.due_amount = sum("DuePayableAmount");
}

}  // namespace

EInvoice read_cii(const Element& root) {
    EInvoice out;
    out.syntax = "CII";
    out.profile = part(root, "ExchangedDocumentContext", "SpecifiedExchangedDocumentContext")
                      .text_below({"GuidelineSpecifiedDocumentContextParameter", "ID"});
    const Element& document = part(root, "ExchangedDocument", "HeaderExchangedDocument");
    out.number = document.text_below({"ID"});
    out.type_code = document.text_below({"TypeCode"});
    out.issue_date = date_in(part(document, "IssueDateTime"));
    const Element& transaction =
        part(root, "SupplyChainTradeTransaction", "SpecifiedSupplyChainTradeTransaction");
    const Element& agreement =
        part(transaction, "ApplicableHeaderTradeAgreement", "ApplicableSupplyChainTradeAgreement");
    out.seller = party_in(part(agreement, "SellerTradeParty"));
    out.buyer = party_in(part(agreement, "BuyerTradeParty"));
    read_settlement(out, part(transaction, "ApplicableHeaderTradeSettlement",
                              "ApplicableSupplyChainTradeSettlement"));
    read_lines(out, transaction);
    return out;
}

}  // namespace belay::media::einvoice
