#include "ingestion/media/lines.hpp"

#include <gtest/gtest.h>

namespace belay::media {
namespace {

Word word(const char* text, double x, double y, double width = 40, double height = 12) {
    return Word{.text = text, .box = {x, y, width, height}};
}

std::string told(const std::vector<Word>& words) {
    std::string out;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i) out += words[i].line == words[i - 1].line ? " " : " / ";
        out += words[i].text;
    }
    return out;
}

TEST(Lines, the_two_ends_of_a_row_are_one_line) {
    std::vector<Word> words{word("MILK", 0, 10), word("BREAD", 0, 30), word("1.20", 300, 11),
                            word("2.50", 300, 29)};

    number_lines(words);

    EXPECT_EQ(told(words), "MILK 1.20 / BREAD 2.50");
}

TEST(Lines, a_slanted_row_stays_together) {
    std::vector<Word> words;
    for (int i = 0; i < 10; ++i) {
        words.push_back(word("a", i * 50.0, 10 + i * 2.0));
        words.push_back(word("b", i * 50.0, 28 + i * 2.0));
    }

    number_lines(words);

    EXPECT_EQ(told(words), "a a a a a a a a a a / b b b b b b b b b b");
}

TEST(Lines, a_full_stop_does_not_pull_the_line_down) {
    std::vector<Word> words{word("Total", 0, 10), word(".", 45, 20, 2, 2), word("EUR", 60, 10),
                            word("9,00", 120, 10)};

    number_lines(words);

    EXPECT_EQ(told(words), "Total . EUR 9,00");
}

TEST(Lines, nothing_is_nothing) {
    std::vector<Word> words;
    number_lines(words);
    EXPECT_TRUE(words.empty());
}

}  // namespace
}  // namespace belay::media
