// amount.cpp — one number: sign, currency, groups, decimals, and what OCR may have done to them.
#include "ingestion/ai/rules/amount.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "ingestion/ai/rules/currency.hpp"
#include "ingestion/ai/rules/fold.hpp"

namespace belay::ai::rules {
namespace {

// No amount on paper is longer; a longer text costs nothing.
constexpr std::size_t kAmountCharsMax = 40;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A number's outside: what stands around its digits.
struct Bare {
    std::string digits{};  // digits and separators
    std::string currency{};
    bool negative = false, signed_ = false, percent = false;
    double confidence = 1;
};

// ASCII with plain minus and spaces; currency signs stay as they are.
std::string plain(std::string_view text) {
    std::string out{text};
    const auto replace = [&](std::string_view from, std::string_view to) {
        for (std::size_t at; (at = out.find(from)) != std::string::npos;) {
            out.replace(at, from.size(), to);
        }
    };
    for (const auto* minus : {"\u2212", "\u2013", "\u2014", "\u2010", "\u2011"})
        replace(minus, "-");
    for (const auto* space : {"\u00A0", "\u202F", "\u2009", "\u2007"}) replace(space, " ");
    for (const auto* quote : {"\u2019", "\u2018", "\u00B4"}) replace(quote, "'");
    return out;
}

// Takes `word` off the front or back of `text` if a currency stands there.
void take_currency(std::string& text, Bare& bare) {
    const auto is_inner = [](char c) {
        return is_digit(c) || c == '-' || c == '+' || c == '(' || c == ' ';
    };
    std::size_t front = 0;
    while (front < text.size() && !is_inner(text[front])) ++front;
    if (front > 0 && front < text.size()) {
        const auto found = currency_word(std::string_view{text}.substr(0, front));
        if (!found.empty()) {
            bare.currency = found;
            text.erase(0, front);
            text = std::string{trim(text)};
        }
    }
    const auto is_tail = [](char c) {
        return is_digit(c) || c == '-' || c == ')' || c == ' ' || c == ',' || c == '.' || c == '%';
    };
    std::size_t back = text.size();
    while (back > 0 && !is_tail(text[back - 1])) --back;
    // "kr." and "Rs." keep their point to themselves.
    if (back == text.size() && text.ends_with('.')) {
        auto letters = text.size() - 1;
        while (letters > 0 && !is_tail(text[letters - 1])) --letters;
        if (letters < text.size() - 1) back = letters;
    }
    if (back > 0 && back < text.size()) {
        const auto found = currency_word(std::string_view{text}.substr(back));
        if (!found.empty()) {
            bare.currency = found;
            text.erase(back);
            text = std::string{trim(text)};
        }
    }
}

void take_sign(std::string& text, Bare& bare) {
    if (text.size() > 2 && text.front() == '(' && text.back() == ')') {
        text = std::string{trim(std::string_view{text}.substr(1, text.size() - 2))};
        bare.negative = bare.signed_ = true;
    }
    if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
        bare.negative = bare.negative || text.front() == '-';
        bare.signed_ = true;
        text = std::string{trim(std::string_view{text}.substr(1))};
    }
    // "12,-" and "12:-" are whole kronor; "12.00-" is a minus.
    for (const auto* whole : {",--", ".--", ",-", ".-", ":-", ":--"}) {
        if (text.size() > 2 && text.ends_with(whole)) {
            text.erase(text.size() - std::string_view{whole}.size());
            text += ",00";
            return;
        }
    }
    if (text.size() > 1 && text.back() == '-') {
        text = std::string{trim(std::string_view{text}.substr(0, text.size() - 1))};
        bare.negative = bare.signed_ = true;
    }
    const auto folded = fold(text);
    if (folded.size() > 2 && (folded.ends_with("cr") || folded.ends_with("dr"))) {
        bare.negative = bare.negative || folded.ends_with("cr");
        bare.signed_ = true;
        text = std::string{trim(std::string_view{text}.substr(0, text.size() - 2))};
    }
}

Bare undress(std::string_view text) {
    Bare bare;
    auto rest = std::string{trim(plain(text))};
    take_sign(rest, bare);
    if (rest.ends_with('%')) {
        bare.percent = true;
        rest.pop_back();
        rest = std::string{trim(rest)};
    }
    take_currency(rest, bare);
    take_sign(rest, bare);  // "€ -12.00", "(EUR 12)"
    take_currency(rest, bare);
    bare.digits = rest;
    return bare;
}

// Letters that OCR sees in place of digits. Returns how many there were, or -1 if another character
// that is neither digit nor separator is there.
int mend_digits(std::string& text) {
    static const std::map<char, char> kMistaken{{'O', '0'}, {'o', '0'}, {'Q', '0'}, {'D', '0'},
                                                {'l', '1'}, {'I', '1'}, {'|', '1'}, {'i', '1'},
                                                {'S', '5'}, {'s', '5'}, {'B', '8'}, {'Z', '2'},
                                                {'z', '2'}, {'G', '6'}, {'b', '6'}, {'g', '9'}};
    int mended = 0;
    for (auto& c : text) {
        if (is_digit(c) || c == '.' || c == ',' || c == ' ' || c == '\'' || c == ':') continue;
        const auto found = kMistaken.find(c);
        if (found == kMistaken.end()) return -1;
        c = found->second;
        ++mended;
    }
    return mended;
}

// The pieces between separators, and the separators.
struct Pieces {
    std::vector<std::string> digits{};
    std::string signs{};
};

std::optional<Pieces> split(std::string_view text) {
    Pieces pieces{{""}, ""};
    for (const char c : text) {
        if (is_digit(c)) {
            pieces.digits.back() += c;
        } else if (c == '.' || c == ',' || c == ' ' || c == '\'' || c == ':') {
            if (pieces.digits.back().empty()) {
                // ", " in "12, 50": the space says nothing.
                if (pieces.signs.empty() || c != ' ') return std::nullopt;
                continue;
            }
            // " ," in "12 ,50" likewise.
            pieces.signs += c;
            pieces.digits.emplace_back();
        } else {
            return std::nullopt;
        }
    }
    if (pieces.digits.back().empty()) return std::nullopt;
    return pieces;
}

// Whether pieces [from, to) after the first are groups of three, all parted by one sign.
bool are_groups(const Pieces& pieces, std::size_t to) {
    if (to <= 1) return true;
    if (pieces.digits[0].size() > 3) return false;
    for (std::size_t i = 1; i < to; ++i) {
        if (pieces.digits[i].size() != 3 || pieces.signs[i - 1] != pieces.signs[0]) return false;
    }
    return pieces.signs[0] != ':';
}

std::optional<Decimal> joined(const Pieces& pieces, std::size_t whole) {
    std::string text;
    for (std::size_t i = 0; i < whole; ++i) text += pieces.digits[i];
    if (whole < pieces.digits.size()) {
        text += '.';
        for (std::size_t i = whole; i < pieces.digits.size(); ++i) text += pieces.digits[i];
    }
    return Decimal::parse(text);
}

struct Reading {
    Decimal value{};
    bool decimals = false;
    double confidence = 0;
};

void add(std::vector<Reading>& readings, std::optional<Decimal> value, bool decimals, double sure) {
    if (value) readings.push_back({*value, decimals, sure});
}

// Readings of digits and separators alone.
std::vector<Reading> read_pieces(const Pieces& pieces, NumberStyle style) {
    std::vector<Reading> readings;
    const auto count = pieces.digits.size();
    if (count == 1) {
        add(readings, joined(pieces, 1), false, 0.9);
        return readings;
    }
    const char last = pieces.signs.back();
    const auto tail = pieces.digits.back().size();
    const bool mixed = std::any_of(pieces.signs.begin(), pieces.signs.end() - 1,
                                   [&](char c) { return c == last; }) == false;
    // As decimals: the last sign is the only one of its kind, and the rest are groups of three.
    if (last != ' ' && last != '\'' && mixed) {
        double sure = 1;
        if (last == ':') sure = tail == 2 ? 0.55 : 0;
        if (style.decimal != 0 && last != ':' && style.decimal != last) sure *= 0.6;
        if (tail == 3) sure *= style.decimal == last || pieces.digits[0] == "0" ? 0.9 : 0.45;
        if (tail == 1 || tail > 3) sure *= 0.85;
        if (count > 2 && tail == 3 && style.decimal != last) sure *= 0.5;
        if (sure > 0 && are_groups(pieces, count - 1)) {
            add(readings, joined(pieces, count - 1), true, sure);
        } else if (sure > 0 && tail == 2 && pieces.signs.find(' ') != std::string::npos &&
                   std::count(pieces.signs.begin(), pieces.signs.end(), ' ') ==
                       static_cast<std::ptrdiff_t>(count) - 2) {
            add(readings, joined(pieces, count - 1), true,
                sure * 0.4);  // a space inside the number
        }
    }
    // "1,331,59": OCR made the point of the thousands a comma.
    if (!mixed && tail == 2 && (last == '.' || last == ',') && are_groups(pieces, count - 1)) {
        add(readings, joined(pieces, count - 1), true, 0.5);
    }
    // As groups only: a whole number.
    if (are_groups(pieces, count) && pieces.digits[0] != "0") {
        double sure = count > 2 ? 0.9 : 0.7;
        if (last == ' ') sure = 0.6;
        if (style.decimal != 0 && style.decimal == last) sure *= count > 2 ? 0.5 : 0.2;
        add(readings, joined(pieces, count), false, sure);
    }
    return readings;
}

// How wide a space is between words, in their heights. Columns are farther apart and a few gaps are torn by
// justified lines, so it is one of the narrower; 0 if too few words stand beside each other to tell.
double space_width(const std::vector<media::Page>& pages) {
    constexpr std::size_t kEnough = 4;
    constexpr double kWidest = 1.3;
    std::vector<double> gaps;
    for (const auto& page : pages) {
        for (std::size_t i = 1; i < page.words.size(); ++i) {
            const auto &left = page.words[i - 1], &right = page.words[i];
            if (left.line != right.line || (has_digit(left.text) && has_digit(right.text)))
                continue;
            const auto height = std::max(left.box.height, right.box.height);
            const auto gap = right.box.x - left.box.right();
            if (gap > 0 && gap < kWidest * height) gaps.push_back(gap / height);
        }
    }
    if (gaps.size() < kEnough) return 0;
    const auto narrow = gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 3);
    std::nth_element(gaps.begin(), narrow, gaps.end());
    return *narrow;
}

}  // namespace

