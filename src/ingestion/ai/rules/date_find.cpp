// date_find.cpp — dates among the words of a line, by the shapes they come in.
#include <algorithm>
#include <array>
#include <map>

#include "ingestion/ai/rules/date.hpp"
#include "ingestion/ai/rules/fold.hpp"
#include "ingestion/ai/rules/layout.hpp"

namespace belay::ai::rules {
namespace {

// No date on paper is longer ("Donnerstag, den 12. September 2024"); a longer text costs nothing.
constexpr std::size_t kDateCharsMax = 64;

// A run of digits, a run of letters, or one other character.
struct Token {
    enum Kind { Number, Letters, Mark } kind = Mark;
    std::string text{};
    std::size_t word = 0;
    bool glued = false;  // to the token before it, without a space
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }

// "2O24-O3-l2": digits that OCR took for letters, in a word that is otherwise digits and date marks.
bool mend(std::string& word) {
    static const std::map<char, char> kMistaken{{'O', '0'}, {'o', '0'}, {'Q', '0'},
                                                {'l', '1'}, {'I', '1'}, {'|', '1'},
                                                {'S', '5'}, {'B', '8'}, {'Z', '2'}};
    if (word.size() < 6 || word.size() > 11) return false;
    std::string mended = word;
    std::size_t letters = 0, marks = 0, digits = 0;
    for (auto& c : mended) {
        if (is_digit(c)) {
            ++digits;
        } else if (c == '-' || c == '.' || c == '/') {
            ++marks;
        } else if (const auto found = kMistaken.find(c); found != kMistaken.end()) {
            c = found->second;
            ++letters;
        } else {
            return false;
        }
    }
    if (letters == 0 || letters > 2 || marks != 2 || digits < 4) return false;
    word = mended;
    return true;
}

std::vector<Token> tokens_of(const std::vector<media::Word>& words, std::vector<bool>& mended) {
    std::vector<Token> tokens;
    mended.assign(words.size(), false);
    for (std::size_t i = 0; i < words.size(); ++i) {
        auto raw = words[i].text;
        mended[i] = mend(raw);
        const auto text = fold(raw);
        bool glued = false;
        for (std::size_t at = 0; at < text.size();) {
            auto end = at + 1;
            auto kind = Token::Mark;
            if (is_digit(text[at])) {
                kind = Token::Number;
                while (end < text.size() && is_digit(text[end])) ++end;
            } else if (is_lower(text[at])) {
                kind = Token::Letters;
                while (end < text.size() && is_lower(text[end])) ++end;
            }
            if (text[at] == ' ') {
                glued = false;
            } else {
                tokens.push_back({kind, text.substr(at, end - at), i, glued});
                glued = true;
            }
            at = end;
        }
    }
    return tokens;
}

int full_year(const std::string& digits) {
    const int value = small_int(digits);
    if (digits.size() == 4) return value;
    return digits.size() == 2 ? (value < 70 ? 2000 : 1900) + value : -1;
}

class Finder {
public:
    Finder(const std::vector<Token>& tokens, DateStyle style, DateOptions options)
        : tokens_(tokens), style_(style), options_(options) {}

