// second_reader_test.cpp — lines of print found in a map, letters of a line made words, and the reader itself.
#include "ingestion/media/native/second_reader.hpp"

#include <filesystem>
#include <set>

#include <gtest/gtest.h>

#include "ingestion/media/native/image_prep.hpp"
#include "ingestion/media/native/pdf.hpp"

namespace belay::media::native {
namespace {

namespace fs = std::filesystem;

// A map with a core of a line: `slope` pixels down for every pixel to the right.
void draw_core(std::vector<float>& map, int width, int left, int right, double y, int height,
               double slope) {
    for (int x = left; x < right; ++x) {
        for (int row = 0; row < height; ++row) {
            const int at = static_cast<int>(y + slope * (x - left)) + row;
            map[static_cast<std::size_t>(at * width + x)] = 0.9F;
        }
    }
}

TEST(TextLines, a_core_is_a_line_that_grows_back_and_follows_its_slope) {
    std::vector<float> map(200 * 100, 0.0F);
    draw_core(map, 200, 20, 120, 30, 6, 0.1);

    const auto lines = lines_of_map(map, 200, 100);

    ASSERT_EQ(lines.size(), 1u);
    EXPECT_LT(lines[0].left, 20);
    EXPECT_GT(lines[0].right, 120);
    EXPECT_GT(lines[0].height, 10);
    EXPECT_NEAR(lines[0].middle_at(20), 33, 1.5);
    EXPECT_NEAR(lines[0].middle_at(120), 43, 1.5);
}

TEST(TextLines, specks_and_smears_are_no_lines) {
    std::vector<float> map(100 * 100, 0.0F);
    draw_core(map, 100, 10, 13, 10, 3, 0);                                    // a speck
    for (std::size_t i = 5000; i < 5400; ++i) map[i] = i % 2 ? 0.35F : 0.4F;  // a smear

    EXPECT_TRUE(lines_of_map(map, 100, 100).empty());
}

TEST(TextLines, a_line_is_cut_out_at_one_height_and_white_outside_the_picture) {
    const Gray black{50, 50, std::vector<std::uint8_t>(2500, 0)};
    const TextLine line{.left = 0, .right = 40, .height = 20, .centre = 20, .a = 50};

    double along = 0;
    const Tensor cut = cut_out(black, line, &along);

    EXPECT_EQ(cut.shape, (std::vector<std::int64_t>{1, 3, 48, 96}));
    EXPECT_NEAR(along, 2.4, 1e-9);
    EXPECT_FLOAT_EQ(cut.values[20], -1.0F);           // the upper half is on the picture
    EXPECT_FLOAT_EQ(cut.values[47 * 96 + 20], 1.0F);  // the lower is not
}

TEST(SecondReader, repeated_classes_are_one_letter_and_nothing_parts_two) {
    const std::vector<std::string> alphabet{"", "a", "b"};
    // a a nothing a b
    const std::vector<float> answer{0, .9F, 0, 0, .8F, 0, 1, 0, 0, 0, .7F, 0, 0, 0, .6F};

    std::string text;
    const auto letters = spelled(answer.data(), 5, 3, alphabet);
    for (const auto& letter : letters) text += letter.text;

    EXPECT_EQ(text, "aab");
    EXPECT_NEAR(letters[0].sure, 0.9, 1e-6);
    EXPECT_LT(letters[0].at, letters[1].at);
}

TEST(SecondReader,
     words_are_parted_at_spaces_and_at_wide_gaps_and_are_as_sure_as_their_worst_letter) {
    std::vector<SeenLetter> letters;
    double at = 0.01;
    for (const char* text : {"T", "o", "t", " ", "9", ".", "0"}) {
        letters.push_back({text, at, text[0] == '.' ? 0.4 : 0.9});
        at += 0.02;
    }
    letters.push_back({"0", at, 0.9});
    letters.push_back({"R", at + 0.4, 0.9});
    const TextLine line{.left = 100, .right = 600, .height = 20, .centre = 350, .a = 50};

    const auto words = words_of_line(letters, line);

    ASSERT_EQ(words.size(), 3u);
    EXPECT_EQ(words[0].text, "Tot");
    EXPECT_EQ(words[1].text, "9.00");
    EXPECT_NEAR(words[1].confidence, 0.4, 1e-9);
    EXPECT_EQ(words[2].text, "R");
    EXPECT_GE(words[0].box.x, 100);
    EXPECT_LT(words[0].box.right(), words[1].box.x + 5);
    EXPECT_EQ(words[2].by, ReadBy::PpOcr);
}

std::size_t entries(const char* folder) {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator{folder}, fs::directory_iterator{}));
}

class WithModels : public ::testing::Test {
protected:
    void SetUp() override {
        if (!fs::exists(fs::path{BELAY_READER_FOLDER} / "detect.onnx"))
            GTEST_SKIP() << "no second reader here; tools/setup models fetches it";
        ::setenv("BELAY_READER_FOLDER", BELAY_READER_FOLDER, 1);
    }
};

// What is loaded before the fork must leave nothing that a fork breaks or a job could use.
TEST_F(WithModels, loading_and_reading_leaves_no_thread_file_or_socket) {
    const auto files = find_reader();
    const std::size_t threads = entries("/proc/self/task"), open = entries("/proc/self/fd");
    const std::size_t here = entries(".");

    SecondReader reader{files};
    PixPtr white{pixCreate(300, 200, 8)};
    pixSetAll(white.get());
    reader.read(std::move(white), {}, 10);

    EXPECT_EQ(entries("/proc/self/task"), threads);
    EXPECT_EQ(entries("/proc/self/fd"), open);
    EXPECT_EQ(entries("."), here);
}

TEST_F(WithModels, reads_print_where_it_stands) {
    const std::string content =
        "BT /F 20 Tf 24 TL 30 250 Td (Plastic bags) Tj T* (Total 31.00) Tj ET";
    const std::string file =
        "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 "
        "R]/Count 1>>endobj\n3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 400 300]/Contents 4 0 R"
        "/Resources<</Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>endobj\n"
        "4 0 obj<</Length " +
        std::to_string(content.size()) + ">>stream\n" + content +
        "\nendstream endobj\ntrailer<</Root 1 0 R>>\n";
    const PixPtr picture = PdfFile{file}.draw(1, 144);
    SecondReader reader{find_reader()};

    const Page page = reader.read(to_gray(*picture), {.language = "eng", .pixels_per_unit = 2}, 10);

    std::string text;
    for (const Word& word : page.words) text += word.text + " ";
    EXPECT_EQ(text, "Plastic bags Total 31.00 ");
    ASSERT_EQ(page.words.size(), 4u);
    EXPECT_EQ(page.words[3].line, 1);
    EXPECT_NEAR(page.words[2].box.x, 30, 6);
    EXPECT_NEAR(page.words[2].box.y + page.words[2].box.height / 2, 300 - 250 + 24 - 7, 6);
    EXPECT_NEAR(page.width, 400, 1);
}

}  // namespace
}  // namespace belay::media::native
