#include "media/native/read_document.hpp"

#include <cstddef>
#include <utility>

#include "media/language.hpp"
#include "media/native/image_prep.hpp"
#include "media/read_error.hpp"

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

PixPtr decoded(std::string_view bytes) {
    PixPtr image{pixReadMem(reinterpret_cast<const l_uint8*>(bytes.data()), bytes.size())};
    if (!image) throw ReadError{ReadErrorKind::Broken, "the image is broken, or of a kind that is not read here"};
    return image;
}

}  // namespace

std::vector<Page> read_document(std::string_view bytes, OcrEngine& ocr) {
    std::vector<Page> pages;
    if (!looks_like_pdf(bytes)) {
        pages.push_back(read_image(*decoded(bytes), ocr));
        return pages;
    }
    const PdfFile pdf{bytes};
    for (int number = 1; number <= pdf.page_count(); ++number) pages.push_back(read_pdf_page(pdf, number, ocr));
    return pages;
}

std::vector<Page> read_document_again(std::string_view bytes, OcrEngine& ocr) {
    if (looks_like_pdf(bytes)) return {};
    const PixPtr image = decoded(bytes);
    return {read_image_again(*image, read_image(*image, ocr), ocr)};
}

}  // namespace belay::media::native
