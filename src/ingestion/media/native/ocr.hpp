// ocr.hpp — reading a picture of text with Tesseract.
//
// One engine belongs to one process and one thread: Tesseract keeps global state, and its own threads
// cost more than they give when every core already reads a page (OMP_THREAD_LIMIT=1 is set by whoever
// starts the process). Models are loaded when first needed, or by `warm` before a zygote forks.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ingestion/media/native/pix.hpp"
#include "ingestion/media/page.hpp"

namespace belay::media::native {

struct OcrSetup {
    std::string
        data_folder{};  // of the *.traineddata; empty: TESSDATA_PREFIX, else Debian's folder
    // Of larger models that read better and take half as long again; empty: BELAY_OCR_MODELS, else where
    // tools/setup-models and `make install` put them. A language without one is read with the ordinary.
    std::string careful_folder{};
    // Languages that pages may be in; the first reads a page of which nothing is known.
    std::vector<std::string> languages{"eng", "swe", "deu"};
    double pixels_max = kPixelsMax;  // an image is never enlarged beyond this
    int seconds_max = 25;            // of processor time for one page; a sheet takes two
};

// How the words are spread over the page, which decides how lines are looked for.
enum class Spread {
    Block,   // rows from edge to edge: receipts, tables, forms
    Sparse,  // islands of words
};

struct ReadHints {
    std::string language{};  // known from another page of the document; empty: found out
    int rotation = -1;       // 0, 90, 180, 270 clockwise; -1: found out
    bool careful = false;    // with the larger models: receipts, of which every digit counts
    Spread spread = Spread::Block;
    // Pixels per page unit: boxes are divided by it (a PDF page drawn at 300 dpi has 300/72).
    double pixels_per_unit = 1;
};

class OcrEngine {
public:
    explicit OcrEngine(OcrSetup setup = {});
    ~OcrEngine();
    OcrEngine(const OcrEngine&) = delete;
    OcrEngine& operator=(const OcrEngine&) = delete;

    // Loads every model now. Throws ReadError{Unavailable} naming what is missing.
    void warm();

    // Reads an image: turned upright, levelled, lit evenly and scaled first, as far as it needs it.
    // Boxes are in units of the upright, level page; the page's `rotation` and `skew` say how the
    // original was turned. Throws ReadError.
    Page read(const Pix& image, const ReadHints& hints = {});

    // Reads an image once more with the other models and its own light, for a second opinion on what
    // the first reading left in doubt; `first` says how the page lies and in which language.
    Page read_again(const Pix& image, const Page& first, const ReadHints& hints = {});

private:
    struct Models;
    OcrSetup setup_;
    std::unique_ptr<Models> models_;
};

}  // namespace belay::media::native
