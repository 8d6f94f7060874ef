// page.hpp — what a page says and where: the value that every reader gives and every rule reads.
//
// A page comes from a PDF's text layer or from OCR; the rules that find a total or a due date cannot
// tell which, except by the confidence. Boxes are in the page's own units (PDF points, or pixels of a
// photo), from the top left; whoever draws them scales by the page's size.
#pragma once

#include <string>
#include <vector>

#include <boost/describe.hpp>

namespace belay::media {

struct Box {
    double x = 0, y = 0, width = 0, height = 0;
    double right() const { return x + width; }
    double bottom() const { return y + height; }
};
BOOST_DESCRIBE_STRUCT(Box, (), (x, y, width, height))

// Who says that a word is there, and what it is.
enum class ReadBy { Unsaid, TextLayer, Tesseract, PpOcr, Both };
BOOST_DESCRIBE_ENUM(ReadBy, Unsaid, TextLayer, Tesseract, PpOcr, Both)

struct Word {
    std::string text{};
    Box box{};
    double confidence = 1;  // 0 to 1; a text layer is sure of itself
    int line = 0;           // words of one printed line share a number; numbers go down the page
    ReadBy by = ReadBy::Unsaid;
    // What the reader that was not believed saw here, where the two differ about a digit; else empty.
    std::string other{};
};
BOOST_DESCRIBE_STRUCT(Word, (), (text, box, confidence, line, by, other))

enum class PageSource { TextLayer, Ocr };
BOOST_DESCRIBE_ENUM(PageSource, TextLayer, Ocr)

struct Page {
    int number = 1;
    double width = 0, height = 0;
    PageSource source = PageSource::TextLayer;
    int rotation =
        0;  // degrees clockwise by which the original was turned to be read: 0, 90, 180, 270
    double skew = 0;            // and a few more, around its middle, to make its lines level
    double confidence = 1;      // of the whole page: the mean over its words
    std::string language{};     // "swe", "deu", "eng"; empty if it was not decided
    std::vector<Word> words{};  // in reading order
};
BOOST_DESCRIBE_STRUCT(Page, (),
                      (number, width, height, source, rotation, skew, confidence, language, words))

}  // namespace belay::media
