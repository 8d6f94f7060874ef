#include "core/model/cron.hpp"

#include <gtest/gtest.h>

#include <belay/error.hpp>

#include "core/base/text.hpp"

namespace belay::model {
namespace {

using namespace std::chrono;
using base::TimeZone;
using Texts = std::vector<std::string>;

const TimeZone& stockholm() {
    static const TimeZone kZone =
        TimeZone::by_rule("Europe/Stockholm", "CET-1CEST,M3.5.0,M10.5.0/3");
    return kZone;
}
const TimeZone& new_york() {
    static const TimeZone kZone = TimeZone::by_rule("America/New_York", "EST5EDT,M3.2.0,M11.1.0");
    return kZone;
}

Time utc(std::string_view text) { return base::parse_time(text).value(); }

// The wall clock and its zone: "2026-03-29 03:00 CEST".
std::string shown(Time time, const TimeZone& zone) {
    const auto span = zone.span_at(floor<seconds>(time));
    const auto local = span.to_local(floor<seconds>(time)).time_since_epoch();
    std::string text = base::format_time(Time{local});
    text[10] = ' ';
    return text.substr(0, text.substr(17, 2) == "00" ? 16 : 19) + " " + span.offset.abbreviation;
}

// The first ticks after a moment.
Texts ticks(std::string_view cron, std::string_view after, std::size_t count,
            const TimeZone& zone = TimeZone::utc()) {
    Texts out;
    const auto found =
        Cron::parse(cron).ticks_between(utc(after), utc("3000-01-01T00:00:00Z"), zone, count);
    for (const Time time : found.times) out.push_back(shown(time, zone));
    return out;
}

std::string refused(std::string_view text) {
    try {
        Cron::parse(text);
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
        return error.what();
    }
    return "not refused";
}

// ---- fields

TEST(Cron, five_fields_begin_with_the_minute) {
    EXPECT_EQ(ticks("30 3 * * *", "2026-01-01T00:00:00Z", 2),
              (Texts{"2026-01-01 03:30 UTC", "2026-01-02 03:30 UTC"}));
}

TEST(Cron, six_fields_begin_with_the_second) {
    EXPECT_EQ(ticks("*/20 30 3 * * *", "2026-01-01T00:00:00Z", 4),
              (Texts{"2026-01-01 03:30 UTC", "2026-01-01 03:30:20 UTC", "2026-01-01 03:30:40 UTC",
                     "2026-01-02 03:30 UTC"}));
}

TEST(Cron, a_tick_comes_strictly_after_the_moment_asked_for) {
    EXPECT_EQ(ticks("0 3 * * *", "2026-01-01T03:00:00Z", 1), Texts{"2026-01-02 03:00 UTC"});
    EXPECT_EQ(ticks("0 3 * * *", "2026-01-01T02:59:59.999Z", 1), Texts{"2026-01-01 03:00 UTC"});
    EXPECT_EQ(ticks("0 3 * * *", "2026-01-01T03:00:00.001Z", 1), Texts{"2026-01-02 03:00 UTC"});
}

TEST(Cron, lists_ranges_steps_and_names) {
    EXPECT_EQ(ticks("5,10-30/10,50/5 0 * * *", "2026-01-01T00:00:00Z", 6),
              (Texts{"2026-01-01 00:05 UTC", "2026-01-01 00:10 UTC", "2026-01-01 00:20 UTC",
                     "2026-01-01 00:30 UTC", "2026-01-01 00:50 UTC", "2026-01-01 00:55 UTC"}));
    EXPECT_EQ(ticks("0 0 1 jan,Jul *", "2026-02-01T00:00:00Z", 2),
              (Texts{"2026-07-01 00:00 UTC", "2027-01-01 00:00 UTC"}));
    EXPECT_EQ(ticks("0 9 * * MON-FRI", "2026-01-02T10:00:00Z", 2),
              (Texts{"2026-01-05 09:00 UTC", "2026-01-06 09:00 UTC"}));
}

TEST(Cron, sunday_is_0_and_7_and_may_end_a_week) {
    for (const auto* text : {"0 0 * * 0", "0 0 * * 7", "0 0 * * SUN", "0 0 * * sun"})
        EXPECT_EQ(ticks(text, "2026-01-01T00:00:00Z", 1), Texts{"2026-01-04 00:00 UTC"}) << text;
    for (const auto* text : {"0 0 * * 6-7", "0 0 * * SAT-SUN", "0 0 * * 6,0"}) {
        EXPECT_EQ(ticks(text, "2026-01-01T00:00:00Z", 3),
                  (Texts{"2026-01-03 00:00 UTC", "2026-01-04 00:00 UTC", "2026-01-10 00:00 UTC"}))
            << text;
    }
}

TEST(Cron, a_day_of_the_month_or_a_day_of_the_week_fires_if_both_are_given) {
    // Vixie's rule: the 13th, and every Friday.
    EXPECT_EQ(ticks("0 0 13 * FRI", "2026-01-08T00:00:00Z", 4),
              (Texts{"2026-01-09 00:00 UTC", "2026-01-13 00:00 UTC", "2026-01-16 00:00 UTC",
                     "2026-01-23 00:00 UTC"}));
    // One that begins with * narrows the other instead.
    EXPECT_EQ(ticks("0 0 */2 * FRI", "2026-01-01T00:00:00Z", 2),
              (Texts{"2026-01-09 00:00 UTC", "2026-01-23 00:00 UTC"}));
    EXPECT_EQ(ticks("0 0 13 * ?", "2026-01-01T00:00:00Z", 1), Texts{"2026-01-13 00:00 UTC"});
    EXPECT_EQ(ticks("0 0 ? * FRI", "2026-01-01T00:00:00Z", 1), Texts{"2026-01-02 00:00 UTC"});
}

TEST(Cron, the_31st_comes_in_seven_months) {
    EXPECT_EQ(ticks("0 0 31 * *", "2026-01-01T00:00:00Z", 7),
              (Texts{"2026-01-31 00:00 UTC", "2026-03-31 00:00 UTC", "2026-05-31 00:00 UTC",
                     "2026-07-31 00:00 UTC", "2026-08-31 00:00 UTC", "2026-10-31 00:00 UTC",
                     "2026-12-31 00:00 UTC"}));
}

TEST(Cron, the_last_day_knows_leap_years) {
    EXPECT_EQ(ticks("0 0 L 2 *", "2023-01-01T00:00:00Z", 2),
              (Texts{"2023-02-28 00:00 UTC", "2024-02-29 00:00 UTC"}));
    EXPECT_EQ(ticks("0 0 L-2 * *", "2026-01-01T00:00:00Z", 2),
              (Texts{"2026-01-29 00:00 UTC", "2026-02-26 00:00 UTC"}));
    EXPECT_EQ(ticks("0 0 1,L * *", "2026-01-02T00:00:00Z", 2),
              (Texts{"2026-01-31 00:00 UTC", "2026-02-01 00:00 UTC"}));
}

TEST(Cron, the_29th_of_february_skips_common_years_and_most_centuries) {
    EXPECT_EQ(ticks("0 0 29 2 *", "2026-01-01T00:00:00Z", 2),
              (Texts{"2028-02-29 00:00 UTC", "2032-02-29 00:00 UTC"}));
    EXPECT_EQ(ticks("0 0 29 2 *", "2096-03-01T00:00:00Z", 1, stockholm()),
              Texts{"2104-02-29 00:00 CET"});
}

TEST(Cron, weekdays_can_be_counted) {
    EXPECT_EQ(ticks("0 0 * * FRI#2", "2026-01-01T00:00:00Z", 2),
              (Texts{"2026-01-09 00:00 UTC", "2026-02-13 00:00 UTC"}));
    EXPECT_EQ(ticks("0 0 * * 5L", "2026-01-01T00:00:00Z", 2),
              (Texts{"2026-01-30 00:00 UTC", "2026-02-27 00:00 UTC"}));
    EXPECT_EQ(ticks("0 0 * * MON#1,MON#5", "2026-03-01T00:00:00Z", 3),
              (Texts{"2026-03-02 00:00 UTC", "2026-03-30 00:00 UTC", "2026-04-06 00:00 UTC"}));
}

TEST(Cron, the_working_day_nearest_a_date_stays_in_its_month) {
    EXPECT_EQ(ticks("0 0 15W * *", "2026-02-01T00:00:00Z", 1), Texts{"2026-02-16 00:00 UTC"});
    EXPECT_EQ(ticks("0 0 1W 8 *", "2026-01-01T00:00:00Z", 1), Texts{"2026-08-03 00:00 UTC"});
    EXPECT_EQ(ticks("0 0 LW * *", "2026-05-01T00:00:00Z", 1), Texts{"2026-05-29 00:00 UTC"});
    EXPECT_EQ(ticks("0 0 31W 5 *", "2026-01-01T00:00:00Z", 1), Texts{"2026-05-29 00:00 UTC"});
}

TEST(Cron, names_for_common_ones) {
    EXPECT_EQ(ticks("@hourly", "2026-01-01T00:30:00Z", 1), Texts{"2026-01-01 01:00 UTC"});
    EXPECT_EQ(ticks("@daily", "2026-01-01T00:30:00Z", 1), Texts{"2026-01-02 00:00 UTC"});
    EXPECT_EQ(ticks("@midnight", "2026-01-01T00:30:00Z", 1), Texts{"2026-01-02 00:00 UTC"});
    EXPECT_EQ(ticks("@weekly", "2026-01-01T00:30:00Z", 1), Texts{"2026-01-04 00:00 UTC"});
    EXPECT_EQ(ticks("@monthly", "2026-01-01T00:30:00Z", 1), Texts{"2026-02-01 00:00 UTC"});
    EXPECT_EQ(ticks(" @Yearly ", "2026-01-01T00:30:00Z", 1), Texts{"2027-01-01 00:00 UTC"});
}

TEST(Cron, every_so_often_is_counted_from_1970_in_every_zone) {
    EXPECT_EQ(ticks("@every 90m", "2026-01-01T00:00:00Z", 2),
              (Texts{"2026-01-01 01:30 UTC", "2026-01-01 03:00 UTC"}));
    EXPECT_EQ(Cron::parse("@every 90m").next_after(utc("2026-01-01T00:00:00Z"), stockholm()),
              utc("2026-01-01T01:30:00Z"));
    EXPECT_EQ(Cron::parse("@every 1h").next_after(utc("1969-12-31T22:30:00Z"), stockholm()),
              utc("1969-12-31T23:00:00Z"));
}

// ---- daylight saving

TEST(CronDaylightSaving, a_fixed_time_that_is_skipped_fires_once_at_the_moment_after) {
    EXPECT_EQ(ticks("30 2 * * *", "2026-03-28T00:00:00Z", 3, stockholm()),
              (Texts{"2026-03-28 02:30 CET", "2026-03-29 03:00 CEST", "2026-03-30 02:30 CEST"}));
    EXPECT_EQ(ticks("30 2 * * *", "2026-03-07T05:00:00Z", 3, new_york()),
              (Texts{"2026-03-07 02:30 EST", "2026-03-08 03:00 EDT", "2026-03-09 02:30 EDT"}));
}

TEST(CronDaylightSaving, several_fixed_times_that_are_skipped_fire_once_together) {
    EXPECT_EQ(ticks("0,20,40 1-3 * * *", "2026-03-29T00:00:00Z", 6, stockholm()),
              (Texts{"2026-03-29 01:20 CET", "2026-03-29 01:40 CET", "2026-03-29 03:00 CEST",
                     "2026-03-29 03:20 CEST", "2026-03-29 03:40 CEST", "2026-03-30 01:00 CEST"}));
}

TEST(CronDaylightSaving, a_fixed_time_that_is_shown_twice_fires_the_first_time) {
    EXPECT_EQ(ticks("30 2 * * *", "2026-10-24T00:00:00Z", 3, stockholm()),
              (Texts{"2026-10-24 02:30 CEST", "2026-10-25 02:30 CEST", "2026-10-26 02:30 CET"}));
    EXPECT_EQ(ticks("30 1 * * *", "2026-10-31T05:00:00Z", 3, new_york()),
              (Texts{"2026-10-31 01:30 EDT", "2026-11-01 01:30 EDT", "2026-11-02 01:30 EST"}));
    EXPECT_EQ(ticks("*/30 1,2 * * *", "2026-11-01T04:00:00Z", 5, new_york()),
              (Texts{"2026-11-01 01:00 EDT", "2026-11-01 01:30 EDT", "2026-11-01 02:00 EST",
                     "2026-11-01 02:30 EST", "2026-11-02 01:00 EST"}));
}

TEST(CronDaylightSaving, the_edges_of_the_change_belong_to_the_side_that_shows_them) {
    EXPECT_EQ(ticks("0 2 * * *", "2026-03-29T00:00:00Z", 1, stockholm()),
              Texts{"2026-03-29 03:00 CEST"});
    EXPECT_EQ(ticks("0 3 * * *", "2026-03-29T00:00:00Z", 2, stockholm()),
              (Texts{"2026-03-29 03:00 CEST", "2026-03-30 03:00 CEST"}));
    EXPECT_EQ(ticks("0 2 * * *", "2026-10-25T00:00:00Z", 1, stockholm()),
              Texts{"2026-10-26 02:00 CET"});
    EXPECT_EQ(ticks("0 3 * * *", "2026-10-25T00:00:00Z", 1, stockholm()),
              Texts{"2026-10-25 03:00 CET"});
}

TEST(CronDaylightSaving, an_interval_follows_real_time) {
    EXPECT_EQ(ticks("0 * * * *", "2026-03-28T23:30:00Z", 3, stockholm()),
              (Texts{"2026-03-29 01:00 CET", "2026-03-29 03:00 CEST", "2026-03-29 04:00 CEST"}));
    EXPECT_EQ(ticks("0 * * * *", "2026-10-24T23:30:00Z", 4, stockholm()),
              (Texts{"2026-10-25 02:00 CEST", "2026-10-25 02:00 CET", "2026-10-25 03:00 CET",
                     "2026-10-25 04:00 CET"}));
    EXPECT_EQ(ticks("*/30 * * * *", "2026-11-01T05:15:00Z", 5, new_york()),
              (Texts{"2026-11-01 01:30 EDT", "2026-11-01 01:00 EST", "2026-11-01 01:30 EST",
                     "2026-11-01 02:00 EST", "2026-11-01 02:30 EST"}));
    EXPECT_EQ(ticks("*/30 * * * *", "2026-03-08T06:15:00Z", 3, new_york()),
              (Texts{"2026-03-08 01:30 EST", "2026-03-08 03:00 EDT", "2026-03-08 03:30 EDT"}));
}

TEST(CronDaylightSaving, an_hour_field_with_all_hours_is_an_interval_too) {
    EXPECT_EQ(ticks("0 0-23 * * *", "2026-10-24T23:30:00Z", 2, stockholm()),
              (Texts{"2026-10-25 02:00 CEST", "2026-10-25 02:00 CET"}));
}

TEST(CronDaylightSaving, a_midnight_that_does_not_exist_fires_at_one) {
    const auto cairo = TimeZone::by_rule("Africa/Cairo", "EET-2EEST,M4.5.5/0,M10.5.4/24");

    EXPECT_EQ(ticks("0 0 * * *", "2026-04-22T22:00:00Z", 3, cairo),
              (Texts{"2026-04-24 01:00 EEST", "2026-04-25 00:00 EEST", "2026-04-26 00:00 EEST"}));
}

TEST(CronDaylightSaving, half_an_hour_is_a_change_like_any_other) {
    const auto lord_howe =
        TimeZone::by_rule("Australia/Lord_Howe", "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0");

    EXPECT_EQ(ticks("15 2 * * *", "2026-10-03T12:00:00Z", 2, lord_howe),
              (Texts{"2026-10-04 02:30 +11", "2026-10-05 02:15 +11"}));
    EXPECT_EQ(ticks("45 1 * * *", "2026-04-04T12:00:00Z", 2, lord_howe),
              (Texts{"2026-04-05 01:45 +11", "2026-04-06 01:45 +1030"}));
}

// ---- against a reader of every minute

struct Wanted {
    std::vector<int> minutes, hours;
    bool every_hour = false;

