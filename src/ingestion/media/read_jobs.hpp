// read_jobs.hpp — the jobs of belay-media that read documents: what to ask, and what comes back.
//
// A file that cannot be read is JobFailed{Rejected} with one of the codes of `reject_code`, and a message
// for a person; the same bytes give the same answer, so nobody needs to try again. Card numbers are masked
// before a page leaves the sandbox.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <boost/describe.hpp>

#include "ingestion/media/page.hpp"
#include "ingestion/media/read_error.hpp"

namespace belay::media {

// "broken", "encrypted", "unsupported", "no_pages", "no_such_page", "too_many_pages", "too_large",
// "took_too_long", "unavailable".
std::string_view reject_code(ReadErrorKind kind);

// A PDF's pages: how many, how large, and what their text layers say. Input: the file.
struct ReadPdf {
    static constexpr std::string_view kName = "read_pdf";

    struct Arguments {
        int pages_max = 500;
        bool with_text = true;  // false: sizes only
    };
    struct PageInfo {
        int number = 1;
        double width = 0, height = 0;  // points
        bool readable =
            false;            // its text layer can be trusted: `text` has it, and OCR is not needed
        std::string error{};  // the page is broken: why; the others may be fine
    };
    struct Result {
        std::vector<PageInfo> pages{};
        std::vector<Page> text{};  // of the readable pages, in order
    };
};
BOOST_DESCRIBE_STRUCT(ReadPdf::Arguments, (), (pages_max, with_text))
BOOST_DESCRIBE_STRUCT(ReadPdf::PageInfo, (), (number, width, height, readable, error))
BOOST_DESCRIBE_STRUCT(ReadPdf::Result, (), (pages, text))

// One page of a PDF, or an image, as words: its text layer where that can be trusted, else by OCR.
// Input: the file.
struct ReadPage {
    static constexpr std::string_view kName = "read_page";

    struct Arguments {
        int page = 1;
        std::string language{};  // "eng", "swe", "deu" if known, say from page 1; empty: found out
        int rotation = -1;       // 0, 90, 180, 270 if known
        // A second opinion on an image, with other models of the same reader, where there is no second one: give
        // the first page's language and rotation.
        bool again = false;
    };
    struct Result {
        Page page{};
    };
};
BOOST_DESCRIBE_STRUCT(ReadPage::Arguments, (), (page, language, rotation, again))
BOOST_DESCRIBE_STRUCT(ReadPage::Result, (), (page))

// The same page once more, by the second reader (native/second_reader.hpp), to be made one with the first reading by
// `fused` (fusion.hpp). Input: the file. Rejected{unavailable} where its models are not installed.
struct ReadPageAgain {
    static constexpr std::string_view kName = "read_page_again";

    struct Arguments {
        int page = 1;
        // How the first reader found it to lie, and in which language.
        std::string language{};
        int rotation = 0;
        double skew = 0;
    };
    struct Result {
        Page page{};
    };
};
BOOST_DESCRIBE_STRUCT(ReadPageAgain::Arguments, (), (page, language, rotation, skew))
BOOST_DESCRIBE_STRUCT(ReadPageAgain::Result, (), (page))

// Of processor time for one page: a sheet at 300 dpi takes two, a hostile one stops here.
inline constexpr int kReadPageSeconds = 30;

// The picture of a page, for people. Input: a PDF or an image. Blob: the picture.
struct RenderPage {
    static constexpr std::string_view kName = "render_page";

    struct Arguments {
        int page = 1;
        int side = 1600;  // pixels of the longer side, 16 to 4096; 320 makes a thumbnail
        int quality = 80;
        int rotation = 0;  // turned clockwise, as the page that was read says
        bool png = false;  // each pixel as it is, instead of a JPEG
    };
    struct Result {
        int width = 0, height = 0;
        std::string content_type{};  // image/jpeg, image/png
    };
};
BOOST_DESCRIBE_STRUCT(RenderPage::Arguments, (), (page, side, quality, rotation, png))
BOOST_DESCRIBE_STRUCT(RenderPage::Result, (), (width, height, content_type))

}  // namespace belay::media