    // The date that begins at token `at`, if any, and how many tokens it takes.
    std::optional<DateReading> read(std::size_t at, std::size_t& used) const {
        if (const auto* token = get(at); token == nullptr || token->kind == Token::Mark) return {};
        // A number that continues one ("1.12.03.2024", "A12") is not where a date begins.
        if (tokens_[at].glued && at > 0 && tokens_[at - 1].kind != Token::Mark) {
            if (tokens_[at].kind == Token::Number) return {};
        }
        if (at > 1 && tokens_[at].kind == Token::Number && tokens_[at].glued &&
            is_date_mark(at - 1) && tokens_[at - 1].glued &&
            tokens_[at - 2].kind == Token::Number) {
            return {};
        }
        for (const auto reader :
             {&Finder::three_numbers, &Finder::day_month_name, &Finder::month_name_day,
              &Finder::run_of_digits, &Finder::two_numbers}) {
            used = 0;
            if (auto reading = (this->*reader)(at, used)) return reading;
        }
        return {};
    }

private:
    const Token* get(std::size_t at) const { return at < tokens_.size() ? &tokens_[at] : nullptr; }
    bool is_number(std::size_t at, std::size_t least, std::size_t most) const {
        const auto* token = get(at);
        return token != nullptr && token->kind == Token::Number && token->text.size() >= least &&
               token->text.size() <= most;
    }
    bool is_mark(std::size_t at, char mark) const {
        const auto* token = get(at);
        return token != nullptr && token->kind == Token::Mark && token->text[0] == mark;
    }
    bool is_date_mark(std::size_t at) const {
        return is_mark(at, '-') || is_mark(at, '.') || is_mark(at, '/');
    }
    int number(std::size_t at) const { return small_int(tokens_[at].text); }
    // Nothing glued behind that would make the last number another one.
    bool ends(std::size_t at) const {
        const auto* token = get(at);
        if (token == nullptr || !token->glued) return true;
        if (token->kind == Token::Number) return false;
        if (token->kind == Token::Letters) return token->text == "t";  // 2024-03-12T10:00
        const auto* next = get(at + 1);
        const bool goes_on = next != nullptr && next->glued && next->kind == Token::Number;
        return !(goes_on && token->text[0] != '-' && token->text[0] != ',');
    }

    std::optional<DateReading> three_numbers(std::size_t at, std::size_t& used) const {
        if (!is_number(at, 1, 4)) return {};
        char mark = 0;
        std::array<std::size_t, 3> parts{at, 0, 0};
        std::size_t next = at + 1;
        if (is_date_mark(next)) {
            mark = tokens_[next].text[0];
            parts[1] = next + 1;
            if (!is_number(parts[1], 1, 2) || !is_mark(parts[1] + 1, mark)) return {};
            parts[2] = parts[1] + 2;
        } else {
            return {};
        }
        if (!is_number(parts[2], 1, 4) || !ends(parts[2] + 1)) return {};
        used = parts[2] + 1 - at;
        const auto& first = tokens_[parts[0]].text;
        const auto& last = tokens_[parts[2]].text;
        const int a = number(parts[0]), b = number(parts[1]), c = number(parts[2]);
        if (first.size() == 4) return checked({a, b, c}, {}, 1);
        if (last.size() == 3 || first.size() == 3 || last.size() == 1) return {};
        return ordered(a, b, c, last, mark);
    }

    std::optional<DateReading> ordered(int a, int b, int c, const std::string& last,
                                       char mark) const {
        const Date day_first{full_year(last), b, a}, month_first{full_year(last), a, b};
        const Date year_first{a < 70 ? 2000 + a : 1900 + a, b, c};
        if (last.size() == 2 && mark == '-' && year_first.is_valid() &&
            (style_.year_first || !day_first.is_valid())) {
            return checked(year_first, day_first, day_first.is_valid() ? 0.75 : 0.9);
        }
        if (mark == '.') return checked(day_first, {}, 0.97);
        if (!day_first.is_valid()) return checked(month_first, {}, 0.95);
        if (!month_first.is_valid() || a == b) return checked(day_first, {}, 0.97);
        if (style_.order == DateOrder::MonthFirst) return checked(month_first, day_first, 0.9);
        return checked(day_first, month_first, style_.order == DateOrder::DayFirst ? 0.9 : 0.7);
    }

    // 12. März 2024, 12-Mar-24, 12 de marzo, 3rd of March 2024
    std::optional<DateReading> day_month_name(std::size_t at, std::size_t& used) const {
        if (!is_number(at, 1, 2)) return {};
        const int day = number(at);
        auto next = at + 1;
        if (const auto* token = get(next);
            token != nullptr && token->kind == Token::Letters && token->glued &&
            (token->text == "st" || token->text == "nd" || token->text == "rd" ||
             token->text == "th" || token->text == "er")) {
            ++next;
        }
        while (is_mark(next, '.') || is_mark(next, '-') || is_mark(next, '/')) ++next;
        if (const auto* token = get(next); token != nullptr && token->text == "of") ++next;
        const auto* name = get(next);
        const int month =
            name != nullptr && name->kind == Token::Letters ? month_of(name->text) : 0;
        if (month == 0) return {};
        ++next;
        auto year_at = next;
        while (is_mark(year_at, '.') || is_mark(year_at, '-') || is_mark(year_at, ',') ||
               is_mark(year_at, '/') || is_mark(year_at, '\''))
            ++year_at;
        return with_year(at, next, year_at, day, month, used);
    }

