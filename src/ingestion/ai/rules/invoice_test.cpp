// invoice_test.cpp — invoices of several countries, typed as they are set out.
#include "ingestion/ai/rules/invoice.hpp"

#include <gtest/gtest.h>

#include "ingestion/ai/rules/invoice_ids.hpp"
#include "ingestion/ai/rules/total_label.hpp"
#include "ingestion/samples/sheet.hpp"

namespace belay::ai::rules {
namespace {

Invoice read(std::string_view text) { return read_invoice({samples::typed_page(text)}); }

template <class T>
std::string shown(const Found<T>& field) {
    if (!field) return "null";
    if constexpr (std::is_same_v<T, Decimal>)
        return money_text(*field);
    else if constexpr (std::is_same_v<T, Date>)
        return field->text();
    else
        return *field;
}

std::string lines_of(const Invoice& invoice) {
    std::string out;
    for (const auto& line : invoice.lines)
        out += shown(line.description) + "|" + shown(line.amount) + "\n";
    return out;
}

TEST(Invoice, addresses_are_read_from_the_blocks_that_the_names_head) {
    const auto invoice = read(R"(
Eisen Handel GmbH
Musterstr. 12
10115 Berlin
Tel. 030 123456

Rechnung

Rechnungsempfaenger:
Bau AG
Einkauf
Hafenweg 7
20457 Hamburg

Rechnungsnummer: 4711
Rechnungsdatum: 12.03.2024

Nettobetrag                 100,00 EUR
MwSt 19 %                    19,00 EUR
Gesamtbetrag                119,00 EUR
)");
    EXPECT_EQ(shown(invoice.seller_name), "Eisen Handel GmbH");
    EXPECT_EQ(shown(invoice.seller_address), "Musterstr. 12, 10115 Berlin");
    EXPECT_EQ(shown(invoice.buyer_address), "Hafenweg 7, 20457 Hamburg");
}

// As a PDF in Courier gives it: letters of one width, and boxes hardly higher than that.
Invoice read_courier(std::string_view text) {
    auto page = samples::typed_page(text);
    for (auto& word : page.words) word.box.height = 6.55;
    return read_invoice({page});
}

std::string columns_of(const Invoice& invoice) {
    std::string out;
    for (const auto& line : invoice.lines)
        out += shown(line.quantity) + " x " + shown(line.unit_price) + " = " + shown(line.amount) +
               "\n";
    return out;
}

TEST(Invoice, thousands_parted_by_a_space_of_letters_of_one_width_are_one_amount) {
    const auto rows = read_courier(R"(
Nordisk Papper AB
Storgatan 5
111 22 Stockholm

FAKTURA

Fakturanummer: 10442
Fakturadatum: 2026-03-14

Beskrivning                Antal     Pris      Belopp
Papper A4                      2   260,25      520,50
Konsulttimmar                  1 1 000,00    1 000,00

Netto                                        1 520,50
Moms 25%                                       380,13
Att betala                                   1 900,63
)");
    EXPECT_EQ(shown(rows.net_total), "1520.50");
    EXPECT_EQ(shown(rows.tax_total), "380.13");
    EXPECT_EQ(shown(rows.grand_total), "1900.63");
    EXPECT_EQ(columns_of(rows), "2.00 x 260.25 = 520.50\n1.00 x 1000.00 = 1000.00\n");

    const auto bare = read_courier(R"(
Nordisk Papper AB
Storgatan 5
111 22 Stockholm

Faktura nr 10442

Papper A4                                      520,50
Konsulttimmar                                1 000,00

Totalt                                       1 520,50
)");
    EXPECT_EQ(shown(bare.grand_total), "1520.50");
    EXPECT_EQ(lines_of(bare), "Papper A4|520.50\nKonsulttimmar|1000.00\n");
}

TEST(Invoice, a_quantity_a_space_before_a_price_is_no_thousand) {
    const auto by_product = read_courier(R"(
Nordisk Papper AB
Faktura nr 10442

Beskrivning            Antal   Pris      Belopp
Lampa rund med fot         2 520,50    1 041,00
Lampa lang med fot         3 120,00      360,00

Summa att betala                       1 401,00
)");
    EXPECT_EQ(columns_of(by_product), "2.00 x 520.50 = 1041.00\n3.00 x 120.00 = 360.00\n");
    EXPECT_EQ(shown(by_product.grand_total), "1401.00");

    // Nothing multiplies: the heading tells the columns, and the sum agrees.
    const auto by_heading = read_courier(R"(
Nordisk Papper AB
Faktura nr 10442

Beskrivning            Antal Belopp
Lampa rund med fot         2 520,50
Skruv lang med mutter     10 299,00
Bord och stol              1 700,50

Summa att betala           1 520,00
)");
    EXPECT_EQ(columns_of(by_heading),
              "2.00 x null = 520.50\n10.00 x null = 299.00\n1.00 x null = 700.50\n");
    EXPECT_EQ(shown(by_heading.grand_total), "1520.00");
}

TEST(Invoice, the_sum_tells_a_thousand_from_a_quantity_where_headings_mislead) {
    // The quantity was left out, and its heading stands above the thousands.
    const auto thousands = read_courier(R"(
Nordisk Papper AB
Faktura nr 10442

Beskrivning            Antal Belopp
Lampa rund med fot         2 520,50
Bord och stol              1 700,50

Summa att betala           4 221,00
)");
    EXPECT_EQ(lines_of(thousands), "Lampa rund med fot|2520.50\nBord och stol|1700.50\n");

    // No heading at all.
    const auto quantities = read_courier(R"(
Nordisk Papper AB
Faktura nr 10442

Lampa rund med fot         2 520,50
Bord och stol              1 700,50

Totalt                     1 221,00
)");
    EXPECT_EQ(shown(quantities.grand_total), "1221.00");
    ASSERT_EQ(quantities.lines.size(), 2U);
    EXPECT_EQ(shown(quantities.lines[0].amount), "520.50");
    EXPECT_EQ(shown(quantities.lines[1].amount), "700.50");
}

TEST(Invoice, a_danish_and_a_spanish_one) {
    const auto danish = read(R"(
Nordhavn Data ApS
Havnegade 12
2150 Nordhavn
CVR 12345678

Kunde
Odense Handel A/S
Vestergade 3
5000 Odense

Fakturanummer: 40712
Fakturadato: 14.03.2024
Forfaldsdato: 28.03.2024

Beskrivelse                    Antal    Pris       Belob
Serverdrift marts                  1   800,00     800,00
Support                            2   100,00     200,00

Subtotal                                         1.000,00
Moms 25%                                           250,00
Total DKK                                        1.250,00
)");
    EXPECT_EQ(shown(danish.invoice_number), "40712");
    EXPECT_EQ(shown(danish.issue_date), "2024-03-14");
    EXPECT_EQ(shown(danish.due_date), "2024-03-28");
    EXPECT_EQ(shown(danish.grand_total), "1250.00");
    EXPECT_EQ(shown(danish.tax_total), "250.00");

    const auto spanish = read(R"(
Talleres Mediterraneo SL
Calle Mayor 5
46001 Valencia

Cliente:
Comercial Norte SA
Gran Via 20
48001 Bilbao

Factura N: 2024-118
Fecha de factura: 14/03/2024
Fecha de vencimiento: 13/04/2024

Descripcion                Cantidad   Precio     Importe
Reparacion                        2    50,00      100,00

Base imponible                                    100,00
IVA 21%                                            21,00
Total a pagar                                     121,00
)");
    EXPECT_EQ(shown(spanish.issue_date), "2024-03-14");
    EXPECT_EQ(shown(spanish.net_total), "100.00");
    EXPECT_EQ(shown(spanish.tax_total), "21.00");
    EXPECT_EQ(shown(spanish.grand_total), "121.00");
}

TEST(Invoice, a_german_invoice_with_two_rates) {
    const auto i = read(R"(
Musterbau GmbH - Hauptstr. 5 - 12345 Berlin

Kunden AG Mitte
Kundenstraße 15
69876 Frankfurt
                                              Rechnungs-Nr.:   2018/507
                                              Datum:           05.03.2018
                                              Zahlbar bis:     04.04.2018
Pos  Artikel             Menge   Einzelpreis   USt.      Betrag
1    Trennblätter A4        20          9,90   19 %      198,00
2    Joghurt Banane         50          5,50    7 %      275,00

                                 Summe netto             473,00
                                 zzgl. 19 % USt.          37,62
                                 zzgl. 7 % USt.           19,25
                                 Gesamtbetrag            529,87 EUR

USt-IdNr. DE123456789   IBAN DE89 3704 0044 0532 0130 00   BIC COBADEFFXXX
)");
    EXPECT_EQ(shown(i.invoice_number), "2018/507");
    EXPECT_EQ(shown(i.issue_date), "2018-03-05");
    EXPECT_EQ(shown(i.due_date), "2018-04-04");
    EXPECT_EQ(shown(i.seller_name), "Musterbau GmbH");
    EXPECT_EQ(shown(i.buyer_name), "Kunden AG Mitte");
    EXPECT_EQ(shown(i.net_total), "473.00");
    EXPECT_EQ(shown(i.tax_total), "56.87");
    EXPECT_EQ(shown(i.grand_total), "529.87");
    EXPECT_EQ(shown(i.currency), "EUR");
    EXPECT_EQ(lines_of(i), "Trennblätter A4|198.00\nJoghurt Banane|275.00\n");
    EXPECT_EQ(shown(i.payment.iban), "DE89370400440532013000");
    EXPECT_EQ(shown(i.payment.bic), "COBADEFFXXX");
    EXPECT_EQ(shown(i.seller_vat_number), "DE123456789");
    EXPECT_TRUE(i.review.empty());
}

TEST(Invoice, a_swedish_invoice_with_rounding_and_giro_numbers) {
    const auto i = read(R"(
Solgläntans Städ AB                          FAKTURA
Storgatan 12                                 Fakturanr        10482
123 45 Norrvik                               Fakturadatum     2025-03-01
                                             Förfallodatum    2025-03-31
Faktureringsadress
Granliden Konsult AB
Box 17
111 22 Stockholm

Benämning                   Antal   Enhet   À-pris      Belopp
Städning mars                  10     tim   395,00    3 950,00
Material                        1      st   120,40      120,40

                                    Netto             4 070,40
                                    Moms 25 %         1 017,60
                                    Öresavrundning        0,00
                                    Att betala        5 088,00

Bankgiro 5050-1055   Plusgiro 28 65 43-4   OCR 1048233
Org.nr 556016-0680   Momsreg.nr SE556016068001
)");
    EXPECT_EQ(shown(i.invoice_number), "10482");
    EXPECT_EQ(shown(i.issue_date), "2025-03-01");
    EXPECT_EQ(shown(i.due_date), "2025-03-31");
    EXPECT_EQ(shown(i.seller_name), "Solgläntans Städ AB");
    EXPECT_EQ(shown(i.buyer_name), "Granliden Konsult AB");
    EXPECT_EQ(shown(i.net_total), "4070.40");
    EXPECT_EQ(shown(i.tax_total), "1017.60");
    EXPECT_EQ(shown(i.grand_total), "5088.00");
    EXPECT_EQ(lines_of(i), "Städning mars|3950.00\nMaterial|120.40\n");
    EXPECT_EQ(shown(i.payment.bankgiro), "5050-1055");
    EXPECT_EQ(shown(i.seller_orgnr), "556016-0680");
    EXPECT_EQ(shown(i.seller_vat_number), "SE556016068001");
}

TEST(Invoice, an_english_invoice_with_a_discount_and_a_shipping_charge) {
    const auto i = read(R"(
Acme Widgets Ltd.
12 High Street
Leeds LS1 4AB                                         INVOICE

Bill to:                                   Invoice #      INV-0042
Jane Doe Trading                           Invoice date   4 March 2024
1 Elm Road                                 Due date       18 March 2024
York YO1 7HH

Description               Qty     Unit price        Amount
Widget, blue                4          12.50         50.00
Widget, red                 2          15.00         30.00

                                   Subtotal          80.00
                                   Shipping           5.00
                                   VAT 20%           17.00
                                   Total            £102.00
)");
    EXPECT_EQ(shown(i.invoice_number), "INV-0042");
    EXPECT_EQ(shown(i.issue_date), "2024-03-04");
    EXPECT_EQ(shown(i.due_date), "2024-03-18");
    EXPECT_EQ(shown(i.seller_name), "Acme Widgets Ltd.");
    EXPECT_EQ(shown(i.buyer_name), "Jane Doe Trading");
    EXPECT_EQ(shown(i.grand_total), "102.00");
    EXPECT_EQ(shown(i.tax_total), "17.00");
    EXPECT_EQ(shown(i.currency), "GBP");
    EXPECT_EQ(lines_of(i), "Widget, blue|50.00\nWidget, red|30.00\n");
}

TEST(Invoice, the_sender_above_an_address_may_have_no_marks_between_its_parts) {
    const auto i = read(R"(
Lieferant GmbH Lieferantenstraße 20 80333 München

Kunden AG Mitte
Hans Muster
Kundenstraße 15
69876 Frankfurt

Rechnung RE-20170509/505
)");
    EXPECT_EQ(shown(i.seller_name), "Lieferant GmbH");
    EXPECT_EQ(shown(i.buyer_name), "Kunden AG Mitte");
    EXPECT_EQ(shown(i.invoice_number), "RE-20170509/505");
}

TEST(Invoice, a_total_with_tax_within_it_gives_the_net_by_arithmetic) {
    const auto i = read(R"(
Elektro Vossberg GmbH
Rechnung Nr. 889 vom 12. März 2024
Kabel                                           50,00 €
Lampe                                           69,00 €
Rechnungsbetrag inkl. 19 % MwSt.               119,00 €
darin enthaltene MwSt.                          19,00 €
)");
    EXPECT_EQ(shown(i.invoice_number), "889");
    EXPECT_EQ(shown(i.issue_date), "2024-03-12");
    EXPECT_EQ(shown(i.grand_total), "119.00");
    EXPECT_EQ(shown(i.tax_total), "19.00");
    EXPECT_EQ(shown(i.net_total), "100.00");
    EXPECT_EQ(i.net_total.page, 0) << "worked out, not read";
    EXPECT_EQ(lines_of(i), "Kabel|50.00\nLampe|69.00\n");
}

TEST(Invoice, the_total_is_what_was_invoiced_and_not_what_is_left_to_pay) {
    const auto i = read(R"(
Rechnung Nr. 12 vom 01.02.2024
                        Nettobetrag            100,00
                        Umsatzsteuer            19,00
                        Bruttosumme            119,00
                        Erhaltene Anzahlungen  -50,00
                        Zahlbetrag              69,00
)");
    EXPECT_EQ(shown(i.grand_total), "119.00");
    EXPECT_EQ(shown(i.due_amount), "69.00");
}

TEST(Invoice, a_total_without_any_line_that_was_read_asks_for_review) {
    const Invoice i =
        read("Example Ltd\nInvoice number 4711\nInvoice date 2026-01-02\nTotal EUR 120.00\n");
    EXPECT_NE(std::find(i.review.begin(), i.review.end(), "no lines were read"), i.review.end());
}

TEST(Invoice, lines_that_do_not_sum_ask_for_review) {
    const auto i = read(R"(
Invoice number: 7
Description               Qty     Unit price        Amount
Widget, blue                4          12.50         50.00
Widget, red                 2          15.00         30.00
                                   Subtotal          95.00
                                   VAT 20%           19.00
                                   Total            114.00
)");
    ASSERT_FALSE(i.review.empty());
    EXPECT_NE(std::find(i.review.begin(), i.review.end(),
                        "the lines sum to 80.00, which is no printed total"),
              i.review.end());
}

TEST(Invoice, a_letter_without_figures_gives_nulls_and_no_guess) {
    const auto i = read(R"(
Dear customer,
thank you for your visit. We look forward to seeing you again next year in room 17.
)");
    EXPECT_EQ(shown(i.invoice_number), "null");
    EXPECT_EQ(shown(i.issue_date), "null");
    EXPECT_EQ(shown(i.grand_total), "null");
    EXPECT_EQ(shown(i.net_total), "null");
    EXPECT_TRUE(i.lines.empty());
    EXPECT_EQ(i.confidence, 0);
}

TEST(Invoice, hostile_pages_are_read_in_bounded_time) {
    media::Page page;
    page.width = page.height = 1000;
    for (int n = 0; n < 50000; ++n)
        page.words.push_back({"Total", {double(n % 97), double(n % 89), 5, 10}, 1, n});
    page.words.push_back({std::string(100000, '9'), {0, 0, 1e308, -5}, 1, 0});
    page.words.push_back({"\xFF\xFE", {-1e308, 1e308, 0, 0}, 1, 0});
    EXPECT_FALSE(read_invoice({page}).invoice_number);
}

TEST(TotalLabel, the_words_of_five_languages) {
    const auto kind = [](std::string_view text) { return total_label(text).kind; };
    EXPECT_EQ(kind("Rechnungssumme ohne USt."), TotalKind::Net);
    EXPECT_EQ(kind("Total HT"), TotalKind::Net);
    EXPECT_EQ(kind("Summa exkl. moms"), TotalKind::Net);
    EXPECT_EQ(kind("Exclusief BTW"), TotalKind::Net);
    EXPECT_EQ(kind("Steuerbetrag in"), TotalKind::Tax);
    EXPECT_EQ(kind("TVA 20,0%"), TotalKind::Tax);
    EXPECT_EQ(kind("Moms 25 %"), TotalKind::Tax);
    EXPECT_EQ(kind("varav moms"), TotalKind::TaxWithin);
    EXPECT_EQ(kind("Total TTC"), TotalKind::Gross);
    EXPECT_EQ(kind("Summe inkl. MwSt."), TotalKind::Gross);
    EXPECT_EQ(kind("Grand Total"), TotalKind::Gross);
    EXPECT_EQ(kind("Att betala"), TotalKind::Due);
    EXPECT_EQ(kind("Solde à payer"), TotalKind::Due);
    EXPECT_EQ(kind("Subtotal"), TotalKind::LineSum);
    EXPECT_EQ(kind("Erhaltene Anzahlungen"), TotalKind::Paid);
    EXPECT_EQ(kind("Öresavrundning"), TotalKind::Rounding);
    EXPECT_EQ(kind("USt.-Id.-Nr."), TotalKind::Other);
    EXPECT_EQ(kind("Bürostuhl schwarz"), TotalKind::None);
}

TEST(InvoiceIds, check_digits_decide) {
    EXPECT_TRUE(is_iban("DE89 3704 0044 0532 0130 00"));
    EXPECT_FALSE(is_iban("DE89 3704 0044 0532 0130 01"));
    EXPECT_TRUE(is_iban("SE45 5000 0000 0583 9825 7466"));
    EXPECT_TRUE(is_swedish_orgnr("556016-0680"));
    EXPECT_FALSE(is_swedish_orgnr("556016-0681"));
    EXPECT_TRUE(is_vat_number("SE556016068001"));
    EXPECT_FALSE(is_vat_number("SE556016068101"));
    EXPECT_TRUE(is_vat_number("NL810433941B01"));
    EXPECT_TRUE(has_luhn_digit("50501055"));
    EXPECT_FALSE(has_luhn_digit("50501056"));
}

}  // namespace
}  // namespace belay::ai::rules
