#include "ingestion/media/einvoice/read_einvoice.hpp"

#include <gtest/gtest.h>

namespace belay::media::einvoice {
namespace {

constexpr std::string_view kCii = R"xml(<?xml version="1.0"?>
<rsm:CrossIndustryInvoice xmlns:rsm="urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100"
    xmlns:ram="urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100"
    xmlns:udt="urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100">
  <rsm:ExchangedDocumentContext><ram:GuidelineSpecifiedDocumentContextParameter>
    <ram:ID>urn:cen.eu:en16931:2017</ram:ID></ram:GuidelineSpecifiedDocumentContextParameter></rsm:ExchangedDocumentContext>
  <rsm:ExchangedDocument><ram:ID>R-7</ram:ID><ram:TypeCode>380</ram:TypeCode>
    <ram:IssueDateTime><udt:DateTimeString format="102">20240312</udt:DateTimeString></ram:IssueDateTime></rsm:ExchangedDocument>
  <rsm:SupplyChainTradeTransaction>
    <ram:IncludedSupplyChainTradeLineItem>
      <ram:AssociatedDocumentLineDocument><ram:LineID>1</ram:LineID></ram:AssociatedDocumentLineDocument>
      <ram:SpecifiedTradeProduct><ram:Name>Screws</ram:Name></ram:SpecifiedTradeProduct>
      <ram:SpecifiedLineTradeAgreement><ram:NetPriceProductTradePrice><ram:ChargeAmount>5.00</ram:ChargeAmount>
        <ram:BasisQuantity unitCode="C62">100</ram:BasisQuantity></ram:NetPriceProductTradePrice></ram:SpecifiedLineTradeAgreement>
      <ram:SpecifiedLineTradeDelivery><ram:BilledQuantity unitCode="C62">400</ram:BilledQuantity></ram:SpecifiedLineTradeDelivery>
      <ram:SpecifiedLineTradeSettlement><ram:ApplicableTradeTax><ram:RateApplicablePercent>19</ram:RateApplicablePercent></ram:ApplicableTradeTax>
        <ram:SpecifiedTradeAllowanceCharge><ram:ChargeIndicator><udt:Indicator>false</udt:Indicator></ram:ChargeIndicator><ram:ActualAmount>2.00</ram:ActualAmount></ram:SpecifiedTradeAllowanceCharge>
        <ram:SpecifiedTradeSettlementLineMonetarySummation><ram:LineTotalAmount>18.00</ram:LineTotalAmount></ram:SpecifiedTradeSettlementLineMonetarySummation></ram:SpecifiedLineTradeSettlement>
    </ram:IncludedSupplyChainTradeLineItem>
    <ram:IncludedSupplyChainTradeLineItem>
      <ram:AssociatedDocumentLineDocument><ram:IncludedNote><ram:Content>Only words</ram:Content></ram:IncludedNote></ram:AssociatedDocumentLineDocument>
    </ram:IncludedSupplyChainTradeLineItem>
    <ram:ApplicableHeaderTradeAgreement>
      <ram:SellerTradeParty><ram:Name>Eisen AG</ram:Name><ram:PostalTradeAddress><ram:PostcodeCode>10115</ram:PostcodeCode><ram:LineOne>Weg 1</ram:LineOne><ram:CityName>Berlin</ram:CityName><ram:CountryID>DE</ram:CountryID></ram:PostalTradeAddress>
        <ram:SpecifiedTaxRegistration><ram:ID schemeID="FC">201/113</ram:ID></ram:SpecifiedTaxRegistration>
        <ram:SpecifiedTaxRegistration><ram:ID schemeID="VA">DE123456789</ram:ID></ram:SpecifiedTaxRegistration></ram:SellerTradeParty>
      <ram:BuyerTradeParty><ram:Name>Bau &amp; Co</ram:Name></ram:BuyerTradeParty>
    </ram:ApplicableHeaderTradeAgreement>
    <ram:ApplicableHeaderTradeSettlement><ram:InvoiceCurrencyCode>EUR</ram:InvoiceCurrencyCode>
      <ram:SpecifiedTradeSettlementPaymentMeans><ram:PayeePartyCreditorFinancialAccount><ram:IBANID>DE02120300000000202051</ram:IBANID></ram:PayeePartyCreditorFinancialAccount></ram:SpecifiedTradeSettlementPaymentMeans>
      <ram:ApplicableTradeTax><ram:CalculatedAmount>3.42</ram:CalculatedAmount><ram:BasisAmount>18.00</ram:BasisAmount><ram:RateApplicablePercent>19</ram:RateApplicablePercent></ram:ApplicableTradeTax>
      <ram:SpecifiedTradePaymentTerms><ram:DueDateDateTime><udt:DateTimeString format="102">20240411</udt:DateTimeString></ram:DueDateDateTime></ram:SpecifiedTradePaymentTerms>
      <ram:SpecifiedTradeSettlementHeaderMonetarySummation>
        <ram:LineTotalAmount>18.00</ram:LineTotalAmount><ram:TaxBasisTotalAmount>18.00</ram:TaxBasisTotalAmount>
        <ram:TaxTotalAmount currencyID="SEK">38.90</ram:TaxTotalAmount><ram:TaxTotalAmount currencyID="EUR">3.42</ram:TaxTotalAmount>
        <ram:GrandTotalAmount>21.42</ram:GrandTotalAmount><ram:DuePayableAmount>21.42</ram:DuePayableAmount>
      </ram:SpecifiedTradeSettlementHeaderMonetarySummation>
    </ram:ApplicableHeaderTradeSettlement>
  </rsm:SupplyChainTradeTransaction>
</rsm:CrossIndustryInvoice>)xml";

std::string ubl(std::string_view root, std::string_view line, std::string_view quantity) {
    std::string text = R"xml(<ROOT xmlns="urn:oasis:names:specification:ubl:schema:xsd:ROOT-2"
  xmlns:cac="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2"
  xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2">
  <cbc:CustomizationID>urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0</cbc:CustomizationID>
  <cbc:ID>R-7</cbc:ID><cbc:IssueDate>2024-03-12</cbc:IssueDate>
  <cbc:DocumentCurrencyCode>EUR</cbc:DocumentCurrencyCode><cbc:TaxCurrencyCode>SEK</cbc:TaxCurrencyCode>
  <cac:AccountingSupplierParty><cac:Party><cac:PartyName><cbc:Name>Eisen</cbc:Name></cac:PartyName><cac:PostalAddress><cbc:StreetName>Weg 1</cbc:StreetName><cbc:CityName>Berlin</cbc:CityName><cbc:PostalZone>10115</cbc:PostalZone><cac:Country><cbc:IdentificationCode>DE</cbc:IdentificationCode></cac:Country></cac:PostalAddress>
    <cac:PartyTaxScheme><cbc:CompanyID>DE123456789</cbc:CompanyID><cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:PartyTaxScheme>
    <cac:PartyLegalEntity><cbc:RegistrationName>Eisen AG</cbc:RegistrationName></cac:PartyLegalEntity></cac:Party></cac:AccountingSupplierParty>
  <cac:AccountingCustomerParty><cac:Party><cac:PartyName><cbc:Name>Bau &amp; Co</cbc:Name></cac:PartyName></cac:Party></cac:AccountingCustomerParty>
  <cac:PaymentMeans><cbc:PaymentDueDate>2024-04-11</cbc:PaymentDueDate><cbc:PaymentID>777</cbc:PaymentID>
    <cac:PayeeFinancialAccount><cbc:ID>DE02120300000000202051</cbc:ID></cac:PayeeFinancialAccount></cac:PaymentMeans>
  <cac:TaxTotal><cbc:TaxAmount currencyID="EUR">3.42</cbc:TaxAmount><cac:TaxSubtotal><cbc:TaxableAmount currencyID="EUR">18</cbc:TaxableAmount>
    <cbc:TaxAmount currencyID="EUR">3.42</cbc:TaxAmount><cac:TaxCategory><cbc:Percent>19</cbc:Percent></cac:TaxCategory></cac:TaxSubtotal></cac:TaxTotal>
  <cac:TaxTotal><cbc:TaxAmount currencyID="SEK">38.90</cbc:TaxAmount></cac:TaxTotal>
  <cac:LegalMonetaryTotal><cbc:LineExtensionAmount>18</cbc:LineExtensionAmount><cbc:TaxExclusiveAmount>18</cbc:TaxExclusiveAmount>
    <cbc:TaxInclusiveAmount>21.42</cbc:TaxInclusiveAmount><cbc:PayableAmount>21.42</cbc:PayableAmount></cac:LegalMonetaryTotal>
  <cac:LINE><cbc:ID>1</cbc:ID><cbc:QUANTITY unitCode="C62">400</cbc:QUANTITY><cbc:LineExtensionAmount>18</cbc:LineExtensionAmount>
    <cac:AllowanceCharge><cbc:ChargeIndicator>false</cbc:ChargeIndicator><cbc:Amount>2</cbc:Amount></cac:AllowanceCharge>
    <cac:Item><cbc:Name>Screws</cbc:Name><cac:ClassifiedTaxCategory><cbc:Percent>19</cbc:Percent></cac:ClassifiedTaxCategory></cac:Item>
    <cac:Price><cbc:PriceAmount>5</cbc:PriceAmount><cbc:BaseQuantity>100</cbc:BaseQuantity></cac:Price></cac:LINE>
</ROOT>)xml";
    for (const auto& [word, with] : {std::pair{std::string_view{"ROOT"}, root},
                                     {std::string_view{"LINE"}, line},
                                     {std::string_view{"QUANTITY"}, quantity}}) {
        for (auto at = text.find(word); at != std::string::npos;
             at = text.find(word, at + with.size()))
            text.replace(at, word.size(), with);
    }
    return text;
}

