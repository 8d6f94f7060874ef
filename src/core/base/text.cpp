// text.cpp — formatting and parsing without locales, so that every machine writes the same.
#include "core/base/text.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

namespace belay::base {
namespace {

using namespace std::chrono;

constexpr Time kFirst = sys_days{year{0} / January / 1};
constexpr Time kLast = Time{sys_days{year{10000} / January / 1}} - 1ms;

// Takes fixed-width parts off the front of a text; once one is missing, `ok` stays false.
struct Scanner {
    std::string_view rest;
    bool ok = true;

    int digits(std::size_t count) {
        if (rest.size() < count) return ok = false, 0;
        int value = 0;
        for (const char c : rest.substr(0, count)) {
            if (c < '0' || c > '9') return ok = false, 0;
            value = value * 10 + (c - '0');
        }
        rest.remove_prefix(count);
        return value;
    }

    void one_of(std::string_view allowed) {
        if (rest.empty() || allowed.find(rest[0]) == std::string_view::npos)
            ok = false;
        else
            rest.remove_prefix(1);
    }

    milliseconds fraction() {
        if (!rest.starts_with('.')) return 0ms;
        rest.remove_prefix(1);
        int value = 0;
        std::size_t count = 0;
        for (; !rest.empty() && rest[0] >= '0' && rest[0] <= '9'; rest.remove_prefix(1), ++count)
            if (count < 3) value = value * 10 + (rest[0] - '0');
        if (count == 0) ok = false;
        for (; count < 3; ++count) value *= 10;
        return milliseconds{value};
    }

    minutes offset() {
        if (rest.starts_with('Z') || rest.starts_with('z')) return rest.remove_prefix(1), 0min;
        const bool west = rest.starts_with('-');
        one_of("+-");
        const int h = digits(2);
        one_of(":");
        const int m = digits(2);
        if (h > 23 || m > 59) ok = false;
        return (west ? -1 : 1) * (hours{h} + minutes{m});
    }
};

}  // namespace

std::string format_time(Time time) {
    time = std::clamp(time, kFirst, kLast);
    const auto day = floor<days>(time);
    const year_month_day date{day};
    const hh_mm_ss clock{time - day};
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                       static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                       clock.hours().count(), clock.minutes().count(), clock.seconds().count(),
                       clock.subseconds().count());
}

std::optional<Time> parse_time(std::string_view text) {
    Scanner in{text};
    const int y = in.digits(4);
    in.one_of("-");
    const int mon = in.digits(2);
    in.one_of("-");
    const int d = in.digits(2);
    in.one_of("Tt ");
    const int h = in.digits(2);
    in.one_of(":");
    const int min = in.digits(2);
    in.one_of(":");
    const int s = in.digits(2);
    const auto fraction = in.fraction();
    const auto offset = in.offset();

    const auto date = year{y} / month{static_cast<unsigned>(mon)} / day{static_cast<unsigned>(d)};
    if (!in.ok || !in.rest.empty() || !date.ok() || h > 23 || min > 59 || s > 59) return {};
    return sys_days{date} + hours{h} + minutes{min} + seconds{s} + fraction - offset;
}

std::string format_duration(Duration duration) {
    if (duration < 0ms) {
        // -min() does not exist; one millisecond less is as good at 292 million years.
        return "-" + format_duration(-std::max(duration, Duration::min() + 1ms));
    }
    const auto ms = duration.count();
    const auto two = [](std::int64_t big, const char* unit, std::int64_t small,
                        const char* small_unit) {
        return small == 0 ? fmt::format("{} {}", big, unit)
                          : fmt::format("{} {} {} {}", big, unit, small, small_unit);
    };
    if (ms < 1000) return fmt::format("{} ms", ms);
    if (ms < 60'000) {
        const auto tenths = ms / 100 % 10;
        return tenths == 0 ? fmt::format("{} s", ms / 1000)
                           : fmt::format("{}.{} s", ms / 1000, tenths);
    }
    if (ms < 3'600'000) return two(ms / 60'000, "min", ms / 1000 % 60, "s");
    if (ms < 86'400'000) return two(ms / 3'600'000, "h", ms / 60'000 % 60, "min");
    return two(ms / 86'400'000, "d", ms / 3'600'000 % 24, "h");
}

std::string to_hex(std::span<const std::byte> bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string out;
    out.reserve(bytes.size() * 2);
    for (const std::byte b : bytes) {
        out += kDigits[std::to_integer<unsigned>(b) >> 4];
        out += kDigits[std::to_integer<unsigned>(b) & 15];
    }
    return out;
}

std::string to_hex(std::uint64_t number) { return fmt::format("{:016x}", number); }

}  // namespace belay::base
