#include "ingestion/media/card_number.hpp"

#include <gtest/gtest.h>

namespace belay::media {
namespace {

TEST(CardNumber, all_but_the_last_four_digits_are_masked) {
    EXPECT_EQ(mask_card_numbers("Card 4111 1111 1111 1111 OK"), "Card **** **** **** 1111 OK");
    EXPECT_EQ(mask_card_numbers("5500-0000-0000-0004"), "****-****-****-0004");
    EXPECT_EQ(mask_card_numbers("378282246310005"), "***********0005");
}

TEST(CardNumber, what_fails_the_check_digit_is_left_alone) {
    EXPECT_EQ(mask_card_numbers("GST 000656195584"), "GST 000656195584");
    EXPECT_EQ(mask_card_numbers("4111 1111 1111 1112"), "4111 1111 1111 1112");
    EXPECT_EQ(mask_card_numbers("00000000000000"), "00000000000000");
}

TEST(CardNumber, a_number_spread_over_the_words_of_a_line_is_masked) {
    Page page;
    for (const char* text : {"VISA", "4111", "1111", "1111", "1111"})
        page.words.push_back({.text = text, .line = 3});
    page.words.push_back({.text = "Total", .line = 4});

    mask_card_numbers(page);

    EXPECT_EQ(page.words[0].text, "VISA");
    EXPECT_EQ(page.words[1].text, "****");
    EXPECT_EQ(page.words[3].text, "****");
    EXPECT_EQ(page.words[4].text, "1111");
    EXPECT_EQ(page.words[5].text, "Total");
}

}  // namespace
}  // namespace belay::media
