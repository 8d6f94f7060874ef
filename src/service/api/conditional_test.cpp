#include "service/api/conditional.hpp"

#include <gtest/gtest.h>

namespace belay::api {
namespace {

TEST(Etag, a_list_a_star_and_a_weak_form_match) {
    EXPECT_TRUE(etag_matches(R"("a", "b")", R"("b")"));
    EXPECT_TRUE(etag_matches("*", R"("b")"));
    EXPECT_TRUE(etag_matches(R"(W/"b")", R"("b")"));
    EXPECT_TRUE(etag_matches(R"("b")", R"(W/"b")"));
    EXPECT_FALSE(etag_matches(R"("a")", R"("b")"));
    EXPECT_FALSE(etag_matches("", R"("b")"));
}

TEST(Range, the_three_forms_are_read) {
    EXPECT_EQ(std::get<ByteRange>(wanted_bytes("bytes=0-99", 1000)), (ByteRange{0, 100}));
    EXPECT_EQ(std::get<ByteRange>(wanted_bytes("bytes=900-", 1000)), (ByteRange{900, 100}));
    EXPECT_EQ(std::get<ByteRange>(wanted_bytes("bytes=-100", 1000)), (ByteRange{900, 100}));
}

TEST(Range, what_reaches_over_the_end_is_cut) {
    EXPECT_EQ(std::get<ByteRange>(wanted_bytes("bytes=990-2000", 1000)), (ByteRange{990, 10}));
    EXPECT_EQ(std::get<ByteRange>(wanted_bytes("bytes=-5000", 1000)), (ByteRange{0, 1000}));
    EXPECT_EQ(std::get<ByteRange>(wanted_bytes("bytes=1-99999999999999999999999", 3)),
              (ByteRange{1, 2}));
}

TEST(Range, what_begins_after_the_end_cannot_be_given) {
    for (const char* range : {"bytes=1000-", "bytes=1000-1001", "bytes=-0"}) {
        EXPECT_TRUE(std::holds_alternative<NoSuchRange>(wanted_bytes(range, 1000))) << range;
    }
    EXPECT_TRUE(std::holds_alternative<NoSuchRange>(wanted_bytes("bytes=0-", 0)));
}

TEST(Range, several_ranges_other_units_and_nonsense_mean_the_whole) {
    for (const char* range : {"bytes=0-1,5-6", "lines=1-2", "bytes=a-b", "bytes=5-2",
                              "bytes=", "bytes=-", "", "bytes=--1", "bytes=1"}) {
        EXPECT_TRUE(std::holds_alternative<WholeThing>(wanted_bytes(range, 1000))) << range;
    }
}

TEST(Range, if_range_needs_the_very_same_strong_tag) {
    EXPECT_TRUE(range_still_valid(std::nullopt, R"("a")"));
    EXPECT_TRUE(range_still_valid(R"("a")", R"("a")"));
    EXPECT_FALSE(range_still_valid(R"("old")", R"("a")"));
    EXPECT_FALSE(range_still_valid(R"(W/"a")", R"(W/"a")"));
    EXPECT_FALSE(range_still_valid("Sun, 06 Nov 1994 08:49:37 GMT", R"("a")"));
}

TEST(Gzip, is_used_only_where_it_is_wanted) {
    EXPECT_TRUE(accepts_gzip("gzip, deflate, br"));
    EXPECT_TRUE(accepts_gzip("br;q=1.0, GZIP;q=0.5"));
    EXPECT_TRUE(accepts_gzip("*"));
    EXPECT_FALSE(accepts_gzip("gzip;q=0"));
    EXPECT_FALSE(accepts_gzip("*, gzip;q=0.000"));
    EXPECT_FALSE(accepts_gzip("identity"));
    EXPECT_FALSE(accepts_gzip(""));
}

}  // namespace
}  // namespace belay::api
