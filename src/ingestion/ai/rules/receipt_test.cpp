// receipt_test.cpp — receipts as they are printed, in small: every rule has a paper that needs it.
#include "ingestion/ai/rules/receipt.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "ingestion/ai/rules/receipt_check.hpp"
#include "ingestion/ai/rules/receipt_text.hpp"
#include "ingestion/ai/rules/typed_page.hpp"

namespace belay::ai::rules {
namespace {

std::string text(const Found<Decimal>& found) { return found ? money_text(*found) : "null"; }
std::string text(const Found<Date>& found) { return found ? found->text() : "null"; }
std::string text(const Found<std::string>& found) { return found ? *found : "null"; }

Receipt read(const std::string& paper) { return read_receipt({typed_page(paper)}); }

// PP-OCR glues the table's rate to its neighbour, Tesseract tears the total apart: its line of sums is whole.
TEST(Receipt, the_line_of_sums_of_a_tax_table_speaks_for_a_total_that_was_torn_apart) {
    const Receipt receipt = read(R"(
        DROGERIE
        27.02.2020 15:56
        6628345 BRILLENPUTZTUCH     195 A
        Tatal E                     1 , 95
        MUST Gruppe  Netto  MUST Total
        A 19t      bnede1b4  0,1   p1.35
        MwSt Total    1,64   0,31  1,95)");
    EXPECT_EQ(text(receipt.total), "1.95");
}

TEST(Receipt, thousands_are_parted_from_quantities_where_a_space_is_as_wide_as_a_digit) {
    media::Page page = typed_page(R"(
        KONTORSBUTIKEN AB
        Storgatan 5
        2025-08-14 13:20
        Lampa rund   2 520,50 1 041,00
        Skrivbord i bok       1 120,00
        Summa SEK             2 161,00
        Varav moms 25%          432,20
        Kort                  2 161,00)");
    for (media::Word& word : page.words) word.box.height = 13;  // as Courier is: hardly higher

    const Receipt receipt = read_receipt({page});

    EXPECT_EQ(text(receipt.total), "2161.00");
    ASSERT_EQ(receipt.items.size(), 2u);
    EXPECT_EQ(receipt.items[0].name, "Lampa rund");
    EXPECT_EQ(receipt.items[0].quantity, (Decimal{2, 0}));
    EXPECT_EQ(receipt.items[0].amount.text(), "1041.00");
    EXPECT_EQ(receipt.items[1].amount.text(), "1120.00");
    EXPECT_TRUE(receipt.items_sum_up);
}

TEST(Receipt, an_english_receipt_is_read_whole) {
    const Receipt receipt = read(R"(
        GREEN VALLEY GROCER LTD
        12 High Street
        Date: 25/12/2018  8:13:39 PM
        MILK 1L               1.20
        BREAD                 2.50
        2 x 0.75
        EGGS                  1.50
        TOTAL                 5.20
        CASH                 10.00
        CHANGE                4.80)");

    EXPECT_EQ(text(receipt.merchant), "GREEN VALLEY GROCER LTD");
    EXPECT_EQ(text(receipt.date), "2018-12-25");
    EXPECT_EQ(text(receipt.total), "5.20");
    EXPECT_EQ(text(receipt.payment_type), "cash");
    ASSERT_EQ(receipt.items.size(), 3u);
    EXPECT_EQ(receipt.items[2].name, "EGGS");
    EXPECT_EQ(receipt.items[2].quantity, (Decimal{2, 0}));
    EXPECT_TRUE(receipt.items_sum_up);
}

TEST(Receipt, totals_are_found_in_the_languages_around) {
    struct Paper {
        std::string language, printed;
    };
    const std::vector<Paper> papers{
        {"French", R"(
        BOULANGERIE DU PORT SARL
        14/03/2024  09:12
        Croissant x2             2,60
        Baguette                 1,20
        Sous-total               3,80
        dont TVA 5,5%            0,20
        TOTAL A PAYER            3,80
        Especes                  5,00
        Monnaie rendue           1,20)"},
        {"Dutch", R"(
        BAKKERIJ JANSEN BV
        14-03-2024 09:12
        Volkoren brood           2,60
        Krentenbol               1,20
        Subtotaal                3,80
        BTW 9%                   0,31
        TOTAAL                   3,80
        Contant                  5,00
        Wisselgeld               1,20)"},
        {"Danish", R"(
        BAGERIET ApS
        14.03.2024 09:12
        Rugbrod                  2,60
        Bolle                    1,20
        Heraf moms 25%           0,76
        AT BETALE                3,80
        Kontant                  5,00
        Byttepenge               1,20)"},
        {"Spanish", R"(
        PANADERIA DEL SOL SL
        14/03/2024 09:12
        Pan integral             2,60
        Magdalena                1,20
        TOTAL A PAGAR            3,80
        Efectivo                 5,00
        Cambio                   1,20)"},
        {"Italian", R"(
        FORNO SAN MARCO SRL
        14/03/2024 09:12
        Pane                     2,60
        Focaccia                 1,20
        TOTALE                   3,80
        Contanti                 5,00)"},
    };
    for (const Paper& paper : papers) {
        const Receipt receipt = read(paper.printed);
        EXPECT_EQ(text(receipt.total), "3.80") << paper.language;
        EXPECT_EQ(text(receipt.date), "2024-03-14") << paper.language;
        EXPECT_EQ(receipt.items.size(), 2u) << paper.language;
    }
}

TEST(Receipt, a_swedish_receipt_with_two_rates) {
    const Receipt receipt = read(R"(
        Lindas Livs AB
        Storgatan 4
        114 32 Stockholm
        Org.nr: 556677-8899
        2024-03-12  15:57
        Mjölk                14,90
        Tidning              40,00
        Att betala           54,90 kr
        Moms 12 %    13,30    1,60   14,90
        Moms 25 %    32,00    8,00   40,00
        Kortköp VISA ************1234)");

    EXPECT_EQ(text(receipt.merchant), "Lindas Livs AB");
    EXPECT_EQ(text(receipt.orgnr), "556677-8899");
    EXPECT_EQ(text(receipt.date), "2024-03-12");
    EXPECT_EQ(text(receipt.total), "54.90");
    EXPECT_EQ(text(receipt.currency), "SEK");
    ASSERT_EQ(receipt.vat.size(), 2u);
    EXPECT_EQ(money_text(receipt.vat[0].amount), "1.60");
    EXPECT_EQ(money_text(receipt.vat[1].amount), "8.00");
    ASSERT_TRUE(receipt.card);
    EXPECT_EQ(receipt.card->last_4, "1234");
}

TEST(Receipt, the_name_at_the_foot_of_a_german_receipt_counts) {
    const Receipt receipt = read(R"(
        Pohlweg 110
        33100 Paderborn
        BANANEN              1,79 C
        SEKT 0,2 L           0,89 D
        ZU ZAHLEN EURO       2,68
        BARGELD              5,00
        ZURÜCK               2,32
        Muster GmbH & Co. KG
        09:51 18.04.2020)");

    EXPECT_EQ(text(receipt.merchant), "Muster GmbH & Co. KG");
    EXPECT_EQ(text(receipt.date), "2020-04-18");
    EXPECT_EQ(text(receipt.total), "2.68");
    EXPECT_EQ(text(receipt.currency), "EUR");
    EXPECT_EQ(receipt.items.size(), 2u);
}

TEST(Receipt, rounding_makes_the_total_that_was_paid) {
    const Receipt receipt = read(R"(
        TOTAL (INCLUSIVE OF GST) :  31.02
        ROUNDING ADJ :              -0.02
        TOTAL :                     31.00
        CASH :                      31.00)");

    EXPECT_EQ(text(receipt.total), "31.00");
}

TEST(Receipt, cash_less_change_settles_a_misread_digit) {
    const Receipt receipt = read(R"(
        SUB TOTAL      64.00
        GST 6%          3.84
        ROUNDING ADJ    0.01
        NET TOTAL      67.95
        CASH          100.00
        CHANGE         32.15)");

    EXPECT_EQ(text(receipt.total), "67.85");
}

TEST(Receipt, a_subtotal_before_tax_is_not_the_total) {
    const Receipt receipt = read(R"(
        NOODLES         21.00
        SUB TOTAL       21.00
        GST 6%           1.26
        NET TOTAL       22.26)");

    EXPECT_EQ(text(receipt.total), "22.26");
}

TEST(Receipt, two_totals_that_disagree_are_left_to_a_person) {
    const Receipt receipt = read(R"(
        SHOP OF THINGS LTD
        TOTAL   17.20
        TOTAL   71.20)");

    EXPECT_FALSE(receipt.total);
    EXPECT_NE(std::find(receipt.review.begin(), receipt.review.end(), "total_uncertain"),
              receipt.review.end());
}

TEST(Receipt, a_second_reading_decides_where_the_first_is_in_doubt) {
    const auto first = typed_page("TOTAL   17.20\nTOTAL   71.20");
    const auto second = typed_page("TOTAL   17.20\nCASH    20.00\nCHANGE   2.80");

    EXPECT_EQ(text(read_receipt({first}, {}, {second}).total), "17.20");
}

TEST(Receipt, savings_counts_and_points_are_no_totals) {
    const Receipt receipt = read(R"(
        TOTAL SAVING:   0.00        TOTAL     6.85
        TOTAL QTY      99.00
        POINTS        120.00)");

    EXPECT_EQ(text(receipt.total), "6.85");
}

TEST(Receipt, letters_of_noise_are_no_currency) {
    EXPECT_EQ(text(read("CORNER CAFE\nHUF THB 2026-01-02\nCoffee 3.00\nTotal 3.00\n").currency),
              "null");
    EXPECT_EQ(text(read("CORNER CAFE\nPLN x 2026-01-02\nCoffee kr 3.00\nTotal kr 3.00\n").currency),
              "SEK");
}

TEST(Receipt, lines_that_are_there_and_could_not_be_read_are_for_a_person) {
    const auto asks = [](const Receipt& receipt) {
        return std::count(receipt.review.begin(), receipt.review.end(), "items_not_read") == 1;
    };
    // A slip of a card terminal has none.
    EXPECT_FALSE(asks(read("CORNER CAFE\n2026-01-02\nCARD SALE\nTotal 3.00\n")));
    EXPECT_FALSE(asks(read("CORNER CAFE\n2026-01-02\nCoffee 3.00\nTotal 3.00\n")));
    // Nobody knows what belongs to the amount.
    EXPECT_TRUE(asks(read("CORNER CAFE\n2026-01-02\nCoffee 3.00 smudge and more\nTotal 3.00\n")));
}

TEST(Receipt, an_empty_page_gives_nothing_and_says_why) {
    const Receipt receipt = read_receipt({media::Page{}});

    EXPECT_FALSE(receipt.merchant || receipt.date || receipt.total);
    EXPECT_EQ(receipt.review.size(), 3u);
}

TEST(Receipt, the_json_has_null_for_what_was_not_found) {
    EXPECT_EQ(
        receipt_json(Receipt{}, ""),
        R"({"merchant":null,"orgnr":null,"address":null,"date":null,"total":null,"currency":null,"vat":[],)"
        R"("items":[],"payment_type":null,"expense_type":null,"review":[]})");
}

TEST(ReceiptRole, labels_are_known_through_a_misread_letter) {
    EXPECT_EQ(role_of("t0tal"), Role::Total);
    EXPECT_EQ(role_of("grandtota"), Role::GrandTotal);
    EXPECT_EQ(role_of("servcharge"), Role::Service);
    EXPECT_EQ(role_of("change"), Role::Change);
    EXPECT_EQ(role_of("totalinclusiveofgst"), Role::Total);
    EXPECT_EQ(role_of("totalexcludinggst"), Role::SubTotal);
    EXPECT_EQ(role_of("totalgst"), Role::Tax);
    EXPECT_EQ(role_of("oresavrundning"), Role::Rounding);
    EXPECT_EQ(role_of("bananas"), Role::None);
}

TEST(ReceiptCheck, tax_above_the_total_fails_and_what_is_missing_asks) {
    Receipt receipt;
    EXPECT_EQ(check_receipt(receipt, std::nullopt).status, "Manual Review");

    receipt.total = {Decimal{1000, 2}, 0.9};
    receipt.vat = {{Decimal{25, 0}, Decimal{2000, 2}, std::nullopt}};
    EXPECT_EQ(check_receipt(receipt, std::nullopt).status, "Failed");
}

TEST(Receipt, the_total_of_what_is_taxed_at_one_rate_is_not_the_receipts) {
    const Receipt receipt = read_receipt(
        {typed_page("UNIHAKKA INTERNATIONAL SDN BHD\nRice                          44.76\n"
                    "Soap                          14.10\nTotal 6% supplies (excl. GST): 13.30\n"
                    "GST:                           0.80\nTotal 6% supplies (Inc. GST):  14.10\n"
                    "Total 0% supplies:            44.76\nTotal Payable:                58.86\n")});

    ASSERT_TRUE(receipt.total);
    EXPECT_EQ(money_text(*receipt.total), "58.86");
}

TEST(Receipt, what_rounding_made_of_the_total_may_stand_beside_the_step) {
    const Receipt receipt = read_receipt({typed_page(
        "RESTORAN WAN SHENG SDN BHD\nTeh                    38.68\nMee                    43.47\n"
        "Sub Total:             82.15\nGST :                   4.93\nGrand Total :          87.08\n"
        "Rounding Adjustment:  0.02    87.10\n")});

    ASSERT_TRUE(receipt.total);
    EXPECT_EQ(money_text(*receipt.total), "87.10");
}

// A word as the fused page has it: what the other reader saw is beside it.
media::Page with_other(media::Page page, std::string_view text, std::string_view other) {
    for (media::Word& word : page.words) {
        if (word.text == text) word.other = other;
    }
    return page;
}

TEST(Receipt, a_total_that_readers_see_differently_is_settled_by_a_sum_or_asked) {
    const std::string_view paid_in_cash =
        "ABC HO TRADING\nPlastic           31.00\nTotal Amount:     31.00\nCash             "
        "101.00\n"
        "Change            70.00\n";
    const std::string_view nothing_adds_up = "ABC HO TRADING\nThank you\nTotal Amount:     31.00\n";
    const auto two_ways = [](std::string_view typed) {
        const Receipt receipt = read_receipt({with_other(typed_page(typed), "31.00", "81.00")});
        return std::find(receipt.review.begin(), receipt.review.end(),
                         "total_read_two_ways: 31.00 and 81.00") != receipt.review.end();
    };

    EXPECT_FALSE(two_ways(paid_in_cash));
    EXPECT_TRUE(two_ways(nothing_adds_up));
}

TEST(Receipt, what_is_rounded_for_cash_alone_is_not_the_total_that_is_printed) {
    const std::string printed = R"(
        PENS & PAPER LTD
        30-04-2018 15:57
        COPY A4               1.38
        TOTAL                 1.38
        ROUNDING              0.02
        CASH                  1.40)";
    EXPECT_EQ(text(read(printed).total), "1.38");
    EXPECT_EQ(text(read(printed + "\n        NET TOTAL             1.40").total), "1.40");
}

TEST(Receipt,
     a_name_without_a_legal_form_is_the_first_line_and_not_what_stands_between_it_and_the_street) {
    const Receipt receipt = read(R"(
        THE THREE GEESE
        BISTRO & CAFE
        109 High Street
        12/03/2018
        TOTAL               343.95)");
    EXPECT_EQ(text(receipt.merchant), "THE THREE GEESE");
}

TEST(Receipt, a_street_is_no_merchant_however_its_word_was_read) {
    const Receipt receipt = read(R"(
        Marktladen Nord
        Detmolder Stir. 4
        33102 Paderborn
        03.04.2020
        SUMME EUR            28,81)");
    EXPECT_EQ(text(receipt.merchant), "Marktladen Nord");
}

TEST(Receipt, a_branch_below_the_name_belongs_to_it) {
    const Receipt receipt = read(R"(
        GREAT HYPERMARKET SDN BHD
        (JALAN LAMA)
        58000 KUALA LUMPUR
        Date/Time : 20180428/191204
        TOTAL                19.99)");
    EXPECT_EQ(text(receipt.merchant), "GREAT HYPERMARKET SDN BHD (JALAN LAMA)");
    EXPECT_EQ(text(receipt.date), "2018-04-28");
}

TEST(Receipt, an_amount_whose_point_was_not_seen_is_known_by_the_tax_code_behind_it) {
    const Receipt receipt = read(R"(
        Marktladen Nord GmbH
        APFELSAFT 1L          1,69 C
        ORANGENSAFT           140 CW
        TONIC                 1,19CW
        SENF 200 G            0,89 C
        BROT                  1,20CW
        SUMME EUR             6,37)");
    EXPECT_EQ(receipt.items.size(), 5u);
    EXPECT_TRUE(receipt.items_sum_up);
}

media::Word& word_saying(media::Page& page, const std::string& said) {
    return *std::find_if(page.words.begin(), page.words.end(),
                         [&](const media::Word& word) { return word.text == said; });
}

TEST(Receipt, of_two_readings_of_an_item_the_one_that_comes_to_the_total_is_taken) {
    media::Page page = typed_page(R"(
        GREEN VALLEY GROCER LTD
        MILK                  7.20
        BREAD                 2.50
        TOTAL                 3.70)");
    word_saying(page, "7.20").other = "1.20";

    const Receipt receipt = read_receipt({page});

    EXPECT_TRUE(receipt.items_sum_up);
    ASSERT_EQ(receipt.items.size(), 2u);
    EXPECT_EQ(money_text(receipt.items[0].amount), "1.20");
}

TEST(Receipt, a_day_that_the_readers_saw_differently_is_for_a_person) {
    media::Page page = typed_page(R"(
        GREEN VALLEY GROCER LTD
        Date: 13.04.2020
        TOTAL                 3.70)");
    word_saying(page, "13.04.2020").other = "03.04.2020";

    const Receipt receipt = read_receipt({page});

    EXPECT_EQ(text(receipt.date), "2020-04-13");
    const std::string reason = "date_read_two_ways: 2020-04-13 and 2020-04-03";
    EXPECT_EQ(std::count(receipt.review.begin(), receipt.review.end(), reason), 1);
}

TEST(Receipt, of_two_readings_of_a_day_the_one_that_the_tills_number_repeats_is_taken) {
    const auto read_with = [](std::string_view number) {
        auto page = typed_page(std::string(R"(
        MARKTKAUF
        APFELSAFT                 1,69
        SUMME EUR                 1,69
        13.04.2020 09:53
        )") + std::string(number));
        for (media::Word& word : page.words)
            if (word.text == "13.04.2020") word.other = "03.04.2020";
        return read_receipt({page});
    };
    const auto asks = [](const Receipt& receipt) {
        return std::any_of(receipt.review.begin(), receipt.review.end(), [](const auto& reason) {
            return reason.starts_with("date_read_two_ways");
        });
    };
    EXPECT_EQ(text(read_with("0010545030420005007347").date), "2020-04-03");
    EXPECT_FALSE(asks(read_with("0010545030420005007347")));
    EXPECT_EQ(text(read_with("0010545130420005007347").date), "2020-04-13");
    EXPECT_FALSE(asks(read_with("0010545130420005007347")));
    // A number that is too short, or has both, decides nothing.
    EXPECT_TRUE(asks(read_with("5030420005")));
    EXPECT_TRUE(asks(read_with("0010545130420030420")));
}

TEST(Receipt, a_rate_whose_percent_sign_was_misread_is_one_if_the_sums_say_so) {
    const auto vat_of = [](std::string_view tax) {
        const Receipt receipt = read(std::string(R"(
        KAFFEBAREN AB
        2024-10-12 14:32
        Kaffe                40.00
        Bulle                60.00
        TOTALT SEK          100.00
        )") + std::string(tax));
        std::string out;
        for (const ReceiptVat& vat : receipt.vat)
            out += vat.rate.text() + ": " + money_text(vat.amount) + " ";
        return out;
    };
    EXPECT_EQ(vat_of("Moms 25%            20.00"), "25: 20.00 ");
    EXPECT_EQ(vat_of("Moms 259            20.00"), "25: 20.00 ");
    EXPECT_EQ(vat_of("Moms 25x            20.00"), "25: 20.00 ");
    EXPECT_EQ(vat_of("Moms 259            21.00"), "") << "no sum says that it is a rate";
}

}  // namespace
}  // namespace belay::ai::rules
