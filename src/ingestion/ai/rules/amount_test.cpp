// amount_test.cpp — amounts in the forms that documents print.
#include "ingestion/ai/rules/amount.hpp"

#include <gtest/gtest.h>

#include "ingestion/ai/rules/currency.hpp"

namespace belay::ai::rules {
namespace {

constexpr NumberStyle kComma{',', '.'}, kPoint{'.', ','};

std::string best(std::string_view text, NumberStyle style = {}) {
    const auto readings = read_amounts(text, style);
    return readings.empty() ? "none" : readings.front().value.text();
}

double sureness(std::string_view text, NumberStyle style = {}) {
    const auto readings = read_amounts(text, style);
    return readings.empty() ? 0 : readings.front().confidence;
}

std::vector<media::Word> words(const std::vector<std::pair<std::string, double>>& texts_at) {
    std::vector<media::Word> out;
    for (const auto& [text, x] : texts_at) {
        out.push_back({text, {x, 0, 6.0 * static_cast<double>(text.size()), 10}, 1, 0});
    }
    return out;
}

TEST(Amount, is_read_in_the_forms_of_several_countries) {
    EXPECT_EQ(best("2.579,80"), "2579.80");
    EXPECT_EQ(best("1 234,56"), "1234.56");
    EXPECT_EQ(best("1\u00A0234,56"), "1234.56");
    EXPECT_EQ(best("1,234.56"), "1234.56");
    EXPECT_EQ(best("1'234.50"), "1234.50");
    EXPECT_EQ(best("12:50"), "12.50");
    EXPECT_EQ(best("1.234.567,89"), "1234567.89");
    EXPECT_EQ(best("12,-"), "12.00");
    EXPECT_EQ(best("12:-"), "12.00");
    EXPECT_EQ(best("10000,0000"), "10000.0000");
    EXPECT_EQ(best("0,0205"), "0.0205");
}

TEST(Amount, is_negative_with_a_sign_before_or_behind_or_in_parentheses) {
    EXPECT_EQ(best("-12,00 kr"), "-12.00");
    EXPECT_EQ(best("12.00-"), "-12.00");
    EXPECT_EQ(best("(12.00)"), "-12.00");
    EXPECT_EQ(best("12.00 CR"), "-12.00");
    EXPECT_EQ(best("\u221212,00"), "-12.00");
    EXPECT_EQ(best("€ -12.00"), "-12.00");
    EXPECT_EQ(best("-$12.00"), "-12.00");
}

TEST(Amount, knows_currency_words_and_signs) {
    EXPECT_EQ(read_amounts("€12.00").front().currency, "EUR");
    EXPECT_EQ(read_amounts("12,00 EUR").front().currency, "EUR");
    EXPECT_EQ(read_amounts("12,00 kr").front().currency, "kr");
    EXPECT_EQ(read_amounts("12,00 kr.").front().currency, "kr");
    EXPECT_EQ(read_amounts("US$ 5.00").front().currency, "USD");
    EXPECT_EQ(read_amounts("Rs.1939").front().currency, "INR");
}

TEST(Amount, three_digits_behind_a_sign_are_read_by_the_documents_style) {
    EXPECT_EQ(best("1.234", kComma), "1234");
    EXPECT_EQ(best("1.234", kPoint), "1.234");
    EXPECT_EQ(best("1,234", kPoint), "1234");
    EXPECT_LT(sureness("1.234"), 0.8);
}

TEST(Amount, dates_words_and_codes_are_none) {
    for (const auto* text :
         {"12.03.2024", "A123", "SISO", "2024-03-12", "1.2.3", "DE123456789", "12/03"}) {
        EXPECT_EQ(best(text), "none") << text;
    }
}

TEST(Amount, letters_that_ocr_takes_for_digits_are_mended_with_less_confidence) {
    EXPECT_EQ(best("lO,SO", kComma), "none");  // no digit at all
    EXPECT_EQ(best("12O,50", kComma), "120.50");
    EXPECT_EQ(best("1l5,90", kComma), "115.90");
    EXPECT_LT(sureness("12O,50", kComma), 0.7);
    EXPECT_EQ(best("1,331,59", kComma), "1331.59");
    EXPECT_LT(sureness("1,331,59", kComma), 0.7);
}

TEST(Amount, a_percentage_is_a_rate) {
    EXPECT_TRUE(read_amounts("19,00 %").front().percent);
    EXPECT_FALSE(read_amounts("19,00").front().percent);
}

TEST(Amount, the_style_is_decided_by_the_numbers_of_the_document) {
    EXPECT_EQ(number_style_of({"12.03.2024", "1.234,56", "7,00"}).decimal, ',');
    EXPECT_EQ(number_style_of({"1,234.56", "7.00"}).decimal, '.');
    EXPECT_EQ(number_style_of({"hello", "12"}).decimal, 0);
    EXPECT_EQ(number_style_of({"1.234,56"}).group, '.');
}

TEST(Amount, words_that_stand_close_are_one_number) {
    const auto spaced = find_amounts(words({{"1", 0}, {"234,56", 9}, {"kr", 48}}), {',', ' '});
    ASSERT_EQ(spaced.size(), 1U);
    EXPECT_EQ(spaced[0].amount.value.text(), "1234.56");
    EXPECT_EQ(spaced[0].count, 3U);

    const auto columns = find_amounts(words({{"10", 0}, {"100,00", 60}}), {});
    ASSERT_EQ(columns.size(), 2U);
    EXPECT_EQ(columns[1].amount.value.text(), "100.00");
}

// Letters of one width, as in Courier: a space is as wide as a digit. `white` stands around a letter's ink,
// which OCR leaves out.
std::vector<std::string> typed(const std::string& text, NumberStyle style, double white = 0) {
    std::vector<media::Word> line;
    for (std::size_t at = text.find_first_not_of(' '); at != std::string::npos;) {
        const auto end = std::min(text.find(' ', at), text.size());
        const auto left = 6.0 * static_cast<double>(at) + white / 2;
        const auto width = 6.0 * static_cast<double>(end - at) - white;
        line.push_back({text.substr(at, end - at), {left, 0, width, 7.86 - white}, 1, 0});
        at = text.find_first_not_of(' ', end);
    }
    std::vector<std::string> values;
    for (const auto& at : find_amounts(line, style)) values.push_back(at.amount.value.text());
    return values;
}

using Values = std::vector<std::string>;
constexpr NumberStyle kTyped{',', 0};

TEST(Amount, thousands_are_parted_by_a_space_as_wide_as_a_digit) {
    EXPECT_EQ(typed("Summa 1 520,50", kTyped), Values{"1520.50"});
    EXPECT_EQ(typed("Summa 1 234 520,50 kr", kTyped), Values{"1234520.50"});
    EXPECT_EQ(typed("2  520,50", kTyped), (Values{"2", "520.50"}));
    EXPECT_EQ(typed("Summa 1 520,50", kComma), (Values{"1", "520.50"}));
}

TEST(Amount, thousands_are_parted_by_what_a_space_is_wide_in_a_scanned_document) {
    const NumberStyle scanned{',', 0, 7.2 / 6.66};
    EXPECT_EQ(typed("Summa 1 520,50", scanned, 1.2), Values{"1520.50"});
    EXPECT_EQ(typed("2  520,50", scanned, 1.2), (Values{"2", "520.50"}));

    media::Page page;
    for (int i = 0; i < 6; ++i) page.words.push_back({"word", {30.0 * i, 0, 24, 7.86}, 1, 0});
    EXPECT_NEAR(number_style({page}).space, 6 / 7.86, 1e-9);
    for (auto& word : page.words) word.line = static_cast<int>(word.box.x);
    EXPECT_EQ(number_style({page}).space, 0);  // words below one another tell nothing
}

TEST(Amount, a_space_parts_columns_where_only_then_the_line_multiplies) {
    EXPECT_EQ(typed("Lampa 2 520,50 1 041,00", kTyped), (Values{"2", "520.50", "1041.00"}));
    EXPECT_EQ(typed("Lampa 2 520,50 kr 1 041,00 kr", kTyped), (Values{"2", "520.50", "1041.00"}));
    EXPECT_EQ(typed("Lampa 2 760,25 1 520,50", kTyped), (Values{"2", "760.25", "1520.50"}));
    EXPECT_EQ(typed("Lampa 4 125 500,00", kTyped), (Values{"4", "125", "500.00"}));
    EXPECT_EQ(typed("Moms 25 520,50 130,13", kTyped), (Values{"25", "520.50", "130.13"}));

    EXPECT_EQ(typed("Lampa 1 1 520,50 1 520,50", kTyped), (Values{"1", "1520.50", "1520.50"}));
    EXPECT_EQ(typed("Lampa  2 520,50  2  5 041,00", kTyped), (Values{"2520.50", "2", "5041.00"}));
    EXPECT_EQ(typed("Moms 25 1 520,50 380,13", kTyped), (Values{"25", "1520.50", "380.13"}));
    EXPECT_EQ(typed("Netto 1 520,50 Moms 380,13", kTyped), (Values{"1520.50", "380.13"}));
    EXPECT_EQ(typed("Saldo 1 520,50 Kvar 520,50", kTyped), (Values{"1520.50", "520.50"}));
}

TEST(Decimal, arithmetic_is_exact_and_never_wraps) {
    EXPECT_EQ((Decimal{100, 2} + Decimal{5, 3}).text(), "1.005");
    EXPECT_EQ((Decimal{275, 1} * Decimal{105000, 4}).rescaled(2).text(), "288.75");
    EXPECT_EQ((Decimal{15, 1}), (Decimal{150, 2}));
    EXPECT_EQ(Decimal(-125, 2).rescaled(1).text(), "-1.3");
    const Decimal most{9'000'000'000'000'000'000, 0};
    EXPECT_GT(most + most, most);
    EXPECT_EQ(Decimal::parse("-0.50")->text(), "-0.50");
    EXPECT_FALSE(Decimal::parse("123456789012"));
    EXPECT_FALSE(Decimal::parse("1."));
}

TEST(Currency, a_shared_sign_is_decided_by_what_else_the_document_says) {
    const auto page = [](std::vector<std::string> texts) {
        media::Page out;
        for (auto& text : texts) out.words.push_back({std::move(text), {}, 1, 0});
        return std::vector{out};
    };
    EXPECT_EQ(document_currency(page({"Total", "12,00", "kr", "moms", "25%"})).code, "SEK");
    EXPECT_EQ(document_currency(page({"Toronto", "Total", "$12.00"})).code, "CAD");
    EXPECT_EQ(document_currency(page({"Total", "$12.00", "USD"})).code, "USD");
    EXPECT_EQ(document_currency(page({"nothing", "here"})).code, "");
}

TEST(Decimal, a_sum_is_read_again_also_if_it_has_more_digits_than_anything_printed) {
    const Decimal largest = *Decimal::parse("99999999999.999999");
    for (const Decimal sum :
         {largest + largest, largest.rescaled(2), largest * largest, -(largest * largest)})
        EXPECT_EQ(from_json<Decimal>(to_json(sum)), sum) << sum.text();

    EXPECT_FALSE(Decimal::parse("100000000000.00"));  // what is printed has a bound
    EXPECT_THROW(from_json<Decimal>("\"99999999999999999999\""), Error);
    EXPECT_THROW(from_json<Decimal>("\"9223372036854775807.5\""), Error);
}

}  // namespace
}  // namespace belay::ai::rules
