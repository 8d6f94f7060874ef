// read_document.hpp — a file's bytes to its pages: the text layer where it can be trusted, else OCR.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ingestion/media/native/image.hpp"
#include "ingestion/media/native/ocr.hpp"
#include "ingestion/media/native/pdf.hpp"
#include "ingestion/media/native/second_reader.hpp"
#include "ingestion/media/page.hpp"

namespace belay::media::native {

// Whether the bytes are a PDF; otherwise they are tried as an image.
bool looks_like_pdf(std::string_view bytes);

// A picture with no more pixels than are read: a larger one is made smaller while it is decoded. Throws
// isolate::Reject.
Image decode_for_reading(std::string_view bytes);

// A decoded picture for the reader, and one that was drawn for people.
PixPtr gray_pix(const Image& image);
Image colour_image(const Pix& drawn);

// A page's text layer, with its language; a page without words if the layer cannot be trusted.
Page readable_text(const PdfFile& pdf, int number);

// What poppler reads while it draws: fonts that a PDF names without bringing them, tables of characters.
std::vector<std::string> fonts_of_pages();

// Draws a small page with text, so that fonts and their tables are found before a job needs them.
void warm_up_drawing();

// One page of a PDF (numbers from 1). Its text layer when that is good; when it is scarce, whichever
// of text layer and OCR says more. Throws ReadError.
Page read_pdf_page(const PdfFile& pdf, int number, OcrEngine& ocr, const ReadHints& hints = {});

// A decoded image (a receipt, a photo of a page).
Page read_image(const Pix& image, OcrEngine& ocr, const ReadHints& hints = {});

// A second reading of an image whose first left doubt.
Page read_image_again(const Pix& image, const Page& first, OcrEngine& ocr);

// A page of a file as the second reader sees it; `lie` is what the first found out. Throws ReadError.
Page read_page_second(std::string_view bytes, int number, SecondReader& reader, Lie lie);

// Every page of a PDF, or an image's one page. For measuring; the workflows read page by page.
std::vector<Page> read_document(std::string_view bytes, OcrEngine& ocr);
// The second readings of an image; nothing for a PDF.
std::vector<Page> read_document_again(std::string_view bytes, OcrEngine& ocr);

}  // namespace belay::media::native
