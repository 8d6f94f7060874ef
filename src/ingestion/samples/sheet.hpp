// sheet.hpp — a page to be drawn: texts and lines at their places, in points from the top left.
//
// Samples are described once and then drawn (tools/samples, with Cairo) or turned into media::Page values
// for tests, which need no PDF and no OCR.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ingestion/media/page.hpp"

namespace belay::samples {

enum class Align { Left, Right, Center };

struct Text {
    double x = 0, y = 0;  // y is the baseline
    std::string text{};
    double size = 9;
    Align align = Align::Left;
    bool bold = false;
};

struct Stroke {
    double x1 = 0, y1 = 0, x2 = 0, y2 = 0;
};

struct Sheet {
    double width = 595, height = 842;  // A4
    std::vector<Text> texts{};
    std::vector<Stroke> strokes{};

    void put(double x, double y, std::string text, double size = 9, Align align = Align::Left,
             bool bold = false) {
        texts.push_back({x, y, std::move(text), size, align, bold});
    }
    void right(double x, double y, std::string text, double size = 9, bool bold = false) {
        texts.push_back({x, y, std::move(text), size, Align::Right, bold});
    }
    void rule(double x1, double y, double x2) { strokes.push_back({x1, y, x2, y}); }
};

// What a reader would make of the sheet's text layer: words with boxes, by the widths of a common
// sans-serif font.
media::Page page_of(const Sheet& sheet, int number = 1);
std::vector<media::Page> pages_of(const std::vector<Sheet>& sheets);

// A page typed as on a typewriter: every character is 5 points wide and every line 12 high; two or more spaces
// part columns. For tests that show a layout.
media::Page typed_page(std::string_view text, int number = 1);

// The width of `text` in that font.
double text_width(const std::string& text, double size);

}  // namespace belay::samples
