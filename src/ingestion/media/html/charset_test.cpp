#include "ingestion/media/html/charset.hpp"

#include <gtest/gtest.h>

namespace belay::media::html {
namespace {

TEST(Charset, a_byte_order_mark_wins_over_everything) {
    const Decoded page =
        decode_page("\xEF\xBB\xBF<meta charset=latin1>\xC3\xA5", "text/html; charset=koi8-r");
    EXPECT_EQ(page.encoding, "utf-8");
    EXPECT_TRUE(page.utf8.ends_with("å"));

    EXPECT_EQ(decode_page(std::string_view{"\xFF\xFEh\0i\0", 6}).utf8, "hi");
}

TEST(Charset, the_header_wins_over_the_page) {
    EXPECT_EQ(
        decode_page("<meta charset=windows-1251>\xE5", "text/html; charset=\"ISO-8859-1\"").utf8,
        "<meta charset=windows-1251>å");
}

TEST(Charset, the_page_may_say_it_in_several_ways) {
    EXPECT_EQ(declared_charset("<meta charset='Shift_JIS'>"), "shift_jis");
    EXPECT_EQ(
        declared_charset("<META http-equiv=content-type content=\"text/html; charset=gb2312\">"),
        "gb2312");
    EXPECT_EQ(declared_charset("<?xml version='1.0' encoding='koi8-r'?><html>"), "koi8-r");
    EXPECT_EQ(declared_charset("<p>charset=utf-8"), "");
    EXPECT_EQ(decode_page("<meta charset=windows-1251>\xEF\xF0\xE8").utf8,
              "<meta charset=windows-1251>при");
    EXPECT_EQ(decode_page("<meta charset=gb2312>\xD6\xD0").utf8, "<meta charset=gb2312>中");
}

TEST(Charset, without_a_word_it_is_utf8_if_it_can_be_and_windows_1252_if_not) {
    EXPECT_EQ(decode_page("r\xC3\xA4v").utf8, "räv");
    EXPECT_EQ(decode_page("r\xE4v \x80").utf8, "räv €");
}

TEST(Charset, a_page_that_is_utf8_in_spite_of_its_declaration_is_read_as_utf8) {
    EXPECT_EQ(decode_page("<meta charset=iso-8859-1>räv").utf8, "<meta charset=iso-8859-1>räv");
}

TEST(Charset, bad_bytes_and_unknown_names_do_no_harm) {
    EXPECT_EQ(decode_page("a\xFF"
                          "b",
                          "text/html; charset=utf-8")
                  .utf8,
              "a\xEF\xBF\xBD"
              "b");
    EXPECT_EQ(decode_page("abc", "text/html; charset=no-such-thing").utf8, "abc");
    EXPECT_EQ(encoding_of_label("utf-8//TRANSLIT"), "");
    EXPECT_EQ(decode_page(std::string_view{"a\0b", 3}).utf8,
              "a\xEF\xBF\xBD"
              "b");
}

}  // namespace
}  // namespace belay::media::html
