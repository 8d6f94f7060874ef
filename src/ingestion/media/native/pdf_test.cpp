// pdf_test.cpp — PDFs typed by hand: what they say, what they look like, and how the bad ones are named.
#include "ingestion/media/native/pdf.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "ingestion/media/native/image_prep.hpp"
#include "ingestion/media/native/ocr.hpp"
#include "ingestion/media/native/read_document.hpp"
#include "ingestion/media/read_error.hpp"

namespace belay::media::native {
namespace {

// One page of 400 x 300 points (or as told) with these drawing commands.
std::string pdf_with(const std::string& content, const std::string& box = "0 0 400 300") {
    return fmt::format(
        "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 "
        "R]/Count 1>>endobj\n"
        "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[{}]/Contents 4 0 R"
        "/Resources<</Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>endobj\n"
        "4 0 obj<</Length {}>>stream\n{}\nendstream endobj\ntrailer<</Root 1 0 R>>\n",
        box, content.size(), content);
}

std::string lines(std::initializer_list<const char*> texts) {
    std::string content = "BT /F 20 Tf 24 TL 30 250 Td ";
    for (const char* text : texts) content += fmt::format("({}) Tj T* ", text);
    return content + "ET";
}

const std::string kLetter =
    pdf_with(lines({"Invoice number 4711 from Green Valley", "Please pay the total of 1250.50",
                    "within thirty days to our bank account"}));

ReadErrorKind refusal(const std::string& bytes) {
    try {
        PdfFile{bytes}.size(1);
    } catch (const ReadError& error) {
        return error.kind();
    }
    ADD_FAILURE() << "was accepted";
    return ReadErrorKind::Unavailable;
}

TEST(Pdf, the_text_layer_has_words_where_they_stand) {
    const PdfFile pdf{kLetter};

    const Page page = pdf.text_layer(1);

    EXPECT_EQ(pdf.page_count(), 1);
    EXPECT_EQ(judge(page), TextLayer::Good);
    ASSERT_GE(page.words.size(), 3u);
    EXPECT_EQ(page.words[0].text, "Invoice");
    EXPECT_NEAR(page.words[0].box.x, 30, 3);
    EXPECT_GT(page.words.back().line, page.words.front().line);
}

TEST(Pdf, a_page_without_text_says_so_and_a_few_words_are_scarce) {
    EXPECT_EQ(judge(PdfFile{pdf_with("")}.text_layer(1)), TextLayer::None);
    EXPECT_EQ(judge(PdfFile{pdf_with(lines({"Page 1"}))}.text_layer(1)), TextLayer::Scarce);
}

TEST(Pdf, what_is_no_pdf_or_has_no_such_page_is_named) {
    EXPECT_EQ(refusal("GIF89a"), ReadErrorKind::Broken);
    EXPECT_EQ(refusal("%PDF-1.4\nnothing"), ReadErrorKind::Broken);
    EXPECT_EQ(refusal(pdf_with("", "0 0 90000 90000")), ReadErrorKind::TooLarge);
    EXPECT_THROW(PdfFile{kLetter}.size(2), ReadError);
}

TEST(Pdf, a_page_is_drawn_within_the_limit_of_pixels) {
    const PdfFile pdf{kLetter, {.pixels_max = 10'000}};
    double dpi = 0;

    const PixPtr picture = pdf.draw(1, 300, &dpi);

    EXPECT_LE(pixGetWidth(picture.get()) * pixGetHeight(picture.get()), 10'500);
    EXPECT_LT(dpi, 300);
}

TEST(Ocr, a_drawn_page_is_read_and_stands_where_its_text_layer_does) {
    const PdfFile pdf{kLetter};
    double dpi = 0;
    const PixPtr picture = pdf.draw(1, 200, &dpi);
    OcrEngine ocr;

    const Page page = ocr.read(*picture, {.pixels_per_unit = dpi / 72});

    ASSERT_FALSE(page.words.empty());
    EXPECT_EQ(page.source, PageSource::Ocr);
    EXPECT_EQ(page.words[0].text, "Invoice");
    EXPECT_NEAR(page.words[0].box.x, pdf.text_layer(1).words[0].box.x, 4);
    EXPECT_GT(page.confidence, 0.7);
}

TEST(Ocr, a_page_that_lies_upside_down_is_turned) {
    const PixPtr picture = PdfFile{kLetter}.draw(1, 200);
    const PixPtr over = turned(*picture, 2);
    OcrEngine ocr;

    const Page page = ocr.read(*over);

    EXPECT_EQ(page.rotation, 180);
    ASSERT_FALSE(page.words.empty());
    EXPECT_EQ(page.words[0].text, "Invoice");
}

TEST(Ocr, a_blank_page_has_no_words) {
    OcrEngine ocr;
    EXPECT_TRUE(ocr.read(*PdfFile{pdf_with("")}.draw(1, 100)).words.empty());
}

TEST(Ocr, a_missing_language_is_named) {
    OcrEngine ocr{{.languages = {"xxx"}}};
    EXPECT_THROW(ocr.warm(), ReadError);
}

}  // namespace
}  // namespace belay::media::native