    // March 3, 2024; Mar 3 2024
    std::optional<DateReading> month_name_day(std::size_t at, std::size_t& used) const {
        const auto* name = get(at);
        if (name->kind != Token::Letters) return {};
        const int month = month_of(name->text);
        auto next = at + 1;
        while (is_mark(next, '.') || is_mark(next, '-')) ++next;
        if (month == 0 || !is_number(next, 1, 2)) return {};
        const int day = number(next);
        ++next;
        if (const auto* token = get(next); token != nullptr && token->kind == Token::Letters &&
                                           token->glued &&
                                           (token->text == "st" || token->text == "nd" ||
                                            token->text == "rd" || token->text == "th")) {
            ++next;
        }
        auto year_at = next;
        while (is_mark(year_at, ',') || is_mark(year_at, '.') || is_mark(year_at, '-') ||
               is_mark(year_at, '\''))
            ++year_at;
        return with_year(at, next, year_at, day, month, used);
    }

    std::optional<DateReading> with_year(std::size_t at, std::size_t next, std::size_t year_at,
                                         int day, int month, std::size_t& used) const {
        if ((is_number(year_at, 4, 4) || (is_number(year_at, 2, 2) && !options_.without_year)) &&
            ends(year_at + 1)) {
            const Date date{full_year(tokens_[year_at].text), month, day};
            used = year_at + 1 - at;
            if (date.is_valid()) {
                return checked(date, {}, tokens_[year_at].text.size() == 4 ? 1 : 0.85);
            }
        }
        if (!options_.without_year) return {};
        used = next - at;
        return yearless(month, day, 0.9);
    }

    // "/191204", "-1912" right behind eight digits: the hour.
    bool is_hour_behind(std::size_t at) const {
        if (!is_date_mark(at) || !tokens_[at].glued || !is_number(at + 1, 4, 6) ||
            !tokens_[at + 1].glued || !ends(at + 2))
            return false;
        const std::string& text = tokens_[at + 1].text;
        return text.size() != 5 && small_int(text.substr(0, 2)) < 24 &&
               small_int(text.substr(2, 2)) < 60 &&
               (text.size() == 4 || small_int(text.substr(4, 2)) < 60);
    }

    std::optional<DateReading> run_of_digits(std::size_t at, std::size_t& used) const {
        const bool with_hour = is_number(at, 8, 8) && is_hour_behind(at + 1);
        if ((!with_hour && !ends(at + 1)) || (tokens_[at].glued && at > 0)) return {};
        // "240312-1234" is a Swedish personal or company number.
        if (!with_hour && is_mark(at + 1, '-') && tokens_[at + 1].glued) return {};
        const auto& text = tokens_[at].text;
        used = 1;
        if (is_number(at, 8, 8) && (text.starts_with("19") || text.starts_with("20"))) {
            return checked({small_int(text.substr(0, 4)), small_int(text.substr(4, 2)),
                            small_int(text.substr(6, 2))},
                           {}, 0.7);
        }
        if (options_.six_digits && is_number(at, 6, 6)) {
            return checked({full_year(text.substr(0, 2)), small_int(text.substr(2, 2)),
                            small_int(text.substr(4, 2))},
                           {}, 0.8);
        }
        return {};
    }

