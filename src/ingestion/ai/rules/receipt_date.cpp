#include "ingestion/ai/rules/receipt_date.hpp"

#include <algorithm>
#include <cctype>
#include <map>

#include "ingestion/ai/rules/fold.hpp"

namespace belay::ai::rules {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// 8:13, 15.57.20, 12:50pm: hours and minutes as a till prints them.
std::string time_in(const std::string& word) {
    std::string out;
    int parts = 0, digits = 0;
    std::vector<int> values{0};
    for (const char c : word) {
        if (is_digit(c)) {
            if (++digits > 2) return {};
            values.back() = values.back() * 10 + (c - '0');
        } else if (c == ':') {
            if (digits == 0 || ++parts > 2) return {};
            digits = 0;
            values.push_back(0);
        } else if (parts > 0) {
            break;  // "8:13PM"
        } else {
            return {};
        }
    }
    if (parts == 0 || digits != 2 || values[0] > 23 || values[1] > 59) return {};
    const auto two = [](int v) {
        return std::string{static_cast<char>('0' + v / 10), static_cast<char>('0' + v % 10)};
    };
    out = two(values[0]) + ":" + two(values[1]);
    if (values.size() == 3 && values[2] < 60) out += ":" + two(values[2]);
    return out;
}

// Letters that a reader takes for digits, put right in words that are mostly digits and separators.
std::string mended(const std::string& text) {
    std::size_t digits = 0, marks = 0;
    for (const char c : text) {
        if (is_digit(c)) ++digits;
        if (c == '/' || c == '-' || c == '.' || c == ':') ++marks;
    }
    if (digits < 4 || marks < 1 || (digits + marks) * 10 < text.size() * 7) return text;
    std::string out = text;
    for (char& c : out) {
        switch (c) {
            case 'O':
            case 'o':
            case 'Q':
            case 'D':
            case '@':
            case 'C':
                c = '0';
                break;
            case 'l':
            case 'I':
            case '|':
            case 'i':
            case '!':
                c = '1';
                break;
            case 'S':
            case 's':
                c = '5';
                break;
            case 'B':
                c = '8';
                break;
            case 'Z':
            case 'z':
                c = '2';
                break;
            default:
                break;
        }
    }
    return out;
}

// Day, month and year with a separator between, and nothing else: 15.04.20, 5/3/2018, 2016-05-01.
bool has_shape_of_date(std::string_view text) {
    std::vector<std::size_t> runs{0};
    for (const char c : text) {
        if (is_digit(c))
            ++runs.back();
        else if (c == '.' || c == '/' || c == '-')
            runs.push_back(0);
        else
            return false;
    }
    if (runs.size() != 3) return false;
    const bool year_last = runs[0] <= 2 && runs[1] <= 2 && (runs[2] == 2 || runs[2] == 4);
    const bool year_first = runs[0] == 4 && runs[1] <= 2 && runs[2] <= 2;
    return runs[0] > 0 && runs[1] > 0 && runs[2] > 0 && (year_last || year_first);
}

std::string points_for_commas(std::string text) {
    for (char& c : text) {
        if (c == ',') c = '.';
    }
    return text;
}

// The words of a line with dates put together again: "15,04, 202C" is 15.04.2020.
std::vector<media::Word> mended(const std::vector<media::Word>& words) {
    std::vector<media::Word> out;
    for (std::size_t i = 0; i < words.size();) {
        media::Word word = words[i];
        std::size_t used = 1;
        std::string together;
        for (std::size_t n = 1; n <= 4 && i + n <= words.size(); ++n) {
            together += words[i + n - 1].text;
            while (!together.empty() && !std::isalnum(static_cast<unsigned char>(together.front())))
                together.erase(0, 1);
            const std::string date = points_for_commas(mended(together));
            if (!has_shape_of_date(date)) continue;
            if (n > 1 || date != word.text) word.confidence *= 0.8;
            word.text = date;
            for (std::size_t k = 1; k < n; ++k) word.box = joined(word.box, words[i + k].box);
            used = n;
            break;
        }
        if (used == 1 && !has_shape_of_date(word.text)) word.text = mended(word.text);
        out.push_back(std::move(word));
        i += used;
    }
    return out;
}

struct Candidate {
    double score = 0;
    double sure = 0;
    int page = 1;
    media::Box box{};
    std::string time{};
    std::optional<Date> other{};  // as the other reader saw it
    int times = 0;                // printed
};

// The day that the reader who was not believed saw in these words.
std::optional<Date> other_day(const std::vector<media::Word>& words, const DateAt& at,
                              DateStyle style) {
    for (std::size_t i = at.first; i < at.first + at.count && i < words.size(); ++i) {
        if (words[i].other.empty()) continue;
        media::Word seen = words[i];
        seen.text = seen.other;
        const auto dates = find_dates(mended(std::vector{seen}), style);
        if (!dates.empty() && dates.front().reading.date.is_valid() &&
            dates.front().reading.date != at.reading.date)
            return dates.front().reading.date;
    }
    return std::nullopt;
}

bool another_date(const ReceiptLine& line) {
    return says_any(line.said, {"expiry", "validuntil", "validtill", "expire", "duedate", "since",
                                "bestbefore", "gultig", "giltig", "memberdate", "effective"});
}

double line_bonus(const ReceiptLine& line) {
    double bonus = 0;
    if (says_any(line.said, {"date", "datum", "tarikh", "billdt"})) bonus += 2;
    if (another_date(line)) bonus -= 3;
    return bonus;
}

}  // namespace

