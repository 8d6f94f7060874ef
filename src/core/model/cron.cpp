// cron.cpp — finds ticks by jumping from field to field, and from one stretch of constant offset to the
// next; never by trying one minute after another.
#include "core/model/cron.hpp"

#include <algorithm>
#include <bit>

namespace belay::model {

using namespace std::chrono;
using base::TimeZone;
using base::ZoneSpan;

namespace {

constexpr sys_seconds kLastMoment = sys_days{year{9000} / January / 1};

// The lowest set bit at `from` or above; nothing if there is none.
template <class Bits>
std::optional<int> bit_from(Bits bits, int from) {
    if (from >= static_cast<int>(sizeof(Bits) * 8)) return std::nullopt;
    const auto rest = static_cast<Bits>(bits >> from);
    if (rest == 0) return std::nullopt;
    return from + std::countr_zero(rest);
}

unsigned days_in(year y, month m) { return static_cast<unsigned>((y / m / last).day()); }

// The working day nearest to `day` without leaving the month; as cron users know it from Quartz.
unsigned working_day_near(year y, month m, unsigned day) {
    const unsigned weekday_no = weekday{local_days{y / m / std::chrono::day{day}}}.c_encoding();
    if (weekday_no == 6) return day == 1 ? 3 : day - 1;
    if (weekday_no == 0) return day == days_in(y, m) ? day - 2 : day + 1;
    return day;
}

unsigned last_working_day(year y, month m) { return working_day_near(y, m, days_in(y, m)); }

}  // namespace

// Bit n: day n fires.
std::uint32_t Cron::days_of(year y, month m) const {
    const unsigned count = days_in(y, m);
    const unsigned first_weekday = weekday{local_days{y / m / 1}}.c_encoding();
    const std::uint32_t all = static_cast<std::uint32_t>((std::uint64_t{1} << (count + 1)) - 2);

    std::uint32_t by_day = days_.days & all;
    for (unsigned n = 0; n < count; ++n) {
        if ((days_.before_last >> n & 1) != 0) by_day |= 1u << (count - n);
    }
    for (unsigned n = 1; days_.working_day_near != 0 && n <= count; ++n) {
        if ((days_.working_day_near >> n & 1) != 0) by_day |= 1u << working_day_near(y, m, n);
    }
    if (days_.last_working_day) by_day |= 1u << last_working_day(y, m);

    std::uint32_t by_weekday = 0;
    for (unsigned day = 1; day <= count; ++day) {
        const unsigned weekday_no = (first_weekday + day - 1) % 7;
        const unsigned nth = (day - 1) / 7 + 1;
        const bool fits = (days_.weekdays >> weekday_no & 1) != 0 ||
                          (days_.nth[weekday_no] >> nth & 1) != 0 ||
                          ((days_.last_weekdays >> weekday_no & 1) != 0 && day + 7 > count);
        if (fits) by_weekday |= 1u << day;
    }
    return days_.any_day || days_.any_weekday ? by_day & by_weekday : by_day | by_weekday;
}

std::optional<seconds> Cron::time_of_day_from(seconds from) const {
    const hh_mm_ss clock{from};
    int h = static_cast<int>(clock.hours().count());
    int m = static_cast<int>(clock.minutes().count());
    int s = static_cast<int>(clock.seconds().count());
    while (const auto hour = bit_from(hours_, h)) {
        if (*hour != h) m = s = 0;
        h = *hour;
        while (const auto minute = bit_from(minutes_, m)) {
            if (*minute != m) s = 0;
            m = *minute;
            if (const auto second = bit_from(seconds_, s))
                return hours{h} + minutes{m} + seconds{*second};
            ++m;
            s = 0;
        }
        ++h;
        m = s = 0;
    }
    return std::nullopt;
}

std::optional<local_seconds> Cron::next_local(local_seconds from, local_seconds before) const {
    const local_days first_day = floor<days>(from);
    const year_month_day date{first_day};
    auto day_min = static_cast<unsigned>(date.day());
    for (year_month ym = date.year() / date.month(); local_seconds{local_days{ym / 1}} < before;
         ym += months{1}, day_min = 1) {
        const auto month_no = static_cast<unsigned>(ym.month());
        if ((months_ >> month_no & 1) == 0) continue;
        const std::uint32_t fitting = days_of(ym.year(), ym.month());
        for (auto day = bit_from(fitting, static_cast<int>(day_min)); day;
             day = bit_from(fitting, *day + 1)) {
            const local_days at{ym / std::chrono::day{static_cast<unsigned>(*day)}};
            const auto time = time_of_day_from(at == first_day ? from - at : seconds{0});
            if (!time) continue;  // too late on the first day
            const local_seconds found = at + *time;
            return found < before ? std::optional{found} : std::nullopt;
        }
    }
    return std::nullopt;
}

// The first tick in [from, span.end), where `from` is in the span.
std::optional<sys_seconds> Cron::next_in_span(const ZoneSpan& span, sys_seconds from,
                                              const TimeZone& zone) const {
    local_seconds local_from = span.to_local(from);
    if (!follows_real_time_ && span.begin > sys_seconds::min()) {
        // What the clock of the span before would show at this moment.
        const ZoneSpan before = zone.span_at(span.begin - seconds{1});
        const local_seconds left = before.to_local(span.begin);
        const local_seconds entered = span.to_local(span.begin);
        // Clocks were put forward: what they jumped over fires now, once.
        if (from == span.begin && left < entered && next_local(left, entered)) return from;
        // Clocks were put back: what they show again has fired.
        local_from = std::max(local_from, left);
    }
    const local_seconds local_end =
        span.end == sys_seconds::max() ? span.to_local(kLastMoment) : span.to_local(span.end);
    const auto found = next_local(local_from, local_end);
    return found ? std::optional{span.to_utc(*found)} : std::nullopt;
}

std::optional<Time> Cron::next_after(Time time, const TimeZone& zone) const {
    const sys_seconds first_second = sys_days{year{1} / January / 1};
    sys_seconds from = std::max(floor<seconds>(time) + seconds{1}, first_second);
    if (every_) {
        // Counted from 1970, so that every worker and every restart has the same ticks.
        const auto passed = floor<seconds>(time).time_since_epoch();
        const auto into = (passed % *every_ + *every_) % *every_;
        return floor<seconds>(time) - into + *every_;
    }
    while (from < kLastMoment) {
        const ZoneSpan span = zone.span_at(from);
        if (const auto found = next_in_span(span, from, zone)) return *found;
        if (span.end == sys_seconds::max()) break;
        from = span.end;
    }
    return std::nullopt;
}

std::optional<Time> Cron::last_until(Time time, const TimeZone& zone) const {
    // Widens a window until it holds a tick, then halves towards the last one in it.
    const auto tick_in = [&](Time after) -> std::optional<Time> {
        const auto next = next_after(after, zone);
        return next && *next <= time ? next : std::nullopt;
    };
    std::optional<Time> last;
    for (Duration window = seconds{1}; !last && window < days{146'097 * 2}; window *= 8)
        last = tick_in(time - window);
    if (!last) return std::nullopt;
    Time none_after = time;
    while (*last < none_after) {
        const Time middle = *last + (none_after - *last) / 2;
        if (const auto later = tick_in(middle))
            last = later;
        else
            none_after = middle;
    }
    return last;
}

Ticks Cron::ticks_between(Time from, Time to, const TimeZone& zone, std::size_t at_most) const {
    Ticks ticks;
    for (auto next = next_after(from, zone); next && *next <= to; next = next_after(*next, zone)) {
        if (ticks.times.size() == at_most) {
            ticks.more = true;
            break;
        }
        ticks.times.push_back(*next);
    }
    return ticks;
}

}  // namespace belay::model