    // 15/07 or 07/15, without a year
    std::optional<DateReading> two_numbers(std::size_t at, std::size_t& used) const {
        if (!options_.without_year || !is_number(at, 1, 2) || !is_date_mark(at + 1) ||
            !tokens_[at + 1].glued || !is_number(at + 2, 1, 2) || !tokens_[at + 2].glued ||
            !ends(at + 3)) {
            return {};
        }
        used = 3;
        const int a = number(at), b = number(at + 2);
        // 2024 stands in for the year: it has a 29 February.
        const bool day_first = Date{2024, b, a}.is_valid(),
                   month_first = Date{2024, a, b}.is_valid();
        if (tokens_[at + 1].text[0] == '-') return month_first ? yearless(a, b, 0.6) : std::nullopt;
        if (day_first && month_first && a != b) {
            const bool swap = style_.order == DateOrder::MonthFirst;
            auto reading = swap ? yearless(a, b, 0.6) : yearless(b, a, 0.6);
            if (reading) reading->or_ = swap ? Date{0, b, a} : Date{0, a, b};
            return reading;
        }
        if (day_first) return yearless(b, a, 0.7);
        return month_first ? yearless(a, b, 0.7) : std::nullopt;
    }

    static std::optional<DateReading> yearless(int month, int day, double sure) {
        if (!Date{2024, month, day}.is_valid()) return {};
        return DateReading{{0, month, day}, {}, sure};
    }

    static std::optional<DateReading> checked(Date date, std::optional<Date> other, double sure) {
        if (!date.is_valid()) return {};
        if (other && (!other->is_valid() || *other == date)) other.reset();
        return DateReading{date, other, sure};
    }

    const std::vector<Token>& tokens_;
    DateStyle style_;
    DateOptions options_;
};

}  // namespace

std::vector<DateAt> find_dates(const std::vector<media::Word>& words, DateStyle style,
                               DateOptions options) {
    std::vector<bool> mended;
    const auto tokens = tokens_of(words, mended);
    const Finder finder{tokens, style, options};
    std::vector<DateAt> found;
    for (std::size_t at = 0; at < tokens.size();) {
        std::size_t used = 0;
        auto reading = finder.read(at, used);
        if (!reading || used == 0) {
            ++at;
            continue;
        }
        const auto first = tokens[at].word, last = tokens[at + used - 1].word;
        auto box = words[first].box;
        for (auto i = first; i <= last; ++i) {
            box = joined(box, words[i].box);
            if (mended[i]) reading->confidence *= 0.6;
        }
        found.push_back({*reading, first, last - first + 1, box});
        at += used;
    }
    return found;
}

std::optional<DateReading> read_date(std::string_view text, DateStyle style, DateOptions options) {
    if (text.size() > kDateCharsMax) return {};
    std::vector<media::Word> words(1);
    words[0].text = std::string{text};
    std::vector<bool> mended;
    const auto tokens = tokens_of(words, mended);
    std::size_t used = 0;
    auto reading = Finder{tokens, style, options}.read(0, used);
    if (!reading || used != tokens.size()) return {};
    if (mended[0]) reading->confidence *= 0.6;
    return reading;
}

DateStyle date_style(const std::vector<media::Page>& pages) {
    int day_first = 0, month_first = 0, year_first = 0;
    for (const auto& page : pages) {
        for (const auto& word : page.words) {
            std::vector<bool> mended;
            const auto tokens = tokens_of({word}, mended);
            if (tokens.size() != 5 || tokens[0].kind != Token::Number ||
                tokens[2].kind != Token::Number || tokens[4].kind != Token::Number) {
                continue;
            }
            if (tokens[1].kind != Token::Mark || tokens[1].text != tokens[3].text) continue;
            const int a = small_int(tokens[0].text), b = small_int(tokens[2].text);
            if (tokens[0].text.size() == 4 && a >= 1950 && a < 2100) {
                ++year_first;
            } else if (tokens[1].text == "/" || tokens[1].text == "-") {
                if (a > 12 && a <= 31 && b <= 12) ++day_first;
                if (b > 12 && b <= 31 && a <= 12) ++month_first;
            }
        }
    }
    DateStyle style;
    style.year_first = year_first > 0;
    if (day_first > month_first) style.order = DateOrder::DayFirst;
    if (month_first > day_first) style.order = DateOrder::MonthFirst;
    return style;
}

}  // namespace belay::ai::rules
