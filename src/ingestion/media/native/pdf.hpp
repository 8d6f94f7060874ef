// pdf.hpp — a PDF's pages: how many, how large, what their text layer says, and what they look like; and its attachments.
//
// Runs only inside the sandbox (belay-media): poppler meets hostile bytes here. Nothing is written to
// disk. A page is measured before it is drawn, so that a page of a square kilometre costs nothing.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ingestion/media/native/pix.hpp"
#include "ingestion/media/page.hpp"

namespace belay::media::native {

struct PdfLimits {
    int pages_max = 500;
    double pixels_max = kPixelsMax;
};

struct PageSize {
    double width = 0, height = 0;  // points (1/72 inch), as the page is shown
};

// How far a text layer can be trusted to be what a reader would see.
enum class TextLayer {
    None,      // no text
    Nonsense,  // characters without meaning: a font without its table
    Scarce,    // a few words: perhaps a page number on a scan
    Good,
};

class PdfFile {
public:
    // Opens a document; `bytes` must outlive it. Throws ReadError: Broken, Encrypted, NoPages, TooManyPages.
    explicit PdfFile(std::string_view bytes, PdfLimits limits = {});
    ~PdfFile();
    PdfFile(PdfFile&&) noexcept;
    PdfFile& operator=(PdfFile&&) noexcept;

    int page_count() const;

    // The files that it carries, without their bytes; at most `most`. An attachment is for the life of this document.
    struct Attachment {
        std::string name{}, content_type{};
        std::size_t index = 0;
    };
    std::vector<Attachment> attachments(std::size_t most) const;
    // The bytes of one; nothing if it says that it has more than `bytes_max`, or has none.
    std::optional<std::string> bytes_of(const Attachment& attachment, std::size_t bytes_max) const;

    // `number` counts from 1. Throws ReadError: NoSuchPage, Broken, TooLarge (no sensible size).
    PageSize size(int number) const;

    // The page's words with their boxes, whatever they are worth; see `judge`.
    Page text_layer(int number) const;

    // The page in grey at `dpi`, or at fewer when it would have more pixels than the limit.
    // `dpi_used`, if given, says at how many it was drawn. Throws ReadError as `size`, and Broken.
    PixPtr draw(int number, double dpi, double* dpi_used = nullptr) const;
    // The same in colour, for people.
    PixPtr draw_in_colour(int number, double dpi) const;

private:
    struct Open;
    std::unique_ptr<Open> open_;
};

// Whether a page's text layer is enough to leave its picture alone.
TextLayer judge(const Page& text_layer);

// Dots per inch that make a page's letters readable: 300 for a sheet of paper, more for a small slip,
// fewer for a poster. What a scanner's own page size says is believed within reason.
double reading_dpi(PageSize size);

}  // namespace belay::media::native
