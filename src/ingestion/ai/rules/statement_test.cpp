// statement_test.cpp — card statements of several banks, typed as they are set out.
#include "ingestion/ai/rules/statement.hpp"

#include <gtest/gtest.h>

#include "ingestion/samples/sheet.hpp"

namespace belay::ai::rules {
namespace {

Statement read(std::string_view text) { return read_statement({samples::typed_page(text)}); }

std::string rows_of(const Statement& statement) {
    std::string out;
    for (const auto& row : statement.rows) {
        out += (row.date ? row.date->text() : "?") + "|" + row.description + "|" +
               money_text(row.amount) + "\n";
    }
    return out;
}

TEST(Statement, first_card_with_merged_columns_and_valutakurs_rows) {
    const auto s = read(R"(
FIRST CARD                                        FAKTURA
KUNDNR 123456                 FAKTURANR 77001234
BETALA TILL BANKGIRO 5050-1055       FAKTURADATUM 250831
KORTNR 5412 12** **** 1234    KOSTNADSSTÄLLE 110

250802  COOP CENTRAL BUTIK     STOCKHOLM                        123,45
250804  AMAZON EU SARL         LUXEMBOURG   EUR       100,00   1.131,00
        Valutakurs 11,3100
250815  SWEDISH TAXI AB        SOLNA                           2.579,80
250816  RETUR SWEDISH TAXI     SOLNA                             79,80-
        TRANSPORT                                              3.754,45
        KORTTOTAL                                              3.754,45
        DÄRAV MOMS                                               512,00
        ATT BETALA                                             3.754,45
)");
    EXPECT_EQ(
        rows_of(s),
        "2025-08-02|COOP CENTRAL BUTIK STOCKHOLM|123.45\n2025-08-04|AMAZON EU SARL "
        "LUXEMBOURG|1131.00\n"
        "2025-08-15|SWEDISH TAXI AB SOLNA|2579.80\n2025-08-16|RETUR SWEDISH TAXI SOLNA|-79.80\n");
    EXPECT_EQ(*s.invoice_number, "77001234");
    EXPECT_EQ(s.statement_date->text(), "2025-08-31");
    EXPECT_EQ(s.rows[1].currency_original, "EUR");
    EXPECT_EQ(s.rows[1].amount_original->text(), "100.00");
    EXPECT_EQ(s.rows[1].exchange_rate->text(), "11.3100");
    EXPECT_EQ(money_text(*s.total), "3754.45");
    EXPECT_EQ(money_text(*s.new_balance), "3754.45");
    EXPECT_EQ(*s.currency, "SEK");
    EXPECT_TRUE(s.adds_up);
    EXPECT_TRUE(s.review.empty());
}

TEST(Statement, the_plain_layout_of_period_and_rows) {
    const auto s = read(R"(
Period: 2025-08-01 to 2025-08-31
2025-08-02 COOP CENTRAL BUTIK   123,45
2025-08-15 SWEDISH TAXI AB      456,78
)");
    EXPECT_EQ(rows_of(s),
              "2025-08-02|COOP CENTRAL BUTIK|123.45\n2025-08-15|SWEDISH TAXI AB|456.78\n");
    EXPECT_EQ(s.period_start->text(), "2025-08-01");
    EXPECT_EQ(s.period_end->text(), "2025-08-31");
    EXPECT_EQ(s.review.front(), "no printed total to check the rows against");
}

constexpr std::string_view kParted = R"(
Fakturadatum 2025-09-01      Förfallodag 2025-09-30
Fakturanr 4411002
Inköpsdatum  Bokf.datum  Specifikation                 Ort            Belopp
250803       250805      HOTELL STRANDEN               MALMÖ        1 240,00
250810       250811      JÄRNHANDELN                   LUND            89,50
Summa kort                                                          1 329,50
Att betala                                                          1 329,50 kr
)";

TEST(Statement, two_dates_a_reference_and_thousands_parted_by_spaces) {
    const auto s = read(kParted);
    EXPECT_EQ(rows_of(s), "2025-08-03|HOTELL STRANDEN|1240.00\n2025-08-10|JÄRNHANDELN|89.50\n");
    EXPECT_EQ(s.rows[0].posted->text(), "2025-08-05");
    EXPECT_EQ(s.rows[0].city, "MALMÖ");
    EXPECT_EQ(s.due_date->text(), "2025-09-30");
    EXPECT_TRUE(s.adds_up);
}

TEST(Statement, thousands_are_parted_by_a_space_also_in_letters_of_one_width) {
    auto page = samples::typed_page(kParted);
    for (auto& word : page.words) word.box.height = 6.55;  // as a PDF in Courier gives it

    const auto s = read_statement({page});

    EXPECT_EQ(rows_of(s), rows_of(read(kParted)));
    EXPECT_EQ(money_text(*s.total), "1329.50");
    EXPECT_TRUE(s.adds_up);
}

TEST(Statement, a_number_that_ends_a_name_is_no_thousand_where_the_sum_says_so) {
    const auto s = read(R"(
Fakturadatum 2025-09-01
Fakturanr 4411002
Datum    Specifikation                    Belopp
250803   HOTELL STRANDEN                1 240,00
250810   TANKSTATION NUMMER            24 520,50
Summa kort                              1 760,50
Att betala                              1 760,50 kr
)");

    ASSERT_EQ(s.rows.size(), 2U);
    EXPECT_EQ(money_text(s.rows[0].amount), "1240.00");
    EXPECT_EQ(money_text(s.rows[1].amount), "520.50");
    EXPECT_TRUE(s.adds_up);
}

TEST(Statement, american_dates_sections_and_payments_without_a_sign) {
    const auto s = read(R"(
Opening/Closing Date   12/15/23 - 01/14/24          New Balance   $512.40
Previous Balance       $200.00

ACCOUNT ACTIVITY
Date of
Transaction      Merchant Name or Transaction Description        $ Amount
PAYMENTS AND OTHER CREDITS
01/02            Payment Thank You                                200.00
PURCHASES
12/20            GROCERY OUTLET  SEATTLE WA                       112.40
01/05            AIRLINE TICKETS 800-555-0100 TX                  400.00
)");
    EXPECT_EQ(rows_of(s),
              "2024-01-02|Payment Thank You|-200.00\n2023-12-20|GROCERY OUTLET SEATTLE WA|112.40\n"
              "2024-01-05|AIRLINE TICKETS 800-555-0100 TX|400.00\n");
    EXPECT_EQ(s.statement_date->text(), "2024-01-14");
    EXPECT_TRUE(s.adds_up);
    EXPECT_EQ(*s.currency, "USD");
}

TEST(Statement, british_dates_cr_and_a_running_balance) {
    const auto s = read(R"(
Statement date   14 March 2024
Your previous balance         £1,020.10
Date         Description                          Amount      Balance
14 Feb 2024  DIRECT DEBIT PAYMENT - THANK YOU   £1,020.10 CR     £0.00
20 Feb 2024  TESCO STORES 3321 LEEDS               £45.99       £45.99
01 Mar 2024  TRAINLINE.COM LONDON                  £88.40      £134.39
Your new balance              £134.39
Minimum payment               £5.00
)");
    EXPECT_EQ(rows_of(s),
              "2024-02-14|DIRECT DEBIT PAYMENT - THANK YOU|-1020.10\n2024-02-20|TESCO STORES 3321 "
              "LEEDS|45.99\n"
              "2024-03-01|TRAINLINE.COM LONDON|88.40\n");
    EXPECT_EQ(*s.currency, "GBP");
    EXPECT_TRUE(s.adds_up);
}

TEST(Statement, charges_and_credits_in_two_columns) {
    const auto s = read(R"(
Statement Closing Date 31/07/2024
Opening balance                                              150.00
Trans Date   Post Date   Description              Debits     Credits
02/07/2024   03/07/2024  CITY PARKING              12.50
05/07/2024   05/07/2024  PAYMENT RECEIVED                     150.00
19/07/2024   20/07/2024  BOOKSHOP ONLINE           37.20
Closing balance                                               49.70
)");
    EXPECT_EQ(rows_of(s),
              "2024-07-02|CITY PARKING|12.50\n2024-07-05|PAYMENT "
              "RECEIVED|-150.00\n2024-07-19|BOOKSHOP ONLINE|37.20\n");
    EXPECT_TRUE(s.adds_up);
}

TEST(Statement, text_beside_the_rows_does_not_confuse_their_amounts) {
    const auto s = read(R"(
STATEMENT DATE: August 15, 2016                                  PAYMENT INFORMATION
PREVIOUS STATEMENT BALANCE            $100.00                     New balance       $163.30
JUL 15   JUL 15   RIDE APP             $13.30                     Minimum payment    $10.00
JUL 19   JUL 20   PHONE COMPANY        $50.00                     Payment due  Sep. 05, 2016
NET AMOUNT OF MONTHLY ACTIVITY         $63.30
TOTAL NEW BALANCE                     $163.30
)");
    EXPECT_EQ(rows_of(s), "2016-07-15|RIDE APP|13.30\n2016-07-19|PHONE COMPANY|50.00\n");
    EXPECT_TRUE(s.adds_up);
}

TEST(Statement, rows_that_do_not_sum_ask_for_review_with_both_sums) {
    const auto s = read(R"(
Fakturadatum 250831
250802  COOP CENTRAL        123,45
250803  TAXI                100,00
KORTTOTAL                   999,00
ATT BETALA                  999,00
)");
    EXPECT_FALSE(s.adds_up);
    ASSERT_FALSE(s.review.empty());
    EXPECT_EQ(s.review.front(), "the rows sum to 223.45, the statement says 999.00");
}

TEST(Statement, a_currency_sign_that_ocr_read_as_a_digit_is_settled_by_the_sum) {
    const auto s = read(R"(
STATEMENT DATE: August 15, 2016
PREVIOUS BALANCE                      $0.00
JUL 15   RIDE APP                   513.30
JUL 19   PHONE COMPANY              $50.00
NEW BALANCE                         $63.30
)");
    EXPECT_EQ(rows_of(s), "2016-07-15|RIDE APP|13.30\n2016-07-19|PHONE COMPANY|50.00\n");
    EXPECT_TRUE(s.adds_up);
}

TEST(Statement, a_day_printed_once_for_its_rows_is_understood_when_the_sum_says_so) {
    const auto s = read(R"(
Statement date   31 March 2024
Previous balance                                      10.00
Date         Description                             Amount
02 Mar 2024  CITY CABS LEEDS                          12.00
             THE OLD MILL LEEDS                       30.00
05 Mar 2024  BOOK NOOK YORK                            8.50
New balance                                           60.50
)");
    EXPECT_EQ(rows_of(s),
              "2024-03-02|CITY CABS LEEDS|12.00\n2024-03-02|THE OLD MILL "
              "LEEDS|30.00\n2024-03-05|BOOK NOOK YORK|8.50\n");
    EXPECT_TRUE(s.adds_up);
}

TEST(Statement, an_amount_below_its_date_belongs_to_it) {
    const auto s = read(R"(
Statement date   31 March 2024
Previous balance                                      10.00
02 Mar 2024  CITY CABS LEEDS
             Card 2210                                12.00
05 Mar 2024  BOOK NOOK YORK
             Card 2210                                 8.50
New balance                                           30.50
)");
    EXPECT_EQ(
        rows_of(s),
        "2024-03-02|CITY CABS LEEDS Card 2210|12.00\n2024-03-05|BOOK NOOK YORK Card 2210|8.50\n");
    EXPECT_TRUE(s.adds_up);
}

TEST(Statement, nothing_gives_nothing) {
    const auto s = read_statement({});
    EXPECT_TRUE(s.rows.empty());
    EXPECT_FALSE(s.statement_date);
    EXPECT_EQ(statement_result_json(s),
              "{\"invoice_number\":null,\"statement_date\":null,\"period_start\":null,\"period_"
              "end\":null,"
              "\"previous_balance\":null,\"new_balance\":null,\"total\":null,\"currency\":null,"
              "\"rows\":[],"
              "\"review\":[\"no rows found\",\"no printed total to check the rows against\"]}");
}

}  // namespace
}  // namespace belay::ai::rules