void expect_the_same_invoice(const EInvoice& read, std::string_view what) {
    SCOPED_TRACE(what);
    EXPECT_EQ(read.number, "R-7");
    EXPECT_EQ(read.issue_date, "2024-03-12");
    EXPECT_EQ(read.due_date, "2024-04-11");
    EXPECT_EQ(read.currency, "EUR");
    EXPECT_EQ(read.seller.name, "Eisen AG");
    EXPECT_EQ(read.seller.vat_number, "DE123456789");
    EXPECT_EQ(read.buyer.name, "Bau & Co");
    EXPECT_EQ(read.seller.address, "Weg 1, 10115 Berlin, DE");
    EXPECT_EQ(read.buyer.address, "");
    EXPECT_EQ(read.iban, "DE02120300000000202051");
    EXPECT_EQ(read.tax_total, "3.42") << "not the one in the currency of the tax office";
    EXPECT_EQ(read.grand_total, "21.42");
    EXPECT_EQ(read.due_amount, "21.42");
    ASSERT_EQ(read.taxes.size(), 1u);
    EXPECT_EQ(read.taxes[0].rate, "19");
    ASSERT_EQ(read.lines.size(), 1u);
    EXPECT_EQ(read.lines[0].name, "Screws");
    EXPECT_EQ(read.lines[0].quantity, "400");
    EXPECT_EQ(read.lines[0].unit, "C62");
    EXPECT_EQ(read.lines[0].price_per, "100");
    EXPECT_EQ(read.lines[0].allowances.size(), 1u);
    EXPECT_EQ(read.lines[0].vat_rate, "19");
    EXPECT_FALSE(read.cut);
}

