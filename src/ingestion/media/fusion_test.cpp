// fusion_test.cpp — two readings of the same print become one page.
#include "ingestion/media/fusion.hpp"

#include <random>
#include <string>

#include <gtest/gtest.h>

#include <belay/codec.hpp>

#include "ingestion/media/lines.hpp"

namespace belay::media {
namespace {

// Words on a line, each letter ten wide, as both readers box them.
struct Row {
    double y = 0;
    std::vector<std::pair<double, std::string>> words{};
};

Page page_of(ReadBy by, double sure, const std::vector<Row>& rows) {
    Page page{.width = 600, .height = 800, .source = PageSource::Ocr, .confidence = sure};
    int line = 0;
    for (const Row& row : rows) {
        for (const auto& [x, text] : row.words) {
            const double wide = 10.0 * static_cast<double>(text.size());
            page.words.push_back({text, {x, row.y, wide, 16}, sure, line, by, ""});
        }
        ++line;
    }
    return page;
}

Page tesseract(const std::vector<Row>& rows, double sure = 0.9) {
    return page_of(ReadBy::Tesseract, sure, rows);
}
Page pp_ocr(const std::vector<Row>& rows, double sure = 0.95) {
    return page_of(ReadBy::PpOcr, sure, rows);
}

std::string text_of(const Page& page) {
    std::string text;
    int line = 0;
    for (const Word& word : page.words) {
        if (!text.empty()) text += word.line == line ? " " : "\n";
        line = word.line;
        text += word.text;
    }
    return text;
}

TEST(Fusion, a_number_is_the_second_readers_and_what_the_first_saw_is_kept_beside_it) {
    const Page page = fused(tesseract({{0, {{0, "Cash"}, {200, "1Q.80"}}}}),
                            pp_ocr({{0, {{0, "Cash"}, {200, "10.80"}}}}));

    EXPECT_EQ(text_of(page), "Cash 10.80");
    EXPECT_EQ(page.words[0].by, ReadBy::Both);
    EXPECT_EQ(page.words[0].other, "");
    EXPECT_EQ(page.words[1].by, ReadBy::PpOcr);
    EXPECT_EQ(page.words[1].other, "1Q.80");
}

TEST(Fusion, a_number_that_the_second_reader_is_unsure_of_stays_the_firsts) {
    const Page page =
        fused(tesseract({{0, {{200, "13.10"}}}}), pp_ocr({{0, {{200, "18.10"}}}}, 0.3));

    EXPECT_EQ(text_of(page), "13.10");
    EXPECT_EQ(page.words[0].by, ReadBy::Tesseract);
    EXPECT_EQ(page.words[0].other, "18.10");
}

TEST(Fusion, words_and_spaces_are_the_first_readers) {
    const Page page = fused(tesseract({{0, {{0, "TAMAN"}, {60, "DAYA"}, {110, "JOHOR"}}}}),
                            pp_ocr({{0, {{0, "TAMANDAYAJOH0R"}}}}));

    EXPECT_EQ(text_of(page), "TAMAN DAYA JOHOR");
}

TEST(Fusion, a_number_that_the_first_reader_tore_apart_or_glued_to_a_word_has_the_seconds_bounds) {
    EXPECT_EQ(text_of(fused(tesseract({{0, {{200, "2"}, {215, ".80"}}}}),
                            pp_ocr({{0, {{200, "2.80"}}}}))),
              "2.80");
    const Page page = fused(tesseract({{0, {{0, "TOTAL13.10SR"}}}}),
                            pp_ocr({{0, {{0, "TOTAL"}, {50, "13.10"}, {100, "SR"}}}}));
    EXPECT_EQ(text_of(page), "TOTAL 13.10 SR");
    EXPECT_LT(page.words[0].box.right(), page.words[1].box.x + 1);
}

TEST(Fusion, letters_that_the_second_reader_does_not_know_are_the_firsts) {
    EXPECT_EQ(
        text_of(fused(tesseract({{0, {{0, "Jägerstraße"}}}}), pp_ocr({{0, {{0, "JagerstraBe"}}}}))),
        "Jägerstraße");
    // Even where all else of the word is the second's.
    EXPECT_EQ(
        text_of(fused(tesseract({{0, {{0, "Ma\xCC\x88rz"}}}}, 0.9), pp_ocr({{0, {{0, "Marz"}}}}))),
        "Ma\xCC\x88rz");
    EXPECT_EQ(
        text_of(fused(tesseract({{0, {{0, "Blätz"}}}}, 0.2), pp_ocr({{0, {{0, "Platz"}}}}, 0.99))),
        "Plätz");
}

TEST(Fusion, what_only_the_second_reader_saw_stands_on_its_line_or_on_a_new_one) {
    const Page page =
        fused(tesseract({{0, {{0, "Plastic"}, {300, "31.00"}}}, {80, {{0, "Thanks"}}}}),
              pp_ocr({{0, {{0, "Plastic"}, {200, "15.50"}, {300, "31.00"}}},
                      {40, {{0, "Total"}, {300, "31.00"}}},
                      {80, {{0, "Thanks"}}}}));

    EXPECT_EQ(text_of(page), "Plastic 15.50 31.00\nTotal 31.00\nThanks");
    EXPECT_EQ(page.words.back().line, 2);
}

TEST(Fusion, a_stain_that_the_second_reader_is_unsure_of_is_no_word) {
    EXPECT_EQ(text_of(fused(tesseract({{0, {{0, "Total"}}}}), pp_ocr({{40, {{0, "l1i.;"}}}}, 0.4))),
              "Total");
}

TEST(Fusion, nothing_that_only_the_first_reader_saw_is_lost) {
    EXPECT_EQ(text_of(fused(tesseract({{0, {{0, "Kvitto"}}}, {40, {{0, "Summa"}}}}),
                            pp_ocr({{40, {{0, "Summa"}}}}))),
              "Kvitto\nSumma");
    EXPECT_EQ(to_json(fused(tesseract({{0, {{0, "Kvitto"}}}}), Page{})),
              to_json(tesseract({{0, {{0, "Kvitto"}}}})));
}

// Words anywhere, over each other, of any text: what a reader gives after number_lines.
Page random_page(std::mt19937& random) {
    const auto number = [&](int most) {
        return static_cast<int>(random() % (static_cast<unsigned>(most) + 1));
    };
    const std::vector<std::string> texts{"Total", "12.50", "1",      "ö",  "2018-01-05", "RM9.00SR",
                                         ".",     "SDN",   "1 2,00", "§§", "Straße",     ""};
    Page page{.number = number(3), .width = 600, .height = 800, .source = PageSource::Ocr};
    const int count = number(60);
    for (int i = 0; i < count; ++i) {
        page.words.push_back(
            {texts[static_cast<std::size_t>(number(static_cast<int>(texts.size()) - 1))],
             {static_cast<double>(number(500)), static_cast<double>(number(60)) * 10,
              static_cast<double>(number(90)), static_cast<double>(number(30))},
             number(100) / 100.0,
             0,
             static_cast<ReadBy>(number(4)),
             ""});
    }
    std::erase_if(page.words, [](const Word& word) { return word.text.empty(); });
    number_lines(page.words);
    return page;
}

TEST(Fusion, a_page_fused_with_itself_is_that_page) {
    for (unsigned seed = 1; seed <= 500; ++seed) {
        std::mt19937 random{seed};
        const Page page = random_page(random);
        ASSERT_EQ(to_json(fused(page, page)), to_json(page)) << "seed " << seed;
    }
}

TEST(Fusion, whatever_two_pages_say_lines_go_down_by_one_and_words_are_as_sure_as_words_can_be) {
    for (unsigned seed = 1; seed <= 500; ++seed) {
        std::mt19937 random{seed};
        const Page first = random_page(random);
        const Page page = fused(first, random_page(random));
        int line = page.words.empty() ? 0 : page.words.front().line;
        for (const Word& word : page.words) {
            ASSERT_TRUE(word.line == line || word.line == line + 1) << "seed " << seed;
            line = word.line;
            ASSERT_FALSE(word.text.empty());
            ASSERT_TRUE(word.confidence >= 0 && word.confidence <= 1);
        }
    }
}

TEST(Fusion, a_page_of_more_words_than_paper_has_is_given_back) {
    Page many = tesseract({{0, {{0, "a"}}}});
    many.words.resize(kFusedWordsMax + 1, many.words.front());
    EXPECT_EQ(fused(many, pp_ocr({{0, {{0, "b"}}}})).words.size(), kFusedWordsMax + 1);
}

}  // namespace
}  // namespace belay::media
