// einvoice_test.cpp — what an electronic invoice says is exact, what does not add up is told, and so is what its picture
// says otherwise.
#include "ingestion/ai/rules/einvoice.hpp"

#include <gtest/gtest.h>

#include "ingestion/ai/rules/typed_page.hpp"

namespace belay::ai::rules {
namespace {

media::EInvoice sound_invoice() {
    media::EInvoice said;
    said.syntax = "CII";
    said.number = "R-2024-7";
    said.issue_date = "2024-03-12";
    said.due_date = "2024-04-11+01:00";
    said.currency = "EUR";
    said.seller = {"Eisen\n  Handel AG", "DE123456789", "", "HRB 7"};
    said.buyer.name = "Bau GmbH";
    said.iban = "DE02120300000000202051";
    said.line_total = "118.00";
    said.allowance_total = "18.00";
    said.net_total = "100.0000";
    said.tax_total = "19";
    said.grand_total = "119.00";
    said.prepaid = "19.00";
    said.due_amount = "100.00";
    said.taxes = {{"19.00", "100.00", "19.00"}};
    said.lines = {{"1", "Screws", "400", "C62", "5.00", "100", "", {"2.00"}, {}, "18.00", "19"},
                  {"2", "Nails", "2.0000", "C62", "50", "", "", {}, {}, "100", "19"}};
    return said;
}

bool mentions(const std::vector<std::string>& review, std::string_view what) {
    for (const std::string& reason : review) {
        if (reason.find(what) != std::string::npos) return true;
    }
    return false;
}

std::string joined_reasons(const std::vector<std::string>& review) {
    std::string out;
    for (const std::string& reason : review) out += reason + "; ";
    return out;
}

TEST(EInvoiceRules, what_it_says_is_taken_exactly_and_nothing_is_in_doubt) {
    const Invoice invoice = invoice_of(sound_invoice());

    EXPECT_EQ(joined_reasons(invoice.review), "");
    EXPECT_EQ(invoice.confidence, 1);
    EXPECT_EQ(*invoice.invoice_number, "R-2024-7");
    EXPECT_EQ(invoice.due_date->text(), "2024-04-11");
    EXPECT_EQ(*invoice.seller_name, "Eisen Handel AG");
    EXPECT_EQ(*invoice.payment.iban, "DE02120300000000202051");
    EXPECT_EQ(invoice.net_total->text(), "100.00");
    EXPECT_EQ(invoice.tax_total->text(), "19.00");
    EXPECT_EQ(*invoice.grand_total, (Decimal{11900, 2}));
    EXPECT_EQ(*invoice.due_amount, (Decimal{10000, 2}));
    ASSERT_EQ(invoice.lines.size(), 2u);
    EXPECT_EQ(invoice.lines[0].unit_price->text(), "0.0500") << "of one, though said of a hundred";
    EXPECT_EQ(invoice.lines[1].quantity->text(), "2");
    EXPECT_EQ(invoice.lines[1].amount->text(), "100.00");
}

TEST(EInvoiceRules, every_sum_that_is_wrong_is_told_and_the_values_stay) {
    const struct {
        std::string media::EInvoice::*member;
        std::string_view told;
    } kWrong[] = {{&media::EInvoice::line_total, "the lines sum to 118.00"},
                  {&media::EInvoice::allowance_total, "lines, allowances and charges come to"},
                  {&media::EInvoice::tax_total, "the rows of VAT sum to 19.00"},
                  {&media::EInvoice::grand_total, "net and tax sum to 119.00"},
                  {&media::EInvoice::due_amount, "the total less what was paid is 100.00"}};
    for (const auto& [member, told] : kWrong) {
        media::EInvoice said = sound_invoice();
        said.*member = "77.00";
        const Invoice invoice = invoice_of(said);
        EXPECT_TRUE(mentions(invoice.review, told))
            << told << ": " << joined_reasons(invoice.review);
    }
    media::EInvoice said = sound_invoice();
    said.lines[1].price = "51";
    EXPECT_TRUE(mentions(invoice_of(said).review, "line 2: 2 × 51.00 is not 100.00"));
    said = sound_invoice();
    said.taxes[0].rate = "7";
    EXPECT_TRUE(mentions(invoice_of(said).review, "7 % of 100.00 is not 19.00"));
    EXPECT_EQ(*invoice_of(said).tax_total, (Decimal{1900, 2}));
}

TEST(EInvoiceRules, a_gross_price_and_the_smallest_profile_are_no_errors) {
    media::EInvoice said = sound_invoice();
    said.lines[1].price = "42.0168";
    said.lines[1].gross_price = "50.00";
    EXPECT_EQ(joined_reasons(invoice_of(said).review), "");

    said = sound_invoice();
    said.lines.clear();
    said.line_total = said.allowance_total = said.prepaid = "";
    said.due_amount = "70.00";
    EXPECT_EQ(joined_reasons(invoice_of(said).review), "") << "there is no place for what was paid";
}

TEST(EInvoiceRules, what_must_be_there_and_what_is_no_value_is_told) {
    media::EInvoice said = sound_invoice();
    said.number = " ";
    said.issue_date = "2024-02-30";
    said.currency = "euro";
    said.grand_total = "1e3";
    const Invoice invoice = invoice_of(said);

    EXPECT_TRUE(mentions(invoice.review, "invoice_number not found"));
    EXPECT_TRUE(mentions(invoice.review, "issue_date: `2024-02-30` is no date"));
    EXPECT_TRUE(mentions(invoice.review, "currency: `euro` is none"));
    EXPECT_TRUE(mentions(invoice.review, "grand_total: `1e3` is no number"));
    EXPECT_EQ(invoice.confidence, 0);
}

TEST(EInvoiceRules, an_invoice_without_lines_is_one_of_the_small_profiles) {
    media::EInvoice said = sound_invoice();
    said.lines.clear();
    said.line_total.clear();
    said.taxes.clear();
    EXPECT_EQ(joined_reasons(invoice_of(said).review), "");
}

media::Page picture(std::string_view total, std::string_view iban = "DE02 1203 0000 0000 2020 51",
                    std::string_view seller = "Eisen Handel AG") {
    std::string text(seller);
    text +=
        "\nRechnung\n\nRechnungsnummer: R-2024-7\nRechnungsdatum: 12.03.2024\nFällig: 11.04.2024\n";
    text += "Nettobetrag 100,00 EUR\nMwSt 19 % 19,00 EUR\nGesamtbetrag " + std::string(total) +
            " EUR\n";
    text += "IBAN: " + std::string(iban) + "\n";
    return typed_page(text);
}

TEST(EInvoiceRules, a_picture_that_says_the_same_is_no_difference) {
    const Invoice invoice = invoice_of(sound_invoice());
    EXPECT_EQ(joined_reasons(differences(invoice, {picture("119,00")})), "");
    EXPECT_EQ(joined_reasons(differences(invoice, {media::Page{}})), "") << "nothing could be read";
}

TEST(EInvoiceRules, a_picture_that_says_something_else_is_told_with_both_values) {
    const Invoice invoice = invoice_of(sound_invoice());
    const auto total = differences(invoice, {picture("191,00")});
    EXPECT_TRUE(mentions(total, "grand_total_differs: 119.00 in the XML")) << joined_reasons(total);

    const auto account = differences(invoice, {picture("119,00", "DE89 3704 0044 0532 0130 00")});
    EXPECT_TRUE(mentions(account, "iban_differs")) << joined_reasons(account);

    const auto seller = differences(invoice, {picture("119,00", "", "Fremde Firma")});
    EXPECT_TRUE(mentions(seller, "seller_name_differs")) << joined_reasons(seller);
}

TEST(EInvoiceRules, its_sheet_says_what_it_says_and_is_no_difference_to_it) {
    const auto said = sound_invoice();
    const media::Page sheet = sheet_of(said);
    EXPECT_GT(sheet.words.size(), 20u);
    EXPECT_EQ(joined_reasons(differences(invoice_of(said), {sheet})), "");
}

}  // namespace
}  // namespace belay::ai::rules
