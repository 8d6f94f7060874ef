#include "ingestion/media/native/pdf.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>
#include <poppler/cpp/poppler-document.h>
#include <poppler/cpp/poppler-embedded-file.h>
#include <poppler/cpp/poppler-global.h>
#include <poppler/cpp/poppler-image.h>
#include <poppler/cpp/poppler-page-renderer.h>
#include <poppler/cpp/poppler-page.h>

#include "core/base/utf8.hpp"
#include "ingestion/media/lines.hpp"
#include "ingestion/media/read_error.hpp"

namespace belay::media::native {
namespace {

constexpr std::size_t kWordsMax = 100'000;      // one page; a dense newspaper has 10,000
constexpr double kPagePointsMax = 20'000;       // the largest PDF page by the standard has 14,400
constexpr double kPagePointsMin = 3;            // a page no larger than a letter has no text
constexpr std::size_t kSignatureWithin = 1024;  // readers accept junk before %PDF-

void stay_quiet(const std::string&, void*) {}

std::string utf8(const poppler::ustring& text) {
    const poppler::byte_array bytes = text.to_utf8();
    return std::string{bytes.begin(), bytes.end()};
}

}  // namespace

struct PdfFile::Open {
    std::unique_ptr<poppler::document> document;
    PdfLimits limits;

