// cron.hpp — when a schedule fires: a cron expression, and its ticks in a time zone.
//
//   ┌ second (0–59), may be left out      0 3 * * *          03:00 every day
//   │ ┌ minute (0–59)                     */10 * * * * *     every ten seconds
//   │ │ ┌ hour (0–23)                     0 9-17 * * MON-FRI on the hour in office hours
//   │ │ │ ┌ day of month (1–31)           0 0 L * *          the last day of every month
//   │ │ │ │ ┌ month (1–12, JAN–DEC)       0 12 * * FRI#2     the second Friday
//   │ │ │ │ │ ┌ day of week (0–7, SUN–SAT; 0 and 7 are Sunday)
//   * * * * * *                           @daily, @every 90m
//
// Each field is `*` (or `?` for the two kinds of day), numbers, names, ranges `1-5`, steps `*/15`,
// `10-40/10`, `5/15`, and lists of these. Day of month also `L`, `L-3` (three days before the last),
// `15W` (the working day nearest the 15th in its month), `LW`; day of week also `FRIL` (the last Friday)
// and `FRI#2`. If both kinds of day are given, a day that fits either fires, as in every cron since
// Vixie's; if one of them begins with `*` or is `?`, both must fit.
//
// Clocks are put forward and back. An hour field of `*` (or `*/n`) means an interval: it follows real
// time, so it fires in both of the hours that are shown twice, and not in one that is skipped. Any
// other hour means a fixed time of the day: one that is skipped fires once, at the moment after the
// jump; one that is shown twice fires the first time only. A daily job runs once every day.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <belay/time.hpp>

#include "core/base/time_zone.hpp"

namespace belay::model {

struct Ticks {
    std::vector<Time> times{};  // in the order of time
    bool more = false;          // there are others, later in the span that was asked for
};

// A value; all functions may be called from any thread.
class Cron {
public:
    // Throws Error{InvalidArgument} naming the field, what is wrong and what is allowed; also for what
    // can never fire, such as 31 February.
    static Cron parse(std::string_view text);

    // As it was given.
    const std::string& text() const { return text_; }

    // The first tick after `time`; nothing after the year 9000. Takes microseconds, however far away
    // the tick is.
    std::optional<Time> next_after(Time time, const base::TimeZone& zone) const;

    // The last tick at `time` or before it; nothing if none lies in the 400 years before.
    std::optional<Time> last_until(Time time, const base::TimeZone& zone) const;

    // The ticks after `from` and until `to` (which counts), `at_most` of them.
    Ticks ticks_between(Time from, Time to, const base::TimeZone& zone, std::size_t at_most) const;

private:
    friend class CronReader;

    // Days of a month that depend on the month.
    struct Days {
        std::uint32_t days = 0;              // bit n: day n
        std::uint32_t before_last = 0;       // bit n: n days before the last
        std::uint32_t working_day_near = 0;  // bit n: the working day nearest day n
        bool last_working_day = false;
        std::uint8_t weekdays = 0;          // bit n: weekday n, Sunday is 0
        std::uint8_t last_weekdays = 0;     // bit n: the last weekday n
        std::array<std::uint8_t, 7> nth{};  // of weekday n, bit k: the k-th
        bool any_day = false;               // day of month begins with * or is ?
        bool any_weekday = false;
    };

    std::uint32_t days_of(std::chrono::year year, std::chrono::month month) const;
    std::optional<std::chrono::seconds> time_of_day_from(std::chrono::seconds from) const;
    // The first fitting local time in [from, before).
    std::optional<std::chrono::local_seconds> next_local(std::chrono::local_seconds from,
                                                         std::chrono::local_seconds before) const;
    std::optional<std::chrono::sys_seconds> next_in_span(const base::ZoneSpan& span,
                                                         std::chrono::sys_seconds from,
                                                         const base::TimeZone& zone) const;

    std::string text_{};
    std::optional<std::chrono::seconds> every_{};  // then the fields mean nothing
    std::uint64_t seconds_ = 0, minutes_ = 0;
    std::uint32_t hours_ = 0;
    std::uint16_t months_ = 0;  // bit n: month n
    Days days_{};
    bool follows_real_time_ = false;
};

}  // namespace belay::model
