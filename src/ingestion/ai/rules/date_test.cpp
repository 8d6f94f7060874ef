// date_test.cpp — dates in the forms that documents print.
#include "ingestion/ai/rules/date.hpp"

#include <sstream>

#include <gtest/gtest.h>

namespace belay::ai::rules {
namespace {

std::vector<media::Word> words(const std::string& text) {
    std::vector<media::Word> out;
    std::istringstream in{text};
    double x = 0;
    for (std::string word; in >> word; x += 50) out.push_back({word, {x, 0, 40, 10}, 1, 0});
    return out;
}

std::string only(const std::string& text, DateStyle style = {}, DateOptions options = {}) {
    const auto found = find_dates(words(text), style, options);
    return found.size() == 1 ? found[0].reading.date.text() : found.empty() ? "none" : "several";
}

TEST(Date, is_read_in_the_forms_of_several_languages) {
    EXPECT_EQ(only("2024-03-12"), "2024-03-12");
    EXPECT_EQ(only("Datum: 12.03.2024"), "2024-03-12");
    EXPECT_EQ(only("13/03/24"), "2024-03-13");
    EXPECT_EQ(only("12. März 2024"), "2024-03-12");
    EXPECT_EQ(only("Mar 3, 2024"), "2024-03-03");
    EXPECT_EQ(only("3 MARS 2024"), "2024-03-03");
    EXPECT_EQ(only("3rd of March 2024"), "2024-03-03");
    EXPECT_EQ(only("12-Mar-24"), "2024-03-12");
    EXPECT_EQ(only("12MAR24"), "2024-03-12");
    EXPECT_EQ(only("18 april 2014"), "2014-04-18");
    EXPECT_EQ(only("1er décembre 2017"), "2017-12-01");
    EXPECT_EQ(only("20240312"), "2024-03-12");
    EXPECT_EQ(only("2024-03-12T10:15:00"), "2024-03-12");
}

TEST(Date, that_no_calendar_has_is_none) {
    EXPECT_EQ(only("31.02.2024"), "none");
    EXPECT_EQ(only("2024-13-01"), "none");
    EXPECT_EQ(only("1.2.3"), "none");
    EXPECT_EQ(only("00.123.456.7"), "none");
    EXPECT_EQ(only("192.168.10.24"), "none");
    EXPECT_EQ(only("556016-0680"), "none");
}

TEST(Date, day_or_month_first_is_decided_by_the_documents_other_dates) {
    EXPECT_EQ(only("03/04/2024", {DateOrder::MonthFirst, false}), "2024-03-04");
    EXPECT_EQ(only("03/04/2024", {DateOrder::DayFirst, false}), "2024-04-03");
    const auto unclear = find_dates(words("03/04/2024"));
    ASSERT_EQ(unclear.size(), 1U);
    EXPECT_LT(unclear[0].reading.confidence, 0.8);
    EXPECT_EQ(unclear[0].reading.or_->text(), "2024-03-04");

    media::Page page;
    page.words = words("12/25/2024 03/04/2024");
    EXPECT_EQ(date_style({page}).order, DateOrder::MonthFirst);
}

TEST(Date, six_digits_are_a_date_only_where_they_are_asked_for) {
    EXPECT_EQ(only("240312"), "none");
    EXPECT_EQ(only("240312", {}, {.six_digits = true}), "2024-03-12");
    EXPECT_EQ(only("245012", {}, {.six_digits = true}), "none");
    EXPECT_EQ(only("24-03-12", {DateOrder::Unknown, true}), "2024-03-12");
}

TEST(Date, without_a_year_is_read_where_it_is_asked_for) {
    EXPECT_EQ(only("JUL 15"), "none");
    EXPECT_EQ(only("JUL 15", {}, {.without_year = true}), "0000-07-15");
    EXPECT_EQ(only("15 Jul", {}, {.without_year = true}), "0000-07-15");
    EXPECT_EQ(only("07/15", {}, {.without_year = true}), "0000-07-15");
    EXPECT_EQ(find_dates(words("JUL 15 JUL 16"), {}, {.without_year = true}).size(), 2U);
}

TEST(Date, letters_that_ocr_takes_for_digits_are_mended_with_less_confidence) {
    const auto found = find_dates(words("2O24-03-l2"));
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].reading.date.text(), "2024-03-12");
    EXPECT_LT(found[0].reading.confidence, 0.7);
}

TEST(Date, says_which_words_it_took) {
    const auto found = find_dates(words("due 12. March 2024 in full"));
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].first, 1U);
    EXPECT_EQ(found[0].count, 3U);
}

TEST(Date, days_can_be_counted) {
    EXPECT_EQ(Date({2024, 3, 1}).days() - Date({2024, 2, 28}).days(), 2);
    EXPECT_EQ((Date{2024, 12, 30}.plus_days(3).text()), "2025-01-02");
}

}  // namespace
}  // namespace belay::ai::rules