    std::string text() const {
        const auto list = [](const std::vector<int>& values) {
            return fmt::format("{}", fmt::join(values, ","));
        };
        return fmt::format("{} {} * * *", list(minutes), every_hour ? "*" : list(hours));
    }
    bool fits(local_seconds local) const {
        const auto in_day = local - floor<days>(local);
        const auto has = [](const std::vector<int>& values, std::int64_t n) {
            return std::find(values.begin(), values.end(), n) != values.end();
        };
        return in_day % 1min == 0s && has(minutes, in_day / 1min % 60) &&
               (every_hour || has(hours, in_day / 1h));
    }
};

std::vector<Time> minute_by_minute(const Wanted& wanted, sys_seconds from, sys_seconds to,
                                   const TimeZone& zone) {
    std::vector<Time> out;
    for (sys_seconds t = from + 1min; t <= to; t += 1min) {
        const auto local = zone.to_local(t);
        bool fires = wanted.fits(local);
        if (!wanted.every_hour) {
            const auto moment = zone.to_utc(local);
            if (const auto* twice = std::get_if<base::LocalTwice>(&moment))
                fires = fires && twice->first == t;
            for (local_seconds gone = zone.to_local(t - 1min) + 1min; gone < local; gone += 1min)
                fires = fires || wanted.fits(gone);
        }
        if (fires) out.push_back(t);
    }
    return out;
}

TEST(CronDaylightSaving, agrees_with_trying_every_minute_for_many_expressions) {
    std::uint64_t seed = 20261115;
    const auto below = [&](std::uint64_t bound) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        return static_cast<int>((seed >> 33) % bound);
    };
    for (int round = 0; round < 60; ++round) {
        Wanted wanted;
        wanted.every_hour = round % 3 == 0;
        for (int i = 0; i < 1 + below(3); ++i) wanted.minutes.push_back(below(60));
        for (int i = 0; i < 1 + below(4); ++i) wanted.hours.push_back(below(i == 0 ? 4 : 24));
        const auto cron = Cron::parse(wanted.text());
        for (const auto* zone : {&stockholm(), &new_york()}) {
            for (const auto* day : {"2026-03-08T00:00:00Z", "2026-03-29T00:00:00Z",
                                    "2026-10-25T00:00:00Z", "2026-11-01T00:00:00Z"}) {
                const auto from = floor<seconds>(utc(day)) - 26h;
                const auto to = from + 52h;
                ASSERT_EQ(cron.ticks_between(from, to, *zone, 10'000).times,
                          minute_by_minute(wanted, from, to, *zone))
                    << wanted.text() << " in " << zone->name() << " around " << day;
            }
        }
    }
}

// ---- spans of ticks

TEST(Cron, ticks_between_counts_the_end_and_not_the_start_and_says_when_there_are_more) {
    const auto cron = Cron::parse("0 * * * *");
    const auto from = utc("2026-01-01T00:00:00Z");

    const auto all = cron.ticks_between(from, utc("2026-01-01T03:00:00Z"), TimeZone::utc(), 3);
    const auto some = cron.ticks_between(from, utc("2026-01-01T03:00:00Z"), TimeZone::utc(), 2);
    const auto none = cron.ticks_between(from, from, TimeZone::utc(), 2);

    EXPECT_EQ(all.times.size(), 3u);
    EXPECT_FALSE(all.more);
    EXPECT_EQ(some.times.size(), 2u);
    EXPECT_TRUE(some.more);
    EXPECT_TRUE(none.times.empty());
    EXPECT_FALSE(none.more);
}

TEST(Cron, the_last_tick_until_a_moment_is_found_without_walking_there) {
    const auto last = [](std::string_view cron, std::string_view until) {
        const auto found = Cron::parse(cron).last_until(utc(until), stockholm());
        return found ? shown(*found, stockholm()) : "none";
    };

    EXPECT_EQ(last("* * * * * *", "2026-06-01T12:00:00.500Z"), "2026-06-01 14:00 CEST");
    EXPECT_EQ(last("0 3 * * *", "2026-06-01T01:00:00Z"), "2026-06-01 03:00 CEST");
    EXPECT_EQ(last("0 3 * * *", "2026-06-01T00:59:59.999Z"), "2026-05-31 03:00 CEST");
    EXPECT_EQ(last("0 0 29 2 *", "2027-06-01T00:00:00Z"), "2024-02-29 00:00 CET");
    EXPECT_EQ(last("30 2 * * *", "2026-03-29T12:00:00Z"), "2026-03-29 03:00 CEST");
}

TEST(Cron, a_tick_years_away_is_found_in_microseconds) {
    // Ten thousand questions; by steps of a minute that would be 4 × 10^10 of them.
    const auto cron = Cron::parse("0 0 29 2 *");
    for (int i = 0; i < 10'000; ++i)
        ASSERT_TRUE(cron.next_after(utc("2096-03-01T00:00:00Z") + minutes{i}, stockholm()));
}

// ---- what is refused

TEST(CronRefuses, what_it_cannot_understand_naming_the_field_and_what_is_allowed) {
    EXPECT_EQ(
        refused("61 * * * *"),
        "the cron expression `61 * * * *` cannot be used: minute `61` is out of range (allowed: 0 "
        "to 59)");
    EXPECT_EQ(
        refused("0 24 * * *"),
        "the cron expression `0 24 * * *` cannot be used: hour `24` is out of range (allowed: 0 to "
        "23)");
    EXPECT_EQ(refused("0 0 0 * *"),
              "the cron expression `0 0 0 * *` cannot be used: day of month `0` is out of range "
              "(allowed: 1 to 31, L, L-3, 15W, LW)");
    EXPECT_EQ(refused("0 0 * FOO *"),
              "the cron expression `0 0 * FOO *` cannot be used: month `FOO` is not understood "
              "(allowed: 1 to 12, JAN to DEC)");
    EXPECT_EQ(refused("0 0 * * 8"),
              "the cron expression `0 0 * * 8` cannot be used: day of week `8` is out of range "
              "(allowed: 0 to 7, SUN to SAT, FRIL, FRI#2)");
    EXPECT_EQ(
        refused("0 22-6 * * *"),
        "the cron expression `0 22-6 * * *` cannot be used: hour `22-6` runs backwards; write it "
        "as two: 22-23,0-6 (allowed: 0 to 23)");
    EXPECT_EQ(refused("0 0 * * FRI-MON"),
              "the cron expression `0 0 * * FRI-MON` cannot be used: day of week `FRI-MON` runs "
              "backwards; write it as two: 5-6,0-1 (allowed: 0 to 7, SUN to SAT, FRIL, FRI#2)");
    EXPECT_EQ(
        refused("*/90 * * * *"),
        "the cron expression `*/90 * * * *` cannot be used: minute `*/90` has a step that is too "
        "long: of 0 to 59 it would only ever choose 0 (allowed: 0 to 59)");
    EXPECT_EQ(
        refused("* * *"),
        "the cron expression `* * *` cannot be used: it has 3 fields, and 5 are needed (minute, "
        "hour, day of month, month, day of week), or 6 with the second in front");
    EXPECT_EQ(
        refused("? * * * *"),
        "the cron expression `? * * * *` cannot be used: minute `?` is only for days: write * "
        "(allowed: 0 to 59)");
    EXPECT_EQ(
        refused("0 0 * * L"),
        "the cron expression `0 0 * * L` cannot be used: day of week `L` needs the weekday: 6L or "
        "SATL is the last Saturday (allowed: 0 to 7, SUN to SAT, FRIL, FRI#2)");
}

TEST(CronRefuses, what_never_fires) {
    for (const auto* text : {"0 0 31 2 *", "0 0 30 2 *", "0 0 31 4,6,9,11 *", "0 0 L-30 2 *"}) {
        EXPECT_NE(refused(text).find("it never fires: no month that it allows has such a day"),
                  std::string::npos)
            << text;
    }
    // But either kind of day is enough.
    EXPECT_EQ(ticks("0 0 31 2 MON", "2026-01-01T00:00:00Z", 1), Texts{"2026-02-02 00:00 UTC"});
}

TEST(CronRefuses, everything_else_that_is_no_expression) {
    for (const auto* text : {"",
                             "   ",
                             "@reboot",
                             "@fortnightly",
                             "@daily now",
                             "@every",
                             "@every 5",
                             "@every 0s",
                             "@every 100ms",
                             "@every 400d",
                             "1,,2 * * * *",
                             "1- * * * *",
                             "-1 * * * *",
                             "*/ * * * *",
                             "*/0 * * * *",
                             "*/-5 * * * *",
                             "1/2/3 * * * *",
                             "** * * * *",
                             "0 0 LL * *",
                             "0 0 W * *",
                             "0 0 L-0 * *",
                             "0 0 L-31 * *",
                             "0 0 32W * *",
                             "0 0 * * #2",
                             "0 0 * * FRI#6",
                             "0 0 * * FRI#0",
                             "0 0 * * XL",
                             "1.5 * * * *",
                             "0x1 * * * *",
                             "99999999999 * * * *",
                             "* * * * * * *",
                             "0 0 5-?/2 * *",
                             "\xff * * * *"})
        EXPECT_NE(refused(text), "not refused") << text;
    EXPECT_NE(refused(std::string(300, '*')).find("at most 256"), std::string::npos);
}

}  // namespace
}  // namespace belay::model
