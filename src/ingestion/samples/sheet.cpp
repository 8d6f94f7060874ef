// sheet.cpp — words and their boxes from the texts of a sheet.
#include "ingestion/samples/sheet.hpp"

#include <algorithm>
#include <string_view>

#include "core/base/utf8.hpp"

namespace belay::samples {
namespace {

// In thousandths of the size, roughly those of Helvetica.
int char_width(unsigned char c) {
    if (c >= '0' && c <= '9') return 556;
    if (std::string_view{"ijlI.,:;'|!"}.find(static_cast<char>(c)) != std::string_view::npos)
        return 250;
    if (std::string_view{"frt()-/ "}.find(static_cast<char>(c)) != std::string_view::npos)
        return 310;
    if (c == 'm' || c == 'M' || c == 'W' || c == 'w' || c == '%' || c == '@') return 833;
    if (c >= 'A' && c <= 'Z') return 690;
    return 540;
}

}  // namespace

double text_width(const std::string& text, double size) {
    double width = 0;
    for (std::size_t i = 0; i < text.size();) {
        const auto length =
            std::max<std::size_t>(1, base::utf8_sequence(std::string_view{text}.substr(i)));
        width += length == 1 ? char_width(static_cast<unsigned char>(text[i])) : 600;
        i += length;
    }
    return width * size / 1000;
}

media::Page page_of(const Sheet& sheet, int number) {
    media::Page page;
    page.number = number;
    page.width = sheet.width;
    page.height = sheet.height;
    int line = 0;
    for (const auto& text : sheet.texts) {
        const auto width = text_width(text.text, text.size);
        double x = text.x;
        if (text.align == Align::Right) x -= width;
        if (text.align == Align::Center) x -= width / 2;
        std::size_t from = 0;
        while (from < text.text.size()) {
            const auto start = text.text.find_first_not_of(' ', from);
            if (start == std::string::npos) break;
            const auto end = std::min(text.text.find(' ', start), text.text.size());
            const auto word = text.text.substr(start, end - start);
            const auto at = x + text_width(text.text.substr(0, start), text.size);
            page.words.push_back(
                {word,
                 {at, text.y - 0.8 * text.size, text_width(word, text.size), 1.05 * text.size},
                 1,
                 line});
            from = end;
        }
        ++line;
    }
    return page;
}

media::Page typed_page(std::string_view text, int number) {
    media::Page page;
    page.number = number;
    page.width = 612;
    page.height = 792;
    int line = 0;
    double column = 0;
    bool in_word = false;
    for (std::size_t i = 0; i < text.size();) {
        const auto length = std::max<std::size_t>(1, base::utf8_sequence(text.substr(i)));
        const auto letter = text.substr(i, length);
        i += length;
        if (letter == "\n" || letter == " ") {
            in_word = false;
            if (letter == "\n") {
                ++line;
                column = -1;
            }
        } else if (in_word) {
            page.words.back().text += letter;
            page.words.back().box.width += 5;
        } else {
            page.words.push_back(
                {std::string{letter}, {30 + 5 * column, 30 + 12.0 * line, 5, 10}, 1, line});
            in_word = true;
        }
        column += 1;
    }
    return page;
}

std::vector<media::Page> pages_of(const std::vector<Sheet>& sheets) {
    std::vector<media::Page> pages;
    for (const auto& sheet : sheets)
        pages.push_back(page_of(sheet, static_cast<int>(pages.size()) + 1));
    return pages;
}

}  // namespace belay::samples
