#include "ingestion/media/card_number.hpp"

#include <cctype>

namespace belay::media {
namespace {

constexpr std::size_t kDigitsMin = 13;
constexpr std::size_t kDigitsMax = 19;
constexpr std::size_t kShown = 4;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Masks in place; spaces, dashes and dots may stand between groups of digits.
void mask(std::string& text) {
    for (std::size_t begin = 0; begin < text.size(); ++begin) {
        if (!is_digit(text[begin]) || (begin > 0 && is_digit(text[begin - 1]))) continue;
        std::string digits;
        std::vector<std::size_t> places;
        std::size_t longest = 0;  // how many digits of the run make a card number
        for (std::size_t i = begin; i < text.size() && digits.size() < kDigitsMax; ++i) {
            const char c = text[i];
            if (is_digit(c)) {
                digits += c;
                places.push_back(i);
                const bool whole = i + 1 == text.size() || !is_digit(text[i + 1]);
                if (whole && digits.size() >= kDigitsMin && passes_luhn(digits))
                    longest = digits.size();
            } else if (c != ' ' && c != '-' && c != '.') {
                break;
            } else if (i + 1 < text.size() && !is_digit(text[i + 1])) {
                break;  // one separator at a time
            }
        }
        for (std::size_t k = 0; k + kShown < longest; ++k) text[places[k]] = '*';
    }
}

}  // namespace

bool passes_luhn(std::string_view digits) {
    int sum = 0;
    bool twice = false;
    bool all_zero = true;
    for (std::size_t i = digits.size(); i-- > 0;) {
        if (!is_digit(digits[i])) return false;
        int value = digits[i] - '0';
        if (value != 0) all_zero = false;
        if (twice) value = value * 2 > 9 ? value * 2 - 9 : value * 2;
        sum += value;
        twice = !twice;
    }
    return !all_zero && !digits.empty() && sum % 10 == 0;
}

std::string mask_card_numbers(std::string_view text) {
    std::string out{text};
    mask(out);
    return out;
}

void mask_card_numbers(Page& page) {
    std::size_t begin = 0;
    while (begin < page.words.size()) {
        std::size_t end = begin;
        std::string line;
        while (end < page.words.size() && page.words[end].line == page.words[begin].line) {
            if (end > begin) line += ' ';
            line += page.words[end++].text;
        }
        const std::string before = line;
        mask(line);
        if (line != before) {
            std::size_t at = 0;
            for (std::size_t i = begin; i < end; ++i) {
                const std::size_t size = page.words[i].text.size();
                page.words[i].text = line.substr(at, size);
                at += size + 1;
            }
        }
        begin = end;
    }
}

}  // namespace belay::media
