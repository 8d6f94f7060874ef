// layout_test.cpp — lines, segments and labels from words with boxes.
#include "ingestion/ai/rules/layout.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "ingestion/ai/rules/fold.hpp"

namespace belay::ai::rules {
namespace {

struct At {
    std::string text;
    double x, y;
};

media::Page page_of(const std::vector<At>& words, double hang = 0) {
    media::Page page;
    page.width = 600;
    page.height = 800;
    for (const auto& word : words) {
        page.words.push_back(
            {word.text,
             {word.x, word.y + hang * word.x, 5.0 * static_cast<double>(word.text.size()), 10},
             1,
             0});
    }
    return page;
}

TEST(Layout, words_at_one_height_are_one_line_whatever_the_reader_numbered) {
    const auto lines =
        lines_of(page_of({{"Total", 40, 100}, {"12.00", 500, 101}, {"Tax", 40, 90}}));

    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(lines[0].text(), "Tax");
    EXPECT_EQ(lines[1].text(), "Total 12.00");
}

TEST(Layout, a_page_that_hangs_a_little_still_gives_whole_lines) {
    std::vector<At> words;
    for (int row = 0; row < 5; ++row) {
        for (int column = 0; column < 8; ++column) {
            words.push_back({"w" + std::to_string(row), 40.0 + 70 * column, 100.0 + 14 * row});
        }
    }

    const auto lines = lines_of(page_of(words, 0.02));

    ASSERT_EQ(lines.size(), 5U);
    for (const auto& line : lines) EXPECT_EQ(line.words.size(), 8U);
}

TEST(Layout, a_label_glued_to_its_value_is_parted) {
    const auto lines =
        lines_of(page_of({{"Nr.:4711", 40, 100}, {"12:50", 100, 100}, {"http://x.se", 200, 100}}));
    EXPECT_EQ(lines[0].text(), "Nr.: 4711 12:50 http://x.se");
}

TEST(Layout, wide_gaps_part_a_line_into_segments) {
    const auto lines =
        lines_of(page_of({{"Invoice", 40, 100}, {"number", 78, 100}, {"4711", 200, 100}}));
    const auto segments = segments_of(lines[0]);
    ASSERT_EQ(segments.size(), 2U);
    EXPECT_EQ(segments[0].count, 2U);
}

TEST(Layout, the_longest_label_wins_and_only_whole_words_count) {
    const auto lines =
        lines_of(page_of({{"Total", 40, 100}, {"HT", 70, 100}, {"Totalausfall", 40, 130}}));
    constexpr std::array labels{Label{"total", 1}, Label{"totalht", 2}};

    const auto found = find_labels(lines, labels);

    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].meaning, 2);
}

TEST(Layout, a_label_that_ocr_misread_by_a_letter_is_found) {
    const auto lines =
        lines_of(page_of({{"Rechnungsnurnmer", 40, 100}, {"Rechnungs-Nr.", 40, 130}}));
    constexpr std::array labels{Label{"rechnungsnummer", 1}, Label{"rechnungsnr", 1}};

    const auto found = find_labels(lines, labels);

    ASSERT_EQ(found.size(), 2U);
    EXPECT_FALSE(found[0].exact);
    EXPECT_TRUE(found[1].exact);
}

TEST(Layout, values_stand_right_of_a_label_or_below_it) {
    const auto lines = lines_of(page_of({{"Date", 40, 100},
                                         {"Due", 140, 100},
                                         {"1.1.2024", 40, 114},
                                         {"31.1.2024", 140, 114},
                                         {"No:", 300, 100},
                                         {"77", 330, 100}}));
    constexpr std::array labels{Label{"due", 1}, Label{"no", 2}};
    const auto found = find_labels(lines, labels);
    ASSERT_EQ(found.size(), 2U);

    const auto due = places_near(lines, found[0], {.right_max = 4});
    const auto number = places_near(lines, found[1]);

    ASSERT_FALSE(due.empty());
    EXPECT_EQ(lines[due[0].line].text(due[0].segment.first, due[0].segment.count), "31.1.2024");
    ASSERT_FALSE(number.empty());
    EXPECT_EQ(lines[number[0].line].text(number[0].segment.first, number[0].segment.count), "77");
}

TEST(Fold, letters_lose_case_and_accents) {
    EXPECT_EQ(fold("Fälligkeit ÅÄÖ ß œ N°"), "falligkeit aao ss oe no");
    EXPECT_EQ(fold_alnum("Rechnungs-Nr.:"), "rechnungsnr");
    EXPECT_EQ(fold("\xFF"), "?");
    EXPECT_EQ(fold_words("a-b  c").size(), 3U);
}

TEST(Fold, nearly_equal_allows_one_letter_in_six) {
    EXPECT_TRUE(nearly_equal("rechnung", "rechnumg"));
    EXPECT_FALSE(nearly_equal("total", "totel"));
    EXPECT_FALSE(nearly_equal("netto", "brutto"));
}

}  // namespace
}  // namespace belay::ai::rules
