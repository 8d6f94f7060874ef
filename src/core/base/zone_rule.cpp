// zone_rule.cpp — reads the POSIX TZ line and applies it to a year.
#include "core/base/zone_rule.hpp"

#include <fmt/format.h>

#include <belay/error.hpp>

namespace belay::base {

using namespace std::chrono;

namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

// Takes the parts of a rule off the front of its text.
class ZoneRuleReader {
public:
    explicit ZoneRuleReader(std::string_view text) : whole_(text), rest_(text) {}

    ZoneRule rule() {
        ZoneRule rule;
        rule.winter_.abbreviation = name();
        rule.winter_.utc_offset = offset();
        if (rest_.empty()) return rule;
        ZoneOffset summer;
        summer.is_summer_time = true;
        summer.abbreviation = name();
        summer.utc_offset = rest_.starts_with(',') ? rule.winter_.utc_offset + hours{1} : offset();
        rule.summer_ = std::move(summer);
        comma("the day on which summer time begins");
        rule.summer_begins_ = day();
        comma("the day on which summer time ends");
        rule.summer_ends_ = day();
        if (!rest_.empty()) refuse("the end");
        return rule;
    }

private:
    [[noreturn]] void refuse(std::string_view expected) const {
        throw Error(ErrorCode::BadValue,
                    fmt::format("the zone rule `{}` has no meaning at character {}: expected {}",
                                whole_, whole_.size() - rest_.size() + 1, expected));
    }

    bool take(char c) {
        if (!rest_.starts_with(c)) return false;
        rest_.remove_prefix(1);
        return true;
    }

    void comma(std::string_view what_follows) {
        if (!take(',')) refuse(fmt::format("a comma and {}", what_follows));
    }

    int number(int min, int max, std::string_view what) {
        int value = 0;
        std::size_t digits = 0;
        for (; digits < rest_.size() && digits < 4 && is_digit(rest_[digits]); ++digits)
            value = value * 10 + (rest_[digits] - '0');
        if (digits == 0 || value < min || value > max)
            refuse(fmt::format("{}, {} to {}", what, min, max));
        rest_.remove_prefix(digits);
        return value;
    }

    std::string name() {
        const bool quoted = take('<');
        std::size_t n = 0;
        while (n < rest_.size() &&
               (is_letter(rest_[n]) ||
                (quoted && (is_digit(rest_[n]) || rest_[n] == '+' || rest_[n] == '-'))))
            ++n;
        if (n < 3 || n > 16) refuse("an abbreviation of 3 to 16 characters");
        std::string name{rest_.substr(0, n)};
        rest_.remove_prefix(n);
        if (quoted && !take('>')) refuse("`>` after the abbreviation");
        return name;
    }

    // [+-]hh[:mm[:ss]]
    seconds time(int hours_max) {
        const bool negative = take('-');
        if (!negative) take('+');
        seconds sum = hours{number(0, hours_max, "hours")};
        if (take(':')) {
            sum += minutes{number(0, 59, "minutes")};
            if (take(':')) sum += seconds{number(0, 59, "seconds")};
        }
        return negative ? -sum : sum;
    }

    // POSIX counts westward, everyone else eastward.
    seconds offset() { return -time(24); }

    ZoneRule::Day day() {
        ZoneRule::Day day;
        using Kind = ZoneRule::Day::Kind;
        if (take('M')) {
            day.kind = Kind::WeekdayOfMonth;
            day.month = static_cast<unsigned>(number(1, 12, "a month"));
            if (!take('.')) refuse("`.` after the month");
            day.week = static_cast<unsigned>(number(1, 5, "a week of the month"));
            if (!take('.')) refuse("`.` after the week");
            day.weekday = static_cast<unsigned>(number(0, 6, "a weekday"));
        } else if (take('J')) {
            day.kind = Kind::WithoutLeapDay;
            day.number = number(1, 365, "a day of the year");
        } else {
            day.kind = Kind::WithLeapDay;
            day.number = number(0, 365, "`M`, `J` or a day of the year");
        }
        day.time = take('/') ? time(167) : seconds{hours{2}};
        return day;
    }

    std::string_view whole_;
    std::string_view rest_;
};

ZoneRule ZoneRule::parse(std::string_view text) { return ZoneRuleReader{text}.rule(); }

local_seconds ZoneRule::Day::in(year y) const {
    const local_days first{y / January / 1};
    switch (kind) {
        case Kind::WithoutLeapDay:
            // Day 60 is 1 March in every year.
            return first + days{number - 1 + (y.is_leap() && number >= 60 ? 1 : 0)} + time;
        case Kind::WithLeapDay:
            return first + days{number} + time;
        case Kind::WeekdayOfMonth:
            break;
    }
    const std::chrono::month m{month};
    const std::chrono::weekday wd{weekday};
    const local_days date = week == 5 ? local_days{y / m / wd[last]} : local_days{y / m / wd[week]};
    return date + time;
}

std::array<ZoneRule::Change, 2> ZoneRule::changes(year y) const {
    const auto utc = [](local_seconds local, seconds offset) {
        return sys_seconds{local.time_since_epoch() - offset};
    };
    // Each day is told by the clock that is about to be changed.
    const Change begins{utc(summer_begins_.in(y), winter_.utc_offset), true};
    const Change ends{utc(summer_ends_.in(y), summer_->utc_offset), false};
    // At the same moment the summer wins: that is how a zone says that it has summer all year.
    if (begins.at < ends.at) return {begins, ends};
    return {ends, begins};
}

}  // namespace belay::base