TEST(EInvoice, one_invoice_in_three_syntaxes_is_the_same_invoice) {
    expect_the_same_invoice(read_einvoice(kCii), "CII");
    expect_the_same_invoice(read_einvoice(ubl("Invoice", "InvoiceLine", "InvoicedQuantity")),
                            "UBL");
    expect_the_same_invoice(read_einvoice(ubl("CreditNote", "CreditNoteLine", "CreditedQuantity")),
                            "UBL credit note");
}

TEST(EInvoice, the_envelope_of_peppol_is_opened) {
    const std::string inside = ubl("Invoice", "InvoiceLine", "InvoicedQuantity");
    const std::string sbd =
        "<StandardBusinessDocument "
        "xmlns=\"http://www.unece.org/cefact/namespaces/StandardBusinessDocumentHeader\">"
        "<StandardBusinessDocumentHeader/>" +
        inside + "</StandardBusinessDocument>";
    expect_the_same_invoice(read_einvoice(sbd), "SBD");
}

TEST(EInvoice, zugferd_1_has_other_names_for_the_same) {
    std::string text(kCii);
    const auto rename = [&](std::string_view from, std::string_view to) {
        for (auto at = text.find(from); at != std::string::npos;
             at = text.find(from, at + to.size()))
            text.replace(at, from.size(), to);
    };
    rename("rsm:CrossIndustryInvoice", "rsm:CrossIndustryDocument");
    rename("urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100",
           "urn:ferd:CrossIndustryDocument:invoice:1p0");
    rename("rsm:ExchangedDocumentContext", "rsm:SpecifiedExchangedDocumentContext");
    rename("<rsm:ExchangedDocument>", "<rsm:HeaderExchangedDocument>");
    rename("</rsm:ExchangedDocument>", "</rsm:HeaderExchangedDocument>");
    rename("rsm:SupplyChainTradeTransaction", "rsm:SpecifiedSupplyChainTradeTransaction");
    for (const std::string part : {"Agreement", "Settlement"})
        rename("ApplicableHeaderTrade" + part, "ApplicableSupplyChainTrade" + part);
    for (const std::string part : {"Agreement", "Delivery", "Settlement"})
        rename("SpecifiedLineTrade" + part, "SpecifiedSupplyChainTrade" + part);
    rename("SettlementHeaderMonetary", "SettlementMonetary");
    rename("SettlementLineMonetary", "SettlementMonetary");
    rename("RateApplicablePercent", "ApplicablePercent");

    expect_the_same_invoice(read_einvoice(text), "ZUGFeRD 1");
}

TEST(EInvoice, another_document_of_the_same_family_is_no_invoice) {
    const std::string order =
        "<Order xmlns=\"urn:oasis:names:specification:ubl:schema:xsd:Order-2\"/>";
    EXPECT_THROW(read_einvoice(order), XmlError);
}

TEST(EInvoice, more_lines_than_are_kept_are_told) {
    const std::string one = ubl("Invoice", "InvoiceLine", "InvoicedQuantity");
    const auto from = one.find("<cac:InvoiceLine>"), end = one.find("</cac:InvoiceLine>") + 18;
    std::string many = one.substr(0, from);
    for (std::size_t i = 0; i <= kEInvoiceLinesMax; ++i) many += one.substr(from, end - from);

    const EInvoice read = read_einvoice(many + one.substr(end));

    EXPECT_EQ(read.lines.size(), kEInvoiceLinesMax);
    EXPECT_TRUE(read.cut);
}

}  // namespace
}  // namespace belay::media::einvoice
