#include "core/base/duration_text.hpp"

#include <array>
#include <cstdint>
#include <string>

#include "core/base/text.hpp"

namespace belay::base {
namespace {

using namespace std::chrono;

struct Unit {
    std::string_view word;
    std::int64_t ms;
};

constexpr std::array kUnits{
    Unit{"ms", 1},
    Unit{"s", 1000},
    Unit{"sec", 1000},
    Unit{"m", 60'000},
    Unit{"min", 60'000},
    Unit{"h", 3'600'000},
    Unit{"d", 24 * 3'600'000},
    Unit{"w", 168 * 3'600'000},
};

constexpr std::int64_t kMsMax = 10'000LL * 366 * 24 * 3'600'000;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

void skip_spaces(std::string_view& text) {
    while (text.starts_with(' ')) text.remove_prefix(1);
}

// A decimal number of up to fifteen digits, as a whole number and a power of ten to divide it by.
struct Decimal {
    std::int64_t digits = 0;
    std::int64_t divisor = 1;
};

std::optional<Decimal> take_decimal(std::string_view& text) {
    Decimal out;
    int count = 0;
    bool fraction = false;
    while (!text.empty() && (is_digit(text[0]) || (text[0] == '.' && !fraction && count > 0))) {
        if (text[0] == '.') {
            fraction = true;
            if (text.size() < 2 || !is_digit(text[1])) return std::nullopt;
        } else {
            if (++count > 15) return std::nullopt;
            out.digits = out.digits * 10 + (text[0] - '0');
            if (fraction) out.divisor *= 10;
        }
        text.remove_prefix(1);
    }
    return count == 0 ? std::nullopt : std::optional{out};
}

std::optional<std::int64_t> take_unit(std::string_view& text) {
    std::size_t n = 0;
    while (n < text.size() && text[n] >= 'a' && text[n] <= 'z') ++n;
    for (const Unit& unit : kUnits) {
        if (unit.word != text.substr(0, n)) continue;
        text.remove_prefix(n);
        return unit.ms;
    }
    return std::nullopt;
}

}  // namespace

std::optional<Duration> parse_duration(std::string_view text) {
    if (text.empty() || text.size() > 64) return std::nullopt;
    std::int64_t sum = 0;
    for (bool first = true; !text.empty(); first = false) {
        if (!first) skip_spaces(text);
        const auto number = take_decimal(text);
        skip_spaces(text);
        const auto unit = take_unit(text);
        if (!number || !unit) return std::nullopt;
        // Whole units first: the product of fifteen digits and a week would not fit.
        const std::int64_t whole = number->digits / number->divisor;
        const std::int64_t part = number->digits % number->divisor;
        if (whole > kMsMax / *unit) return std::nullopt;
        if (part != 0 && number->divisor > 1'000'000) return std::nullopt;
        if (part * *unit % number->divisor != 0) return std::nullopt;
        sum += whole * *unit + part * *unit / number->divisor;
        if (sum > kMsMax) return std::nullopt;
    }
    return Duration{sum};
}

std::optional<Time> parse_moment(std::string_view text, Time now) {
    if (const auto time = parse_time(text)) return time;
    if (text.size() == 10) {
        if (const auto day = parse_time(std::string{text} + "T00:00:00Z")) return day;
    }
    if (const auto ago = parse_duration(text)) return now - *ago;
    return std::nullopt;
}

}  // namespace belay::base
