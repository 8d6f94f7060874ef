// cron_reader.cpp — reads a cron expression, and says what is wrong in words a stranger can act on.
#include <array>
#include <bit>
#include <charconv>
#include <span>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/base/duration_text.hpp"
#include "core/base/limits.hpp"
#include "core/base/utf8.hpp"
#include "core/model/cron.hpp"

namespace belay::model {

using namespace std::chrono;

namespace {

constexpr std::array<std::string_view, 12> kMonths{"JAN", "FEB", "MAR", "APR", "MAY", "JUN",
                                                   "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"};
constexpr std::array<std::string_view, 7> kWeekdays{"SUN", "MON", "TUE", "WED",
                                                    "THU", "FRI", "SAT"};

struct Field {
    std::string_view name;
    int min;
    int max;
    std::span<const std::string_view> words;  // of the values from `min` on
    std::string_view allowed;                 // for people
};

constexpr Field kSecond{"second", 0, 59, {}, "0 to 59"};
constexpr Field kMinute{"minute", 0, 59, {}, "0 to 59"};
constexpr Field kHour{"hour", 0, 23, {}, "0 to 23"};
constexpr Field kDay{"day of month", 1, 31, {}, "1 to 31, L, L-3, 15W, LW"};
constexpr Field kMonth{"month", 1, 12, kMonths, "1 to 12, JAN to DEC"};
constexpr Field kWeekday{"day of week", 0, 7, kWeekdays, "0 to 7, SUN to SAT, FRIL, FRI#2"};

struct Alias {
    std::string_view name;
    std::string_view fields;
};
constexpr std::array kAliases{
    Alias{"@yearly", "0 0 1 1 *"}, Alias{"@annually", "0 0 1 1 *"}, Alias{"@monthly", "0 0 1 * *"},
    Alias{"@weekly", "0 0 * * 0"}, Alias{"@daily", "0 0 * * *"},    Alias{"@midnight", "0 0 * * *"},
    Alias{"@hourly", "0 * * * *"},
};

std::string upper(std::string_view text) {
    std::string out{text};
    for (char& c : out) {
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    }
    return out;
}

std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
    std::vector<std::string_view> parts;
    while (true) {
        const auto end = text.find_first_of(separators);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos) return parts;
        text.remove_prefix(end + 1);
    }
}

std::vector<std::string_view> words_of(std::string_view text) {
    std::vector<std::string_view> words;
    for (const auto part : split(text, " \t")) {
        if (!part.empty()) words.push_back(part);
    }
    return words;
}

}  // namespace

class CronReader {
public:
    explicit CronReader(std::string_view text) : text_(text) {}