    std::unique_ptr<poppler::page> page(int number) const {
        if (number < 1 || number > document->pages()) {
            throw ReadError{
                ReadErrorKind::NoSuchPage,
                fmt::format("there is no page {}: the document has {}", number, document->pages())};
        }
        std::unique_ptr<poppler::page> page{document->create_page(number - 1)};
        if (!page) throw ReadError{ReadErrorKind::Broken, fmt::format("page {} is broken", number)};
        return page;
    }
};

PdfFile::PdfFile(std::string_view bytes, PdfLimits limits) : open_(std::make_unique<Open>()) {
    poppler::set_debug_error_function(stay_quiet, nullptr);
    open_->limits = limits;
    if (bytes.substr(0, kSignatureWithin).find("%PDF-") == std::string_view::npos) {
        throw ReadError{ReadErrorKind::Broken, "this is not a PDF: it does not begin with %PDF-"};
    }
    if (bytes.size() > 0x7fffffff)
        throw ReadError{ReadErrorKind::TooLarge, "the PDF is larger than 2 GiB"};
    open_->document.reset(
        poppler::document::load_from_raw_data(bytes.data(), static_cast<int>(bytes.size())));
    if (!open_->document)
        throw ReadError{ReadErrorKind::Broken, "the PDF is broken: it has no readable structure"};
    if (open_->document->is_locked()) {
        throw ReadError{ReadErrorKind::Encrypted, "the PDF is encrypted and needs a password"};
    }
    const int pages = open_->document->pages();
    if (pages < 1) throw ReadError{ReadErrorKind::NoPages, "the PDF has no pages"};
    if (pages > limits.pages_max) {
        throw ReadError{
            ReadErrorKind::TooManyPages,
            fmt::format("the PDF has {} pages; at most {} are read", pages, limits.pages_max)};
    }
}

PdfFile::~PdfFile() = default;
PdfFile::PdfFile(PdfFile&&) noexcept = default;
PdfFile& PdfFile::operator=(PdfFile&&) noexcept = default;

int PdfFile::page_count() const { return open_->document->pages(); }

std::vector<PdfFile::Attachment> PdfFile::attachments(std::size_t most) const {
    std::vector<Attachment> out;
    if (!open_->document->has_embedded_files()) return out;
    const auto files = open_->document->embedded_files();
    for (std::size_t i = 0; i < files.size() && out.size() < most; ++i) {
        if (files[i] == nullptr || !files[i]->is_valid()) continue;
        out.push_back(
            {base::to_valid_utf8(files[i]->name()), base::to_valid_utf8(files[i]->mime_type()), i});
    }
    return out;
}

std::optional<std::string> PdfFile::bytes_of(const Attachment& attachment,
                                             std::size_t bytes_max) const {
    const auto files = open_->document->embedded_files();
    if (attachment.index >= files.size() || files[attachment.index] == nullptr) return std::nullopt;
    // What it says of its size is looked at first; one that lies meets the limits of the job.
    const int said = files[attachment.index]->size();
    if (said > 0 && static_cast<std::size_t>(said) > bytes_max) return std::nullopt;
    const poppler::byte_array bytes = files[attachment.index]->data();
    if (bytes.empty() || bytes.size() > bytes_max) return std::nullopt;
    return std::string{bytes.begin(), bytes.end()};
}

PageSize PdfFile::size(int number) const {
    const auto page = open_->page(number);
    const poppler::rectf box = page->page_rect(poppler::crop_box);
    PageSize size{std::fabs(box.width()), std::fabs(box.height())};
    const auto turn = page->orientation();
    if (turn == poppler::page::landscape || turn == poppler::page::seascape)
        std::swap(size.width, size.height);
    // Written so that a NaN fails it too.
    const bool sane = size.width >= kPagePointsMin && size.height >= kPagePointsMin &&
                      size.width <= kPagePointsMax && size.height <= kPagePointsMax;
    if (!sane) {
        throw ReadError{ReadErrorKind::TooLarge,
                        fmt::format("page {} has an impossible size: {:.0f} x {:.0f} points",
                                    number, size.width, size.height)};
    }
    return size;
}

Page PdfFile::text_layer(int number) const {
    const PageSize paper = size(number);
    Page page{.number = number,
              .width = paper.width,
              .height = paper.height,
              .source = PageSource::TextLayer};
    for (const poppler::text_box& box : open_->page(number)->text_list()) {
        const poppler::rectf at = box.bbox();
        const bool on_paper =
            at.x() < paper.width && at.y() < paper.height && at.right() > 0 && at.bottom() > 0;
        // What is printed along the edge (a form's number, a print code) is no part of any line.
        if (!on_paper || box.rotation() != 0) continue;
        std::string text = base::to_valid_utf8(utf8(box.text()));
        if (text.empty()) continue;
        page.words.push_back({.text = std::move(text),
                              .box = {at.x(), at.y(), at.width(), at.height()},
                              .by = ReadBy::TextLayer});
        if (page.words.size() >= kWordsMax) break;
    }
    number_lines(page.words);
    return page;
}

namespace {

poppler::image draw_with(const poppler::page& page, poppler::image::format_enum format, double dpi,
                         int number) {
    poppler::page_renderer renderer;
    renderer.set_image_format(format);
    renderer.set_render_hints(poppler::page_renderer::antialiasing |
                              poppler::page_renderer::text_antialiasing);
    poppler::image image = renderer.render_page(&page, dpi, dpi);
    if (!image.is_valid())
        throw ReadError{ReadErrorKind::Broken, fmt::format("page {} cannot be drawn", number)};
    return image;
}

double allowed_dpi(PageSize paper, double dpi, double pixels_max) {
    const double inches = paper.width / 72 * (paper.height / 72);
    return std::min(dpi, std::sqrt(pixels_max / std::max(inches, 1e-6)));
}

PixPtr new_pix(const poppler::image& image, int depth) {
    PixPtr pix{pixCreate(image.width(), image.height(), depth)};
    if (!pix)
        throw ReadError{ReadErrorKind::TooLarge,
                        "there is not enough memory for the page's picture"};
    return pix;
}

}  // namespace

PixPtr PdfFile::draw(int number, double dpi, double* dpi_used) const {
    const double used = allowed_dpi(size(number), dpi, open_->limits.pixels_max);
    if (dpi_used) *dpi_used = used;
    const poppler::image image =
        draw_with(*open_->page(number), poppler::image::format_gray8, used, number);
    PixPtr pix = new_pix(image, 8);
    for (int y = 0; y < image.height(); ++y) {
        const auto* from = reinterpret_cast<const unsigned char*>(image.const_data()) +
                           static_cast<std::ptrdiff_t>(y) * image.bytes_per_row();
        l_uint32* to =
            pixGetData(pix.get()) + static_cast<std::ptrdiff_t>(y) * pixGetWpl(pix.get());
        for (int x = 0; x < image.width(); ++x) SET_DATA_BYTE(to, x, from[x]);
    }
    pixSetResolution(pix.get(), static_cast<l_int32>(used), static_cast<l_int32>(used));
    return pix;
}

PixPtr PdfFile::draw_in_colour(int number, double dpi) const {
    const double used = allowed_dpi(size(number), dpi, open_->limits.pixels_max);
    const poppler::image image =
        draw_with(*open_->page(number), poppler::image::format_rgb24, used, number);
    PixPtr pix = new_pix(image, 32);
    for (int y = 0; y < image.height(); ++y) {
        const auto* from = reinterpret_cast<const unsigned char*>(image.const_data()) +
                           static_cast<std::ptrdiff_t>(y) * image.bytes_per_row();
        l_uint32* to =
            pixGetData(pix.get()) + static_cast<std::ptrdiff_t>(y) * pixGetWpl(pix.get());
        for (int x = 0; x < image.width(); ++x) {
            composeRGBPixel(from[x * 3], from[x * 3 + 1], from[x * 3 + 2], to + x);
        }
    }
    return pix;
}

double reading_dpi(PageSize size) {
    const double longest = std::max(size.width, size.height) / 72;  // inches
    // A photo put into a PDF pixel for point makes a page of two metres: its letters are as many
    // points high as they are pixels, and 300 dpi would only make it blurred and slow.
    if (longest > 24) return std::max(72.0, 300 * 24 / longest / 2);
    if (longest < 5) return 400;
    return 300;
}

}  // namespace belay::media::native