Purchase find_purchase(const ReceiptText& text, DateStyle style, std::optional<Date> today) {
    if (style.order == DateOrder::Unknown) style.order = DateOrder::DayFirst;
    std::map<Date, Candidate> candidates;
    for (std::size_t i = 0; i < text.lines.size(); ++i) {
        const ReceiptLine& line = text.lines[i];
        const std::vector<media::Word> words = mended(line.line.words);
        std::string time;
        for (const media::Word& word : words) {
            if (time.empty()) time = time_in(word.text);
        }
        for (const DateAt& at : find_dates(words, style)) {
            const Date date = at.reading.date;
            if (date.year < 1990 || !date.is_valid() || (today && date > today->plus_days(1)))
                continue;
            Candidate& candidate = candidates[date];
            const double sure = at.reading.confidence;
            // What stands further up is the purchase; further down are copies and conditions.
            const double place =
                0.5 * static_cast<double>(i) / static_cast<double>(text.lines.size());
            double score = 1 + line_bonus(line) + (time.empty() ? 0 : 1.5) + sure - place;
            // A label on the line above ("Date" over its value) counts a little.
            if (i > 0 && line.said.size() < 4)
                score += 0.3 * std::max(0.0, line_bonus(text.lines[i - 1]));
            if (candidate.score > 0) score = std::max(candidate.score, score) + 0.7;
            ++candidate.times;
            if (score > candidate.score) {
                candidate = {score,
                             std::max(sure, candidate.sure),
                             line.line.page,
                             at.box,
                             time.empty() ? candidate.time : time,
                             other_day(words, at, style),
                             candidate.times};
            }
        }
    }
    Purchase found;
    const auto best = std::max_element(
        candidates.begin(), candidates.end(),
        [](const auto& a, const auto& b) { return a.second.score < b.second.score; });
    if (best == candidates.end()) return found;
    const Candidate& c = best->second;
    found.date = {
        best->first,
        std::clamp(0.25 + c.score * 0.15, 0.0, 1.0) * std::clamp(0.5 + c.sure * 0.5, 0.0, 1.0),
        c.page, c.box};
    if (c.times == 1) found.other = c.other;
    if (!c.time.empty()) found.time = {c.time, 0.8, c.page, c.box};
    return found;
}

}  // namespace belay::ai::rules