    Cron cron() {
        if (text_.size() > base::kCronCharsMax) {
            refuse(fmt::format("it has {} characters, and at most {} are allowed", text_.size(),
                               base::kCronCharsMax));
        }
        cron_.text_ = text_;
        std::vector<std::string_view> fields = words_of(text_);
        if (fields.empty()) refuse("it is empty; an example is `0 3 * * *`, every day at 03:00");
        if (fields[0].starts_with('@')) {
            if (upper(fields[0]) == "@EVERY") return every(fields);
            fields = words_of(alias(fields));
        }
        if (fields.size() != 5 && fields.size() != 6) {
            refuse(
                fmt::format("it has {} field{}, and 5 are needed (minute, hour, day of month, "
                            "month, day of week), "
                            "or 6 with the second in front",
                            fields.size(), fields.size() == 1 ? "" : "s"));
        }
        if (fields.size() == 5) fields.insert(fields.begin(), "0");
        cron_.seconds_ = set_of(kSecond, fields[0]);
        cron_.minutes_ = set_of(kMinute, fields[1]);
        cron_.hours_ = static_cast<std::uint32_t>(set_of(kHour, fields[2]));
        days_of_month(fields[3]);
        cron_.months_ = static_cast<std::uint16_t>(set_of(kMonth, fields[4]));
        days_of_week(fields[5]);
        cron_.follows_real_time_ = fields[2].starts_with('*') || std::popcount(cron_.hours_) == 24;
        check_that_it_fires();
        return std::move(cron_);
    }

private:
    [[noreturn]] void refuse(std::string_view why) const {
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("the cron expression `{}` cannot be used: {}",
                                base::truncate(base::to_valid_utf8(text_), 100), why));
    }
    [[noreturn]] void refuse(const Field& field, std::string_view item,
                             std::string_view why) const {
        refuse(fmt::format("{} `{}` {} (allowed: {})", field.name,
                           base::truncate(base::to_valid_utf8(item), 40), why, field.allowed));
    }

    std::string_view alias(const std::vector<std::string_view>& words) const {
        const std::string name = upper(words[0]);
        if (name == "@REBOOT")
            refuse("@reboot has no time to fire at; submit a run when the program starts instead");
        if (words.size() == 1) {
            for (const Alias& known : kAliases) {
                if (upper(known.name) == name) return known.fields;
            }
        }
        refuse(
            "of the names that begin with @ there are @yearly, @monthly, @weekly, @daily, @hourly, "
            "alone, and @every with a duration");
    }

    Cron every(const std::vector<std::string_view>& words) {
        const auto step = words.size() == 2 ? base::parse_duration(words[1]) : std::nullopt;
        if (!step) {
            refuse(fmt::format("@every needs one duration such as {}", base::kDurationExamples));
        }
        if (*step < seconds{1} || *step % seconds{1} != Duration{0} || *step > days{366}) {
            refuse(fmt::format("@every {} is not a whole number of seconds from 1s to 366d",
                               words[1]));
        }
        cron_.every_ = duration_cast<seconds>(*step);
        return std::move(cron_);
    }

    std::optional<int> number(std::string_view text) const {
        int value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (text.empty() || error != std::errc{} || end != text.data() + text.size() ||
            text[0] == '-')
            return std::nullopt;
        return value;
    }

    int value(const Field& field, std::string_view item, std::string_view text) const {
        if (text.empty()) refuse(field, item, "has a number missing");
        const std::string name = upper(text);
        for (std::size_t i = 0; i < field.words.size(); ++i) {
            if (field.words[i] == name) return field.min + static_cast<int>(i);
        }
        const auto n = number(text);
        if (!n) refuse(field, item, "is not understood");
        if (*n < field.min || *n > field.max) refuse(field, item, "is out of range");
        return *n;
    }

    // One item of a list, as bits: `*`, `7`, `1-5`, any of them with a step.
    std::uint64_t item_set(const Field& field, std::string_view item) const {
        const auto slash = item.find('/');
        const std::string_view range = item.substr(0, slash);
        const auto dash = range.find('-');
        const bool is_weekday = field.name == kWeekday.name;
        int from = field.min;
        int to = field.max;
        if (range == "*") {
            if (is_weekday) to = 6;  // 7 is Sunday once more
        } else if (dash != std::string_view::npos) {
            from = value(field, item, range.substr(0, dash));
            to = value(field, item, range.substr(dash + 1));
            // Sunday is 0 where a week begins and 7 where it ends.
            if (is_weekday && to == 0 && from > 0) to = 7;
            if (from > to) {
                refuse(field, item,
                       fmt::format("runs backwards; write it as two: {}-{},{}-{}", from,
                                   is_weekday ? 6 : field.max, field.min, to));
            }
        } else {
            from = value(field, item, range);
            if (slash == std::string_view::npos) to = from;
        }
        int step = 1;
        if (slash != std::string_view::npos) {
            const auto n = number(item.substr(slash + 1));
            if (!n || *n == 0) refuse(field, item, "has a step that is not a number above 0");
            step = *n;
            if (step > to - from) {
                refuse(field, item,
                       fmt::format("has a step that is too long: of {} to {} it would only ever "
                                   "choose {}",
                                   from, to, from));
            }
        }
        std::uint64_t bits = 0;
        for (int n = from; n <= to; n += step) bits |= std::uint64_t{1} << n;
        return bits;
    }

    std::uint64_t set_of(const Field& field, std::string_view text) const {
        std::uint64_t bits = 0;
        for (const auto item : split(text, ",")) {
            if (item == "?") refuse(field, text, "is only for days: write *");
            bits |= item_set(field, item);
        }
        return bits;
    }

    void days_of_month(std::string_view text) {
        Cron::Days& days = cron_.days_;
        days.any_day = text.starts_with('*') || text == "?";
        if (text == "?") text = "*";
        for (const auto item : split(text, ",")) {
            const std::string word = upper(item);
            if (word == "L") {
                days.before_last |= 1;
            } else if (word == "LW" || word == "WL") {
                days.last_working_day = true;
            } else if (word.starts_with("L-")) {
                const auto n = number(std::string_view{word}.substr(2));
                if (!n || *n < 1 || *n > 30)
                    refuse(kDay, item, "needs 1 to 30 days before the last");
                days.before_last |= 1u << *n;
            } else if (word.size() > 1 && word.ends_with('W')) {
                days.working_day_near |= 1u << value(kDay, item, item.substr(0, item.size() - 1));
            } else {
                days.days |= static_cast<std::uint32_t>(item_set(kDay, item));
            }
        }
    }

    void days_of_week(std::string_view text) {
        Cron::Days& days = cron_.days_;
        days.any_weekday = text.starts_with('*') || text == "?";
        if (text == "?") text = "*";
        for (const auto item : split(text, ",")) {
            const auto hash = item.find('#');
            if (hash != std::string_view::npos) {
                const auto nth = number(item.substr(hash + 1));
                if (!nth || *nth < 1 || *nth > 5)
                    refuse(kWeekday, item, "needs # and 1 to 5, which one in the month");
                const int weekday = value(kWeekday, item, item.substr(0, hash)) % 7;
                days.nth[static_cast<std::size_t>(weekday)] |= static_cast<std::uint8_t>(1 << *nth);
            } else if (item == "L" || item == "l") {
                refuse(kWeekday, item, "needs the weekday: 6L or SATL is the last Saturday");
            } else if (item.size() > 1 && (item.ends_with('L') || item.ends_with('l'))) {
                const int weekday = value(kWeekday, item, item.substr(0, item.size() - 1)) % 7;
                days.last_weekdays |= static_cast<std::uint8_t>(1 << weekday);
            } else {
                const std::uint64_t bits = item_set(kWeekday, item);
                days.weekdays |= static_cast<std::uint8_t>((bits | bits >> 7) & 0x7f);
            }
        }
    }

    // The calendar repeats after 400 years: what does not fit in these never will.
    void check_that_it_fires() const {
        for (int y = 2000; y < 2400; ++y) {
            for (unsigned m = 1; m <= 12; ++m) {
                if ((cron_.months_ >> m & 1) != 0 && cron_.days_of(year{y}, month{m}) != 0) return;
            }
        }
        refuse("it never fires: no month that it allows has such a day");
    }

    std::string_view text_;
    Cron cron_;
};

Cron Cron::parse(std::string_view text) { return CronReader{text}.cron(); }

}  // namespace belay::model
