// date.cpp — the calendar, and the names of its months.
#include "ingestion/ai/rules/date.hpp"

#include <array>
#include <chrono>

#include <fmt/format.h>

#include "ingestion/ai/rules/fold.hpp"

namespace belay::ai::rules {
namespace {

// Folded; a word names a month if it equals a name or is its first three or four letters. "mai" and
// "maj" are too short to be shortened, "mar" would be "mars" and "marz" alike.
constexpr std::array<std::array<std::string_view, 7>, 12> kMonths{{
    {"january", "januari", "januar", "janvier", "jan", "janv", "jaen"},
    {"february", "februari", "februar", "fevrier", "feb", "febr", "fevr"},
    {"march", "mars", "marz", "maerz", "maart", "mar", "mrz"},
    {"april", "avril", "apr", "avr", "", "", ""},
    {"may", "maj", "mai", "mei", "", "", ""},
    {"june", "juni", "juin", "jun", "", "", ""},
    {"july", "juli", "juillet", "jul", "juil", "", ""},
    {"august", "augusti", "augustus", "aout", "aug", "", ""},
    {"september", "septembre", "sep", "sept", "", "", ""},
    {"october", "oktober", "octobre", "oct", "okt", "", ""},
    {"november", "novembre", "nov", "", "", "", ""},
    {"december", "dezember", "decembre", "dec", "dez", "", ""},
}};

std::chrono::year_month_day calendar(const Date& date) {
    return {std::chrono::year{date.year}, std::chrono::month{static_cast<unsigned>(date.month)},
            std::chrono::day{static_cast<unsigned>(date.day)}};
}

}  // namespace

bool Date::is_valid() const {
    return year >= 1950 && year <= 2099 && month >= 1 && month <= 12 && day >= 1 && day <= 31 &&
           calendar(*this).ok();
}

std::string Date::text() const { return fmt::format("{:04}-{:02}-{:02}", year, month, day); }

int Date::days() const {
    return static_cast<int>(std::chrono::sys_days{calendar(*this)}.time_since_epoch().count());
}

Date Date::plus_days(int count) const {
    const std::chrono::year_month_day later{std::chrono::sys_days{calendar(*this)} +
                                            std::chrono::days{count}};
    return {static_cast<int>(later.year()), static_cast<int>(static_cast<unsigned>(later.month())),
            static_cast<int>(static_cast<unsigned>(later.day()))};
}

std::optional<Date> Date::parse(std::string_view iso) {
    if (iso.size() != 10 || iso[4] != '-' || iso[7] != '-') return std::nullopt;
    const Date date{small_int(iso.substr(0, 4)), small_int(iso.substr(5, 2)),
                    small_int(iso.substr(8, 2))};
    if (!date.is_valid()) return std::nullopt;
    return date;
}

int month_of(std::string_view word) {
    const auto folded = fold_alnum(word);
    if (folded.size() < 3) return 0;
    for (std::size_t i = 0; i < kMonths.size(); ++i) {
        for (const auto& name : kMonths.at(i)) {
            if (!name.empty() && folded == name) return static_cast<int>(i) + 1;
        }
    }
    // OCR: one letter off in a long name.
    for (std::size_t i = 0; i < kMonths.size(); ++i) {
        for (const auto& name : kMonths.at(i)) {
            if (name.size() >= 7 && nearly_equal(folded, name)) return static_cast<int>(i) + 1;
        }
    }
    return 0;
}

}  // namespace belay::ai::rules

belay::ai::rules::Date belay::Codec<belay::ai::rules::Date>::read(const boost::json::value& value) {
    const auto text = belay::read_json<std::string>(value);
    const auto date = ai::rules::Date::parse(text);
    if (!date) throw Error{ErrorCode::BadValue, "not a date: " + text};
    return *date;
}
