// date.hpp — reading dates as people print them, in Swedish, English, German, French and Dutch.
//
// 2024-03-12 · 240312 · 12.03.2024 · 12/3/24 · 12. März 2024 · Mar 3, 2024 · 3 MARS 2024 · JUL 15. What
// "03/04/24" means is decided by the document's other dates (DateStyle); where nothing decides, the
// reading says so in its confidence and gives the other one too.
#pragma once

#include <compare>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <belay/codec.hpp>

#include "ingestion/media/page.hpp"

namespace belay::ai::rules {

struct Date {
    int year = 0, month = 0, day = 0;

    bool is_valid() const;     // such a day exists, in the years 1950 to 2099
    std::string text() const;  // 2024-03-12
    int days() const;          // since 1970-01-01; only for valid dates
    Date plus_days(int count) const;
    // Reads 2024-03-12 and nothing else.
    static std::optional<Date> parse(std::string_view iso);
    friend auto operator<=>(const Date&, const Date&) = default;
};

enum class DateOrder { Unknown, DayFirst, MonthFirst };

// How a document writes its dates, as far as its clear ones show.
struct DateStyle {
    DateOrder order = DateOrder::Unknown;
    bool year_first = false;  // it has dates such as 2024-03-12 or 24-03-12
};

struct DateReading {
    Date date{};                // year 0 if no year is printed
    std::optional<Date> or_{};  // the other way to read it, if day and month could change places
    double confidence = 0;
};

struct DateAt {
    DateReading reading{};
    std::size_t first = 0, count = 1;  // which words
    media::Box box{};
};

struct DateOptions {
    bool without_year = false;  // also "JUL 15", "15/07"
    bool six_digits = false;    // also 240312 (YYMMDD); otherwise such a number is a number
};

DateStyle date_style(const std::vector<media::Page>& pages);

// The dates printed in `words` (one line, left to right).
std::vector<DateAt> find_dates(const std::vector<media::Word>& words, DateStyle style = {},
                               DateOptions options = {});

// `text` as one date and nothing else.
std::optional<DateReading> read_date(std::string_view text, DateStyle style = {},
                                     DateOptions options = {});

// The month (1 to 12) that a word names in one of the languages, in full or shortened; 0 if none.
int month_of(std::string_view word);

}  // namespace belay::ai::rules

// In JSON a date is 2024-03-12.
template <>
struct belay::Codec<belay::ai::rules::Date> {
    static void write(std::string& out, const ai::rules::Date& date) {
        belay::write_json(out, date.text());
    }
    static ai::rules::Date read(const boost::json::value& value);
};
