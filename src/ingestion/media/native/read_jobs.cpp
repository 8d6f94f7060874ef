// read_jobs.cpp — the jobs that read documents.
#include <algorithm>
#include <optional>

#include "ingestion/isolate/registry.hpp"
#include "ingestion/media/card_number.hpp"
#include "ingestion/media/native/image.hpp"
#include "ingestion/media/native/inputs.hpp"
#include "ingestion/media/native/jpeg_write.hpp"
#include "ingestion/media/native/png_write.hpp"
#include "ingestion/media/native/read_document.hpp"
#include "ingestion/media/native/register.hpp"
#include "ingestion/media/native/resize.hpp"
#include "ingestion/media/read_jobs.hpp"

namespace belay::media {
namespace {

using namespace native;

// One per helper: its models are loaded by the warm-up and come into every job by fork.
std::optional<OcrEngine> engine;

template <class F>
auto rejecting(F&& read) {
    try {
        return read();
    } catch (const ReadError& error) {
        throw isolate::Reject{std::string{reject_code(error.kind())}, error.what()};
    }
}

ReadPdf::Result read_pdf(const ReadPdf::Arguments& arguments, const isolate::Request& request) {
    return rejecting([&] {
        const PdfFile pdf{only_input(request),
                          {.pages_max = std::clamp(arguments.pages_max, 1, 10'000)}};
        ReadPdf::Result result;
        for (int number = 1; number <= pdf.page_count(); ++number) {
            ReadPdf::PageInfo info{.number = number};
            try {
                const PageSize size = pdf.size(number);
                info.width = size.width;
                info.height = size.height;
                if (arguments.with_text) {
                    Page text = readable_text(pdf, number);
                    info.readable = !text.words.empty();
                    if (info.readable) {
                        mask_card_numbers(text);
                        result.text.push_back(std::move(text));
                    }
                }
            } catch (const ReadError& error) {
                info.error = error.what();
            }
            result.pages.push_back(std::move(info));
        }
        return result;
    });
}

ReadPage::Result read_page(const ReadPage::Arguments& arguments, const isolate::Request& request) {
    return rejecting([&] {
        const std::string_view file = only_input(request);
        const ReadHints hints{.language = arguments.language, .rotation = arguments.rotation};
        ReadPage::Result result;
        if (looks_like_pdf(file)) {
            result.page =
                read_pdf_page(PdfFile{file, {.pages_max = 10'000}}, arguments.page, *engine, hints);
        } else {
            if (arguments.page != 1)
                throw ReadError{ReadErrorKind::NoSuchPage, "an image has one page"};
            const PixPtr picture = gray_pix(decode_for_reading(file));
            const Page first{.rotation = std::max(0, arguments.rotation),
                             .language = arguments.language};
            result.page = arguments.again ? read_image_again(*picture, first, *engine)
                                          : read_image(*picture, *engine, hints);
        }
        mask_card_numbers(result.page);
        return result;
    });
}

isolate::Reply<RenderPage> render_page(const RenderPage::Arguments& arguments,
                                       const isolate::Request& request) {
    return rejecting([&]() -> isolate::Reply<RenderPage> {
        const std::string_view file = only_input(request);
        const int side = std::clamp(arguments.side, 16, 4096);
        Image image;
        if (looks_like_pdf(file)) {
            const PdfFile pdf{file, {.pages_max = 10'000}};
            const PageSize size = pdf.size(arguments.page);
            image = colour_image(*pdf.draw_in_colour(
                arguments.page, side * 72.0 / std::max(size.width, size.height)));
        } else {
            if (arguments.page != 1)
                throw ReadError{ReadErrorKind::NoSuchPage, "an image has one page"};
            image = decode_image(file, {}, side);
        }
        // EXIF's names for quarter turns: 6 is 90 degrees clockwise, 3 is 180, 8 is 270.
        const int turns = (arguments.rotation / 90 % 4 + 4) % 4;
        image = oriented(fit_within(image, side), turns == 1   ? 6
                                                  : turns == 2 ? 3
                                                  : turns == 3 ? 8
                                                               : 1);
        if (arguments.png) return {{image.width, image.height, "image/png"}, {to_png(image)}};
        return {{image.width, image.height, "image/jpeg"},
                {to_jpeg(image, std::clamp(arguments.quality, 1, 100))}};
    });
}

void warm_up_ocr() {
    engine.emplace();
    engine->warm();
}

}  // namespace

void register_read_jobs(isolate::Registry& registry) {
    const auto fonts = fonts_of_pages();
    registry.add<ReadPdf>(read_pdf, {.readable = fonts});
    registry.add<ReadPage>(read_page, {.warm_up = warm_up_ocr, .readable = fonts});
    registry.add<RenderPage>(render_page, {.warm_up = warm_up_drawing, .readable = fonts});
}

}  // namespace belay::media
