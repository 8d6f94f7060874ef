// export_test.cpp — SIE and CSV as other programs read them.
#include <gtest/gtest.h>

#include <belay/error.hpp>

#include "ingestion/ai/rules/csv.hpp"
#include "ingestion/ai/rules/sie.hpp"

namespace belay::ai::rules {
namespace {

TEST(Sie, a_balanced_verification_is_written_with_credits_negative) {
    SieFile file;
    file.generated = {2025, 3, 2};
    file.company = "Åsa \"Ö\" AB";
    file.accounts = {{"2641", "Ingående moms"}};
    file.verifications = {{{2025, 3, 1},
                           "Lunch",
                           {{"5790", {10000, 2}, {}, ""},
                            {"2641", {1200, 2}, {}, ""},
                            {"1930", {}, {11200, 2}, "kort"}}}};

    const auto text = sie_file(file);

    EXPECT_EQ(
        text,
        "#FLAGGA 0\r\n#PROGRAM \"Belay\" \"1\"\r\n#FORMAT PC8\r\n#GEN 20250302\r\n#SIETYP 4\r\n"
        "#FNAMN \"\x8Fsa \\\"\x99\\\" AB\"\r\n#KONTO 2641 \"Ing\x86"
        "ende moms\"\r\n"
        "#VER \"A\" \"0001\" 20250301 \"Lunch\"\r\n{\r\n"
        "   #TRANS 5790 {} 100.00 20250301 \"\"\r\n   #TRANS 2641 {} 12.00 20250301 \"\"\r\n"
        "   #TRANS 1930 {} -112.00 20250301 \"kort\"\r\n}\r\n");
}

TEST(Sie, a_comment_stands_before_the_company) {
    SieFile file;
    file.comment = "Left out: 2 receipts";
    file.company = "acme";

    EXPECT_NE(sie_file(file).find("#SIETYP 4\r\n#PROSA \"Left out: 2 receipts\"\r\n#FNAMN"),
              std::string::npos);
}

TEST(Sie, an_unbalanced_verification_is_refused_by_number) {
    SieFile file;
    file.verifications = {
        {{2025, 3, 1}, "x", {{"5790", {10000, 2}, {}, ""}, {"1930", {}, {9999, 2}, ""}}}};
    try {
        sie_file(file);
        FAIL() << "written";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
        EXPECT_NE(
            std::string{error.what()}.find("verification 1: debits and credits differ by 0.01"),
            std::string::npos);
    }
}

TEST(Csv, fields_are_quoted_where_they_must_be) {
    EXPECT_EQ(csv({{"a", "b,c", "d\"e"}, {"", "x"}}), "a,\"b,c\",\"d\"\"e\"\r\n,x\r\n");
}

TEST(Csv, a_formula_is_made_text_and_a_negative_number_is_not) {
    EXPECT_EQ(csv({{"=1+1", "-5.00", "-cmd", "@x", "+x"}}), "'=1+1,-5.00,'-cmd,'@x,'+x\r\n");
}

TEST(Csv, a_statement_has_a_row_a_transaction) {
    Statement statement;
    statement.currency = {"SEK", 1.0};
    StatementRow row;
    row.date = Date{2025, 3, 1};
    row.description = "KAFÉ, STADEN";
    row.amount = {4550, 2};
    statement.rows.push_back(row);
    EXPECT_EQ(statement_csv(statement),
              "date,posted,description,city,amount,currency,amount_original,currency_original,"
              "exchange_rate\r\n"
              "2025-03-01,,\"KAFÉ, STADEN\",,45.50,SEK,,,\r\n");
}

}  // namespace
}  // namespace belay::ai::rules
