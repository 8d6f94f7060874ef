// ubl.cpp — an invoice or a credit note in UBL 2.1: Peppol BIS Billing, XRechnung.
#include "ingestion/media/einvoice/read_einvoice.hpp"

namespace belay::media::einvoice {
namespace {

const Element kNone{};

const Element& part(const Element& of, std::string_view name) {
    const Element* found = of.child(name);
    return found == nullptr ? kNone : *found;
}

EInvoiceParty party_in(const Element& party) {
    EInvoiceParty out;
    out.name = party.text_below({"PartyLegalEntity", "RegistrationName"});
    if (out.name.empty()) out.name = party.text_below({"PartyName", "Name"});
    out.legal_number = party.text_below({"PartyLegalEntity", "CompanyID"});
    const Element& at = part(party, "PostalAddress");
    out.address = joined({at.text_below({"StreetName"}), at.text_below({"AdditionalStreetName"}),
                          at.text_below({"PostalZone"}) + " " + at.text_below({"CityName"}),
                          at.text_below({"Country", "IdentificationCode"})});
    for (const Element& child : party.children) {
        if (child.name != "PartyTaxScheme") continue;
        const bool vat = child.text_below({"TaxScheme", "ID"}) == "VAT";
        (vat ? out.vat_number : out.tax_number) = child.text_below({"CompanyID"});
    }
    return out;
}

EInvoiceLine line_in(const Element& item, bool credit) {
    EInvoiceLine line;
    line.id = item.text_below({"ID"});
    const Element& product = part(item, "Item");
    line.name = product.text_below({"Name"});
    const Element& quantity = part(item, credit ? "CreditedQuantity" : "InvoicedQuantity");
    line.quantity = quantity.text;
    line.unit = quantity.attribute("unitCode");
    line.price = item.text_below({"Price", "PriceAmount"});
    line.price_per = item.text_below({"Price", "BaseQuantity"});
    line.amount = item.text_below({"LineExtensionAmount"});
    line.vat_rate = product.text_below({"ClassifiedTaxCategory", "Percent"});
    for (const Element& child : item.children) {
        if (child.name != "AllowanceCharge") continue;
        const bool charge = child.text_below({"ChargeIndicator"}) == "true";
        (charge ? line.charges : line.allowances).push_back(child.text_below({"Amount"}));
    }
    return line;
}

void read_taxes(EInvoice& out, const Element& total) {
    const Element& amount = part(total, "TaxAmount");
    // A second total is the same in the currency of the tax office.
    const auto currency = amount.attribute("currencyID");
    if (!currency.empty() && !out.currency.empty() && currency != out.currency) return;
    out.tax_total = amount.text;
    for (const Element& child : total.children) {
        if (child.name != "TaxSubtotal") continue;
        if (out.taxes.size() >= kEInvoiceTaxesMax) {
            out.cut = true;
            return;
        }
        out.taxes.push_back({child.text_below({"TaxCategory", "Percent"}),
                             child.text_below({"TaxableAmount"}), child.text_below({"TaxAmount"})});
    }
}

void read_payment(EInvoice& out, const Element& means) {
    if (out.payment_reference.empty()) out.payment_reference = means.text_below({"PaymentID"});
    if (out.due_date.empty()) out.due_date = means.text_below({"PaymentDueDate"});
    if (!out.iban.empty()) return;
    out.iban = means.text_below({"PayeeFinancialAccount", "ID"});
    out.bic = means.text_below({"PayeeFinancialAccount", "FinancialInstitutionBranch", "ID"});
}

}  // namespace

EInvoice read_ubl(const Element& root) {
    const bool credit = root.name == "CreditNote";
    EInvoice out;
    out.syntax = "UBL";
    out.profile = root.text_below({"CustomizationID"});
    out.number = root.text_below({"ID"});
    out.type_code = root.text_below({credit ? "CreditNoteTypeCode" : "InvoiceTypeCode"});
    out.issue_date = root.text_below({"IssueDate"});
    out.due_date = root.text_below({"DueDate"});
    out.currency = root.text_below({"DocumentCurrencyCode"});
    out.seller = party_in(part(part(root, "AccountingSupplierParty"), "Party"));
    out.buyer = party_in(part(part(root, "AccountingCustomerParty"), "Party"));
    const Element& sums = part(root, "LegalMonetaryTotal");
    out.line_total = sums.text_below({"LineExtensionAmount"});
    out.allowance_total = sums.text_below({"AllowanceTotalAmount"});
    out.charge_total = sums.text_below({"ChargeTotalAmount"});
    out.net_total = sums.text_below({"TaxExclusiveAmount"});
    out.grand_total = sums.text_below({"TaxInclusiveAmount"});
    out.prepaid = sums.text_below({"PrepaidAmount"});
    out.rounding = sums.text_below({"PayableRoundingAmount"});
    out.due_amount = sums.text_below({"PayableAmount"});
    const std::string_view lines = credit ? "CreditNoteLine" : "InvoiceLine";
    for (const Element& child : root.children) {
        if (child.name == "TaxTotal") {
            read_taxes(out, child);
        } else if (child.name == "PaymentMeans") {
            read_payment(out, child);
        } else if (child.name == lines) {
            if (out.lines.size() < kEInvoiceLinesMax)
                out.lines.push_back(line_in(child, credit));
            else
                out.cut = true;
        }
    }
    return out;
}

}  // namespace belay::media::einvoice
