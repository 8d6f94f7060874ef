#include "ingestion/ai/rules/receipt_text.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>
#include <string>

#include "ingestion/ai/rules/fold.hpp"
#include "ingestion/ai/rules/receipt_text_amount.hpp"

namespace belay::ai::rules {
namespace {

constexpr std::size_t kLinesMax = 1000;  // a receipt of ten metres

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// "12.60SR", "8,99E", "0,35.": the code of the tax rate or a mark, printed too close.
std::string without_tax_code(const std::string& text) {
    for (std::size_t point = text.find_last_of(".,"); point != std::string::npos && point > 0;
         point = text.find_last_of(".,", point - 1)) {
        const std::size_t end = point + 3;
        const bool amount = is_digit(text[point - 1]) && end < text.size() &&
                            is_digit(text[point + 1]) && is_digit(text[point + 2]);
        if (!amount) continue;
        const bool code =
            text.size() - end <= 4 &&
            std::none_of(text.begin() + static_cast<std::ptrdiff_t>(end), text.end(),
                         [](char c) { return is_digit(c) || c == '%' || c == '/' || c == '-'; });
        return code ? text.substr(0, end) : text;
    }
    return text;
}

bool ends_in_point(const std::string& text) {
    return text.size() >= 2 && (text.back() == '.' || text.back() == ',');
}

bool two_digits(const std::string& text) {
    return text.size() == 2 && is_digit(text[0]) && is_digit(text[1]);
}

// Words as they were meant to be parted: receipts are printed in wide letters, and a reader sees a space
// after the decimal point.
std::vector<media::Word> rejoined(const std::vector<media::Word>& words) {
    std::vector<media::Word> out;
    for (const media::Word& word : words) {
        media::Word next = word;
        next.text = without_tax_code(std::string{trim(word.text)});
        if (next.text.empty()) continue;
        if (!out.empty()) {
            media::Word& last = out.back();
            const double gap = next.box.x - last.box.right();
            const bool cents_behind = ends_in_point(last.text) && has_digit(last.text) &&
                                      next.text.size() >= 2 && next.text.size() <= 3 &&
                                      two_digits(next.text.substr(0, 2)) &&
                                      (next.text.size() == 2 || !is_digit(next.text[2]));
            const bool cents_in_front = (next.text.front() == '.' || next.text.front() == ',') &&
                                        next.text.size() == 3 && two_digits(next.text.substr(1)) &&
                                        is_digit(last.text.back());
            if ((cents_behind || cents_in_front) &&
                gap < 1.5 * std::max(last.box.height, next.box.height)) {
                last.text += cents_behind ? next.text.substr(0, 2) : next.text;
                last.box = joined(last.box, next.box);
                last.confidence = std::min(last.confidence, next.confidence);
                continue;
            }
        }
        out.push_back(std::move(next));
    }
    return out;
}

// Lines as the reader numbered them: it followed the print, while boxes of faint words are often wrong.
std::vector<Line> printed_lines(const std::vector<media::Page>& pages) {
    std::vector<Line> lines;
    for (const media::Page& page : pages) {
        int number = -1;
        for (const media::Word& word : page.words) {
            if (word.line != number || lines.empty()) {
                if (lines.size() >= kLinesMax) return lines;
                lines.push_back({page.number, word.box, {}});
                number = word.line;
            }
            lines.back().box = joined(lines.back().box, word.box);
            lines.back().words.push_back(word);
        }
    }
    return lines;
}

bool inside_amount(const std::vector<LineAmount>& amounts, std::size_t index) {
    return std::any_of(amounts.begin(), amounts.end(), [&](const LineAmount& amount) {
        return index >= amount.first && index < amount.first + amount.count;
    });
}

// What a line says without its numbers: the words of a label, run together.
std::string said_by(const Line& line, const std::vector<LineAmount>& amounts) {
    std::string said;
    std::size_t end_of_amount =
        line.words.size();  // what follows the last amount is the code of a tax rate
    for (const LineAmount& amount : amounts) {
        if (amount.printed_decimals) end_of_amount = amount.first + amount.count;
    }
    for (std::size_t i = 0; i < line.words.size(); ++i) {
        const std::string folded = fold_alnum(line.words[i].text);
        if (i >= end_of_amount && folded.size() <= 2) continue;
        const bool number = digit_count(folded) * 2 > folded.size();
        if (!number && !inside_amount(amounts, i))
            said += folded;
        else if (!number && has_letter(line.words[i].text))
            said += folded;
    }
    return said;
}

bool speaks_of_money(Role role) {
    return role != Role::None && role != Role::Count && role != Role::Table;
}

ReceiptLine told(Line line, NumberStyle style, const std::set<std::string>& codes) {
    ReceiptLine out;
    out.line = std::move(line);
    out.amounts = amounts_of(out.line.words, style);
    out.said = said_by(out.line, out.amounts);
    out.role = role_of(out.said);
    if (speaks_of_money(out.role) && !out.last()) {
        if (auto amount = amount_without_point(out.line.words))
            out.amounts.push_back(std::move(*amount));
    } else if (out.role == Role::None && !out.last()) {
        if (auto amount = amount_before_code(out.line.words, codes))
            out.amounts.push_back(std::move(*amount));
    }
    return out;
}

// "TOTAL SAVING: 0.00   TOTAL   6.85" is two lines side by side: cut where, behind an amount, words begin
// that speak of money themselves.
std::size_t second_label(const ReceiptLine& line) {
    const auto& words = line.line.words;
    for (std::size_t i = 2; i + 1 < words.size(); ++i) {
        if (!has_letter(words[i].text) || !has_digit(words[i - 1].text)) continue;
        Line rest;
        rest.words.assign(words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
        const Role role = role_of(said_by(rest, {}));
        const double gap = words[i].box.x - words[i - 1].box.right();
        const bool apart = gap > 1.2 * words[i].box.height;
        if (apart && (role == Role::Total || role == Role::GrandTotal || role == Role::Rounding))
            return i;
    }
    return 0;
}

Line part_of(const Line& line, std::size_t first, std::size_t count) {
    Line out{line.page, line.box_of(first, count), {}};
    out.words.assign(line.words.begin() + static_cast<std::ptrdiff_t>(first),
                     line.words.begin() + static_cast<std::ptrdiff_t>(first + count));
    return out;
}

}  // namespace

const LineAmount* ReceiptLine::last() const {
    const LineAmount* found = nullptr;
    for (const LineAmount& amount : amounts) {
        if (amount.printed_decimals && !amount.percent) found = &amount;
    }
    return found;
}

ReceiptText receipt_text(const std::vector<media::Page>& pages) {
    ReceiptText text;
    text.style = number_style(pages);
    std::vector<Line> lines = printed_lines(pages);
    text.height = text_height(lines);
    const std::set<std::string> codes = tax_codes(lines);
    for (Line& line : lines) {
        line.words = rejoined(line.words);
        if (line.words.empty()) continue;
        ReceiptLine whole = told(std::move(line), text.style, codes);
        if (const std::size_t cut = second_label(whole)) {
            const std::size_t count = whole.line.words.size();
            text.lines.push_back(told(part_of(whole.line, 0, cut), text.style, codes));
            text.lines.push_back(told(part_of(whole.line, cut, count - cut), text.style, codes));
        } else {
            text.lines.push_back(std::move(whole));
        }
    }
    return text;
}

}  // namespace belay::ai::rules
