#include "ingestion/media/html/date_text.hpp"

#include <gtest/gtest.h>

namespace belay::media::html {
namespace {

TEST(DateText, finds_the_forms_that_machines_write) {
    EXPECT_EQ(find_date("2021-11-25 16:11"), "2021-11-25");
    EXPECT_EQ(find_date("2015-10-15T08:00:26+00:00"), "2015-10-15");
    EXPECT_EQ(find_date("20200131"), "2020-01-31");
    EXPECT_EQ(find_date("2020/1/31"), "2020-01-31");
    EXPECT_EQ(find_date("Tue, 19 Nov 2019 10:48:00 GMT"), "2019-11-19");
}

TEST(DateText, finds_the_forms_that_people_write_in_many_languages) {
    EXPECT_EQ(find_date("Published: November 19, 2019 at 8:41 AM"), "2019-11-19");
    EXPECT_EQ(find_date("Nov. 19th, 2019"), "2019-11-19");
    EXPECT_EQ(find_date("25. November 2021 16:11 Uhr"), "2021-11-25");
    EXPECT_EQ(find_date("23 mai 2019"), "2019-05-23");
    EXPECT_EQ(find_date("(Notizia del 14 Gennaio 2020)"), "2020-01-14");
    EXPECT_EQ(find_date("segunda-feira, 22 de janeiro de 2018"), "2018-01-22");
    EXPECT_EQ(find_date("3. července 2020"), "2020-07-03");
    EXPECT_EQ(find_date("3. června 2020"), "2020-06-03");
    EXPECT_EQ(find_date("12 апреля 2021"), "2021-04-12");
    EXPECT_EQ(find_date("2020年1月31日"), "2020-01-31");
    EXPECT_EQ(find_date("den 5 maj 2022"), "2022-05-05");
}

TEST(DateText, reads_slashes_day_first_unless_the_page_is_american) {
    EXPECT_EQ(find_date("03/04/2020"), "2020-04-03");
    EXPECT_EQ(find_date("03/04/2020", true), "2020-03-04");
    EXPECT_EQ(find_date("03/25/2020"), "2020-03-25");
    EXPECT_EQ(find_date("03.04.2020", true), "2020-04-03");
}

TEST(DateText, finds_nothing_where_there_is_no_date) {
    EXPECT_FALSE(find_date(""));
    EXPECT_FALSE(find_date("in 2020"));
    EXPECT_FALSE(find_date("31.02.2020"));
    EXPECT_FALSE(find_date("version 1.2.3"));
    EXPECT_FALSE(find_date("call 555 1234 2020"));
    EXPECT_FALSE(find_date("maybe 12 of 2020"));
    EXPECT_FALSE(find_date("1850-01-01"));
}

TEST(DateText, finds_the_date_in_an_address) {
    EXPECT_EQ(date_in_url("https://example.com/2020/01/31/title"), "2020-01-31");
    EXPECT_EQ(date_in_url("https://example.com/a/08112021-title"), "2021-11-08");
    EXPECT_EQ(date_in_url("https://example.com/news_20200131.html"), "2020-01-31");
    EXPECT_FALSE(date_in_url("https://example.com/story/18348200"));
    EXPECT_FALSE(date_in_url("https://20200131.example.com/"));
}

}  // namespace
}  // namespace belay::media::html
