#include "ingestion/media/native/read_document.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "ingestion/media/language.hpp"
#include "ingestion/media/native/image_prep.hpp"
#include "ingestion/media/native/resize.hpp"
#include "ingestion/media/read_error.hpp"

namespace belay::media::native {
namespace {

std::size_t letters(const Page& page) {
    std::size_t count = 0;
    for (const Word& word : page.words) {
        if (word.confidence > 0.5) count += word.text.size();
    }
    return count;
}

}  // namespace

bool looks_like_pdf(std::string_view bytes) {
    return bytes.substr(0, 1024).find("%PDF-") != std::string_view::npos;
}

Image decode_for_reading(std::string_view bytes) {
    constexpr ImageLimits kLimits{.pixels = 60'000'000};
    const ImageHeader header = read_image_header(bytes, kLimits);
    const double pixels = static_cast<double>(header.width) * header.height;
    if (pixels <= kPixelsMax) return decode_image(bytes, kLimits);
    const int side =
        static_cast<int>(std::max(header.width, header.height) * std::sqrt(kPixelsMax / pixels));
    return fit_within(decode_image(bytes, kLimits, side), side);
}

PixPtr gray_pix(const Image& image) {
    PixPtr pix{pixCreate(image.width, image.height, 8)};
    if (!pix)
        throw ReadError{ReadErrorKind::TooLarge, "there is not enough memory for the picture"};
    for (int y = 0; y < image.height; ++y) {
        const std::uint8_t* from = image.row(y);
        l_uint32* to =
            pixGetData(pix.get()) + static_cast<std::ptrdiff_t>(y) * pixGetWpl(pix.get());
        // The eye's weights, in 256ths.
        for (int x = 0; x < image.width; ++x, from += 3) {
            SET_DATA_BYTE(to, x, (from[0] * 77 + from[1] * 150 + from[2] * 29) >> 8);
        }
    }
    return pix;
}

Image colour_image(const Pix& drawn) {
    Image image{pixGetWidth(&drawn), pixGetHeight(&drawn)};
    for (int y = 0; y < image.height; ++y) {
        const l_uint32* from = pixGetData(const_cast<Pix*>(&drawn)) +
                               static_cast<std::ptrdiff_t>(y) * pixGetWpl(&drawn);
        std::uint8_t* to = image.row(y);
        for (int x = 0; x < image.width; ++x, to += 3) {
            l_int32 red = 0, green = 0, blue = 0;
            extractRGBValues(from[x], &red, &green, &blue);
            to[0] = static_cast<std::uint8_t>(red);
            to[1] = static_cast<std::uint8_t>(green);
            to[2] = static_cast<std::uint8_t>(blue);
        }
    }
    return image;
}

Page readable_text(const PdfFile& pdf, int number) {
    Page text = pdf.text_layer(number);
    if (judge(text) != TextLayer::Good) text.words.clear();
    text.language = guess_language(text.words);
    return text;
}

std::vector<std::string> fonts_of_pages() {
    return {"/etc/fonts",
            "/usr/share/fonts",
            "/usr/share/fontconfig",
            "/var/cache/fontconfig",
            "/usr/share/poppler",
            "/usr/share/ghostscript/fonts"};
}

void warm_up_drawing() {
    constexpr std::string_view kPage =
        "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
        "2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
        "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 72 72]/Contents 4 0 R"
        "/Resources<</Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>endobj\n"
        "4 0 obj<</Length 33>>stream\nBT /F 9 Tf 9 9 Td (Belay) Tj ET  \nendstream endobj\n"
        "trailer<</Root 1 0 R>>\n";
    PdfFile{kPage}.draw_in_colour(1, 72);
}

Page read_pdf_page(const PdfFile& pdf, int number, OcrEngine& ocr, const ReadHints& hints) {
    Page text = pdf.text_layer(number);
    const TextLayer worth = judge(text);
    if (worth == TextLayer::Good) {
        text.language = guess_language(text.words);
        return text;
    }
    double dpi = 0;
    const PixPtr picture = pdf.draw(number, reading_dpi(pdf.size(number)), &dpi);
    ReadHints in_points = hints;
    in_points.pixels_per_unit = dpi / 72;
    Page seen = ocr.read(*picture, in_points);
    seen.number = number;
    if (worth == TextLayer::Scarce && letters(text) >= letters(seen)) return text;
    return seen;
}

Page read_image(const Pix& image, OcrEngine& ocr, const ReadHints& hints) {
    ReadHints with_care = hints;
    with_care.careful = true;
    return ocr.read(image, with_care);
}

Page read_image_again(const Pix& image, const Page& first, OcrEngine& ocr) {
    return ocr.read_again(image, first, {.careful = true});
}

namespace {

PixPtr decoded(std::string_view bytes) { return gray_pix(decode_for_reading(bytes)); }

}  // namespace

Page read_page_second(std::string_view bytes, int number, SecondReader& reader, Lie lie) {
    constexpr double kSecondsMax = 20;  // of processor time; a sheet takes three
    Page page;
    if (looks_like_pdf(bytes)) {
        const PdfFile pdf{bytes, {.pages_max = 10'000}};
        double dpi = 0;
        const PixPtr picture = pdf.draw(number, reading_dpi(pdf.size(number)), &dpi);
        lie.pixels_per_unit = dpi / 72;
        page = reader.read(to_gray(*picture), lie, kSecondsMax);
    } else {
        if (number != 1) throw ReadError{ReadErrorKind::NoSuchPage, "an image has one page"};
        page = reader.read(decoded(bytes), lie, kSecondsMax);
    }
    page.number = number;
    return page;
}

std::vector<Page> read_document(std::string_view bytes, OcrEngine& ocr) {
    std::vector<Page> pages;
    if (!looks_like_pdf(bytes)) {
        pages.push_back(read_image(*decoded(bytes), ocr));
        return pages;
    }
    const PdfFile pdf{bytes};
    for (int number = 1; number <= pdf.page_count(); ++number)
        pages.push_back(read_pdf_page(pdf, number, ocr));
    return pages;
}

std::vector<Page> read_document_again(std::string_view bytes, OcrEngine& ocr) {
    if (looks_like_pdf(bytes)) return {};
    const PixPtr image = decoded(bytes);
    return {read_image_again(*image, read_image(*image, ocr), ocr)};
}

}  // namespace belay::media::native
