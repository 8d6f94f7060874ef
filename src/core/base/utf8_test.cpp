// utf8_test.cpp — good text passes, bad bytes are found or replaced, cuts never split a character.
#include "core/base/utf8.hpp"

#include <gtest/gtest.h>

namespace belay::base {
namespace {

TEST(Utf8, accepts_text_of_every_length_of_sequence) {
    EXPECT_TRUE(is_utf8(""));
    EXPECT_TRUE(is_utf8("plain"));
    EXPECT_TRUE(is_utf8("ação €12 🧗"));
    EXPECT_TRUE(is_utf8("\xF4\x8F\xBF\xBF"));  // U+10FFFF, the last one
}

TEST(Utf8, refuses_what_is_not_well_formed) {
    EXPECT_FALSE(is_utf8("\x80"));              // continuation alone
    EXPECT_FALSE(is_utf8("\xC3"));              // cut short
    EXPECT_FALSE(is_utf8("\xC0\xAF"));          // overlong '/'
    EXPECT_FALSE(is_utf8("\xE0\x80\xAF"));      // overlong, three bytes
    EXPECT_FALSE(is_utf8("\xF0\x80\x80\xAF"));  // overlong, four bytes
    EXPECT_FALSE(is_utf8("\xED\xA0\x80"));      // a surrogate
    EXPECT_FALSE(is_utf8("\xF4\x90\x80\x80"));  // above U+10FFFF
    EXPECT_FALSE(is_utf8("\xFF"));
    EXPECT_FALSE(is_utf8("caf\xE9"));  // Latin-1
}

TEST(Utf8, repairs_bad_bytes_and_nuls_and_keeps_the_rest) {
    EXPECT_EQ(to_valid_utf8("caf\xE9!"), "caf\uFFFD!");
    EXPECT_EQ(to_valid_utf8(std::string_view("a\0b", 3)), "a\uFFFDb");
    EXPECT_EQ(to_valid_utf8("ação"), "ação");
}

TEST(Truncate, leaves_a_text_that_fits) {
    EXPECT_EQ(truncate("ação", 4), "ação");
    EXPECT_EQ(truncate("", 0), "");
}

TEST(Truncate, cuts_between_characters_and_says_so) {
    EXPECT_EQ(truncate("ação!", 4), "açã…");
    EXPECT_EQ(truncate("🧗🧗🧗", 2), "🧗…");
    EXPECT_EQ(truncate("abc", 1), "…");
    EXPECT_EQ(truncate("abc", 0), "");
}

TEST(Truncate, of_a_huge_text_is_the_cut_of_its_start) {
    const std::string huge(1'000'000, '\xE9');
    std::string expected;
    for (int i = 0; i < 9; ++i) expected += "\uFFFD";

    EXPECT_EQ(truncate(huge, 10), expected + "…");
}

}  // namespace
}  // namespace belay::base