std::vector<Amount> read_amounts(std::string_view text, NumberStyle style) {
    if (text.size() > kAmountCharsMax || !has_digit(text)) return {};
    auto bare = undress(text);
    if (bare.digits.empty()) return {};
    if (const int mended = mend_digits(bare.digits); mended != 0) {
        // A word of letters is not a number: digits must be at least as many as the letters mended.
        const auto digits = digit_count(bare.digits);
        if (mended < 0 || digits < 3 || static_cast<std::size_t>(mended) * 2 > digits) return {};
        bare.confidence *= 0.6;
    }
    const auto pieces = split(bare.digits);
    if (!pieces) return {};
    std::vector<Amount> amounts;
    for (const auto& reading : read_pieces(*pieces, style)) {
        // "S5" alone is more often a code than an amount.
        if (bare.confidence < 1 && !reading.decimals) continue;
        amounts.push_back({bare.negative ? -reading.value : reading.value, bare.currency,
                           reading.decimals, bare.percent, bare.signed_,
                           std::min(1.0, reading.confidence * bare.confidence)});
    }
    std::stable_sort(amounts.begin(), amounts.end(),
                     [](const Amount& a, const Amount& b) { return a.confidence > b.confidence; });
    return amounts;
}

NumberStyle number_style_of(const std::vector<std::string>& texts) {
    std::map<char, double> decimal, group;
    for (const auto& text : texts) {
        if (text.size() > kAmountCharsMax || !has_digit(text)) continue;
        const auto bare = undress(text);
        const auto pieces = split(bare.digits);
        if (!pieces || pieces->digits.size() < 2) continue;
        const auto count = pieces->digits.size();
        const char last = pieces->signs.back();
        if (last != '.' && last != ',') continue;
        const auto tail = pieces->digits.back().size();
        const bool whole_is_grouped = are_groups(*pieces, count - 1);
        if (count > 2 && pieces->signs[0] != last && whole_is_grouped && tail <= 2) {
            decimal[last] += 5;
            group[pieces->signs[0]] += 5;
        } else if (count == 2 && tail == 2) {
            decimal[last] += bare.currency.empty() ? 1 : 2;
        } else if (count == 2 && tail == 4) {
            decimal[last] += 0.5;
        } else if (count > 2 && are_groups(*pieces, count)) {
            group[last] += 2;
            decimal[last == '.' ? ',' : '.'] += 2;
        }
    }
    NumberStyle style;
    // Dates ("12.05") and versions are in every text: the winner must win clearly.
    if (decimal[','] > 1.5 * decimal['.']) style.decimal = ',';
    if (decimal['.'] > 1.5 * decimal[',']) style.decimal = '.';
    double most = 0;
    for (const auto& [sign, votes] : group) {
        if (sign != style.decimal && votes > most) {
            most = votes;
            style.group = sign;
        }
    }
    return style;
}

NumberStyle number_style(const std::vector<media::Page>& pages) {
    std::vector<std::string> texts;
    for (const auto& page : pages) {
        for (const auto& word : page.words) texts.push_back(word.text);
    }
    auto style = number_style_of(texts);
    style.space = space_width(pages);
    return style;
}

}  // namespace belay::ai::rules
