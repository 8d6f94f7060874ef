// receipt_text_amount.cpp — the amounts of a receipt's line, also where the reader lost a point or a gap.
#include <algorithm>
#include <map>
#include <optional>

#include "ingestion/ai/rules/fold.hpp"
#include "ingestion/ai/rules/receipt_text_amount.hpp"

namespace belay::ai::rules {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A digit that was taken for a letter, in a place where only digits stand.
char digit_for(char c) {
    switch (c) {
        case 'O':
        case 'o':
        case 'Q':
        case 'D':
        case 'C':
            return '0';
        case 'l':
        case 'I':
        case '|':
        case 'i':
            return '1';
        case 'Z':
        case 'z':
            return '2';
        case 'S':
        case 's':
            return '5';
        case 'B':
            return '8';
        default:
            return c;
    }
}

// 13:56 is an hour, not an amount.
bool is_time(std::string_view text) {
    const std::size_t colon = text.find(':');
    return colon != std::string_view::npos && colon > 0 && colon + 2 < text.size() &&
           is_digit(text[colon - 1]) && is_digit(text[colon + 1]) && is_digit(text[colon + 2]);
}

struct Tail {
    std::size_t first = 0;
    std::string digits{};  // digits and separators, without spaces
    double sure = 1;
};

// The last words of a line that could be one amount printed with wide gaps: "RM 64 13", "RMO. 28".
std::optional<Tail> tail_of(const std::vector<media::Word>& words) {
    Tail tail;
    std::size_t first = words.size();
    while (first > 0 && words.size() - first < 4) {
        std::string word = words[first - 1].text;
        bool prefix = false;
        for (const std::string_view sign : {"RM", "EUR", "SEK", "kr", "$", "€", "£"}) {
            if (word.rfind(sign, 0) == 0) {
                word = word.substr(sign.size());
                prefix = true;
                break;
            }
        }
        std::string digits;
        bool fits = true;
        for (const char c : word) {
            const char as = digit_for(c);
            if (is_digit(as))
                digits += as;
            else if (c == '.' || c == ',' || c == '-' || c == ':')
                digits += '.';
            else
                fits = false;
        }
        // Letters alone are a word, not digits, unless they follow a currency.
        if (!fits || (!has_digit(words[first - 1].text) && !prefix && word.size() > 2)) break;
        if (first < words.size()) {
            const double gap = words[first].box.x - words[first - 1].box.right();
            if (gap > 2.2 * std::max(words[first].box.height, words[first - 1].box.height)) break;
        }
        tail.digits = digits + tail.digits;
        tail.sure = std::min(tail.sure, words[first - 1].confidence);
        --first;
        if (prefix) break;
    }
    if (first == words.size()) return std::nullopt;
    tail.first = first;
    return tail;
}

// "64.13", "6413", "64..13": the last two digits are cents.
std::optional<Decimal> with_cents(const std::string& digits) {
    std::string plain;
    for (const char c : digits) {
        if (is_digit(c)) plain += c;
    }
    if (plain.size() < 3 || plain.size() > 7) return std::nullopt;
    // A point anywhere else than before the cents says that this is something else.
    const std::size_t point = digits.find('.');
    const std::size_t behind =
        point == std::string::npos
            ? 2
            : static_cast<std::size_t>(std::count_if(
                  digits.begin() + static_cast<std::ptrdiff_t>(point), digits.end(), is_digit));
    if (behind != 2) return std::nullopt;
    return Decimal::parse(plain.substr(0, plain.size() - 2) + "." + plain.substr(plain.size() - 2));
}

}  // namespace

