#include "service/http/date.hpp"

#include <array>
#include <charconv>

#include <fmt/format.h>

#include "service/http/headers.hpp"

namespace belay::http {
namespace {

constexpr std::array<std::string_view, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
constexpr std::array<std::string_view, 7> kDays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};

std::optional<int> number(std::string_view text) {
    int value = 0;
    const auto end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || at != end || value < 0) return std::nullopt;
    return value;
}

}  // namespace

std::optional<Time> parse_date(std::string_view text) {
    text = trim(text);
    if (text.size() != 29 || text.substr(3, 2) != ", " || text[7] != ' ' || text[11] != ' ' ||
        text[16] != ' ' || text[19] != ':' || text[22] != ':' || text.substr(25) != " GMT") {
        return std::nullopt;
    }
    unsigned month = 1;
    while (month <= 12 && kMonths[month - 1] != text.substr(8, 3)) ++month;
    const auto day = number(text.substr(5, 2)), year = number(text.substr(12, 4)),
               hour = number(text.substr(17, 2)), minute = number(text.substr(20, 2)),
               second = number(text.substr(23, 2));
    if (month > 12 || !day || !year || !hour || !minute || !second || *hour > 23 || *minute > 59 ||
        *second > 60) {
        return std::nullopt;
    }
    const std::chrono::year_month_day date{std::chrono::year{*year}, std::chrono::month{month},
                                           std::chrono::day{static_cast<unsigned>(*day)}};
    if (!date.ok()) return std::nullopt;
    return Time{std::chrono::sys_days{date}} + std::chrono::hours{*hour} +
           std::chrono::minutes{*minute} + std::chrono::seconds{*second};
}

std::string format_date(Time time) {
    const auto day = std::chrono::floor<std::chrono::days>(time);
    const std::chrono::year_month_day date{day};
    const std::chrono::hh_mm_ss clock{std::chrono::floor<std::chrono::seconds>(time - day)};
    return fmt::format(
        "{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT", kDays[std::chrono::weekday{day}.c_encoding()],
        static_cast<unsigned>(date.day()), kMonths[static_cast<unsigned>(date.month()) - 1],
        static_cast<int>(date.year()), clock.hours().count(), clock.minutes().count(),
        clock.seconds().count());
}

std::optional<Duration> parse_retry_after(std::string_view text, Time now) {
    text = trim(text);
    if (const auto seconds = number(text)) return std::chrono::seconds{*seconds};
    const auto date = parse_date(text);
    if (!date) return std::nullopt;
    return std::max(Duration{0}, *date - now);
}

}  // namespace belay::http