std::vector<LineAmount> amounts_of(const std::vector<media::Word>& words, NumberStyle style) {
    std::vector<LineAmount> out;
    for (const AmountAt& at : find_amounts(words, style)) {
        if (at.amount.confidence <= 0 || is_time(words[at.first].text)) continue;
        out.push_back({at.amount.value, at.amount.confidence, at.first, at.count,
                       at.amount.decimals, at.amount.percent, at.amount.currency, at.box});
        if (at.count > 1 && at.amount.value.scale() >= 3) {
            out.back().value = Decimal{at.amount.value.rescaled(3).units() / 10, 2};
            out.back().sure *= 0.3;
        }
        // Tills print two decimals; with one, a digit was lost or taken for something else.
        if (out.back().printed_decimals && at.amount.value.scale() == 1) out.back().sure *= 0.5;
        // "0,3586" beside two-decimal amounts: the code of the tax rate, read as digits.
        const std::string& text = words[at.first].text;
        const std::size_t point = text.find_last_of(".,");
        if (at.count == 1 && point != std::string::npos && text.size() - point >= 4 &&
            text.size() - point <= 5 && point > 0 &&
            (style.decimal == text[point] || text.size() - point == 5)) {
            if (at.amount.value.scale() >= 3)
                out.back().value = Decimal{at.amount.value.rescaled(4).units() / 100, 2};
            out.back().sure *= 0.6;
        }
    }
    return out;
}

std::optional<LineAmount> amount_without_point(const std::vector<media::Word>& words) {
    const auto tail = tail_of(words);
    if (!tail) return std::nullopt;
    const auto value = with_cents(tail->digits);
    if (!value) return std::nullopt;
    media::Box box = words[tail->first].box;
    for (std::size_t i = tail->first; i < words.size(); ++i) box = joined(box, words[i].box);
    return LineAmount{
        *value, 0.15 + 0.3 * tail->sure, tail->first, words.size() - tail->first, true, false, {},
        box};
}

namespace {

// Digits with what stands between them, and the capitals glued behind: "1,69C" is "1,69" and "C".
struct CodedWord {
    std::string number{}, code{};
};

CodedWord parted(const std::string& text) {
    const auto is_part = [](char c) { return is_digit(c) || c == '.' || c == ','; };
    const auto at = std::find_if_not(text.begin(), text.end(), is_part);
    CodedWord out{{text.begin(), at}, {at, text.end()}};
    const bool capitals =
        std::all_of(out.code.begin(), out.code.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
    if (out.number.empty() || !is_digit(out.number.front()) || out.code.size() > 2 || !capitals)
        return {};
    return out;
}

bool is_code(const std::string& text) {
    return !text.empty() && text.size() <= 2 &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

// What a line ends with: a number and, glued or apart, a code. `first` is the number's word.
struct CodedEnd {
    CodedWord word{};
    std::size_t first = 0, count = 1;
};

std::optional<CodedEnd> coded_end(const std::vector<media::Word>& words) {
    if (words.size() < 2) return std::nullopt;
    const std::size_t last = words.size() - 1;
    CodedEnd end{parted(words[last].text), last, 1};
    if (end.word.number.empty() && is_code(words[last].text) && last > 1)
        end = {{words[last - 1].text, words[last].text}, last - 1, 2};
    if (end.word.code.empty() || parted(end.word.number).number.empty()) return std::nullopt;
    return end;
}

}  // namespace

std::set<std::string> tax_codes(const std::vector<Line>& lines) {
    std::map<std::string, int> times;
    for (const Line& line : lines) {
        const auto end = coded_end(line.words);
        if (!end) continue;
        const std::size_t point = end->word.number.find_last_of(".,");
        if (point != std::string::npos && end->word.number.size() == point + 3)
            ++times[end->word.code];
    }
    std::set<std::string> codes;
    for (const auto& [code, count] : times) {
        if (count > 1) codes.insert(code);
    }
    return codes;
}

std::optional<LineAmount> amount_before_code(const std::vector<media::Word>& words,
                                             const std::set<std::string>& codes) {
    const auto end = coded_end(words);
    if (!end || !codes.contains(end->word.code)) return std::nullopt;
    const std::string& digits = end->word.number;
    if (digits.size() < 3 || digits.size() > 5 || digits.find_first_of(".,") != std::string::npos)
        return std::nullopt;
    const auto value = with_cents(digits);
    if (!value) return std::nullopt;
    media::Box box = words[end->first].box;
    if (end->count > 1) box = joined(box, words.back().box);
    return LineAmount{
        *value, 0.15 + 0.2 * words[end->first].confidence, end->first, end->count, true, false, {},
        box};
}

}  // namespace belay::ai::rules
