#include "core/base/time_zone.hpp"

#include <gtest/gtest.h>

#include <belay/error.hpp>

#include "core/base/text.hpp"

namespace belay::base {
namespace {

using namespace std::chrono;

sys_seconds utc(std::string_view text) { return floor<seconds>(parse_time(text).value()); }

local_seconds local(std::string_view text) {
    return local_seconds{utc(std::string(text) + "Z").time_since_epoch()};
}

std::string shown(sys_seconds time) { return format_time(time).substr(0, 19); }
std::string shown(local_seconds time) { return shown(sys_seconds{time.time_since_epoch()}); }

const TimeZone& stockholm() {
    static const TimeZone kZone =
        TimeZone::by_rule("Europe/Stockholm", "CET-1CEST,M3.5.0,M10.5.0/3");
    return kZone;
}
const TimeZone& new_york() {
    static const TimeZone kZone = TimeZone::by_rule("America/New_York", "EST5EDT,M3.2.0,M11.1.0");
    return kZone;
}

template <class F>
std::string refused(F&& act) {
    try {
        act();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::BadValue);
        return error.what();
    }
    return "not refused";
}

std::string rule_refused(std::string_view text) {
    return refused([&] { ZoneRule::parse(text); });
}

// ---- rules

TEST(ZoneRule, summer_begins_and_ends_by_the_clock_that_is_about_to_change) {
    EXPECT_EQ(shown(stockholm().to_local(utc("2026-03-29T00:59:59Z"))), "2026-03-29T01:59:59");
    EXPECT_EQ(shown(stockholm().to_local(utc("2026-03-29T01:00:00Z"))), "2026-03-29T03:00:00");
    EXPECT_EQ(shown(stockholm().to_local(utc("2026-10-25T00:59:59Z"))), "2026-10-25T02:59:59");
    EXPECT_EQ(shown(stockholm().to_local(utc("2026-10-25T01:00:00Z"))), "2026-10-25T02:00:00");
    EXPECT_EQ(shown(new_york().to_local(utc("2026-03-08T06:59:59Z"))), "2026-03-08T01:59:59");
    EXPECT_EQ(shown(new_york().to_local(utc("2026-03-08T07:00:00Z"))), "2026-03-08T03:00:00");
    EXPECT_EQ(shown(new_york().to_local(utc("2026-11-01T05:59:59Z"))), "2026-11-01T01:59:59");
    EXPECT_EQ(shown(new_york().to_local(utc("2026-11-01T06:00:00Z"))), "2026-11-01T01:00:00");
}

TEST(ZoneRule, south_of_the_equator_summer_lies_across_the_new_year) {
    const auto sydney = TimeZone::by_rule("Australia/Sydney", "AEST-10AEDT,M10.1.0,M4.1.0/3");

    EXPECT_EQ(shown(sydney.to_local(utc("2026-01-01T00:00:00Z"))), "2026-01-01T11:00:00");
    EXPECT_EQ(shown(sydney.to_local(utc("2026-07-01T00:00:00Z"))), "2026-07-01T10:00:00");
    EXPECT_EQ(shown(sydney.to_local(utc("2026-12-31T23:59:59Z"))), "2027-01-01T10:59:59");
}

TEST(ZoneRule, days_of_the_year_count_the_leap_day_or_do_not) {
    // J60 is 1 March always; 59 is the sixtieth day, 29 February in a leap year.
    const auto julian = TimeZone::by_rule("a", "AAA0BBB,J60/0,J300/0");
    const auto zero_based = TimeZone::by_rule("b", "AAA0BBB,59/0,300/0");

    EXPECT_EQ(shown(julian.span_at(utc("2024-06-01T00:00:00Z")).begin), "2024-03-01T00:00:00");
    EXPECT_EQ(shown(julian.span_at(utc("2025-06-01T00:00:00Z")).begin), "2025-03-01T00:00:00");
    EXPECT_EQ(shown(zero_based.span_at(utc("2024-06-01T00:00:00Z")).begin), "2024-02-29T00:00:00");
    EXPECT_EQ(shown(zero_based.span_at(utc("2025-06-01T00:00:00Z")).begin), "2025-03-01T00:00:00");
}

TEST(ZoneRule, a_change_may_be_days_away_from_the_day_it_is_counted_from) {
    // Greenland: the Saturday before the last Sunday of March, at 22:00; written as minus two hours.
    const auto nuuk = TimeZone::by_rule("America/Nuuk", "<-02>2<-01>,M3.5.0/-1,M10.5.0/0");

    EXPECT_EQ(shown(nuuk.span_at(utc("2026-06-01T00:00:00Z")).begin), "2026-03-29T01:00:00");
    EXPECT_EQ(nuuk.span_at(utc("2026-06-01T00:00:00Z")).offset.abbreviation, "-01");
}

TEST(ZoneRule, summer_all_year_never_ends) {
    const auto zone = TimeZone::by_rule("x", "EST5EDT,0/0,J365/25");

    for (const auto* when : {"2026-01-01T04:59:59Z", "2026-01-01T05:00:00Z", "2026-07-01T00:00:00Z",
                             "2026-12-31T23:59:59Z"})
        EXPECT_EQ(zone.span_at(utc(when)).offset.utc_offset, -4h) << when;
}

TEST(ZoneRule, both_changes_may_lie_outside_their_own_year) {
    const auto before = TimeZone::by_rule("x", "AAA0BBB,J1/-167,J2/-167");
    const auto after = TimeZone::by_rule("x", "AAA0BBB,J364/167,J365/167");

    // Those of 2027 are over on its eve, and those of 2025 to come on the first day of 2026.
    EXPECT_EQ(shown(before.span_at(utc("2026-12-31T23:00:00Z")).begin), "2026-12-26T00:00:00");
    EXPECT_EQ(shown(before.span_at(utc("2026-12-31T23:00:00Z")).end), "2027-12-25T01:00:00");
    EXPECT_EQ(shown(after.span_at(utc("2026-01-01T00:00:00Z")).begin), "2025-01-06T22:00:00");
    EXPECT_EQ(shown(after.span_at(utc("2026-01-01T00:00:00Z")).end), "2026-01-05T23:00:00");
}

TEST(ZoneRule, what_is_no_rule_is_refused_with_the_place_and_what_was_expected) {
    EXPECT_EQ(
        rule_refused("CE-1"),
        "the zone rule `CE-1` has no meaning at character 1: expected an abbreviation of 3 to 16 "
        "characters");
    EXPECT_EQ(rule_refused("CET"),
              "the zone rule `CET` has no meaning at character 4: expected hours, 0 to 24");
    EXPECT_EQ(rule_refused("CET-1CEST"),
              "the zone rule `CET-1CEST` has no meaning at character 10: expected hours, 0 to 24");
    EXPECT_EQ(
        rule_refused("CET-1CEST,M13.5.0,M10.5.0"),
        "the zone rule `CET-1CEST,M13.5.0,M10.5.0` has no meaning at character 12: expected a "
        "month, 1 to 12");
    for (const auto* text :
         {"", "CET-25", "CET-1CEST,M3.6.0,M10.5.0", "CET-1CEST,M3.5.7,M10.5.0", "CET-1CEST,M3.5.0",
          "CET-1CEST,M3.5.0,M10.5.0/168", "CET-1CEST,M3.5.0,M10.5.0x", "<CET-1", "CET-1:60",
          "CET-1CEST,J0,J365", "CET-1CEST,366,J1"})
        EXPECT_NE(rule_refused(text), "not refused") << text;
}

// ---- local to UTC

TEST(TimeZone, an_ordinary_local_time_is_shown_once) {
    const auto moment = stockholm().to_utc(local("2026-07-01T12:00:00"));

    EXPECT_EQ(shown(std::get<LocalOnce>(moment).at), "2026-07-01T10:00:00");
}

TEST(TimeZone, a_local_time_that_clocks_jump_over_is_a_gap) {
    for (const auto* text : {"2026-03-29T02:00:00", "2026-03-29T02:30:00", "2026-03-29T02:59:59"}) {
        const auto moment = stockholm().to_utc(local(text));
        ASSERT_TRUE(std::holds_alternative<LocalGap>(moment)) << text;
        EXPECT_EQ(shown(std::get<LocalGap>(moment).jump), "2026-03-29T01:00:00");
    }
    EXPECT_TRUE(
        std::holds_alternative<LocalOnce>(stockholm().to_utc(local("2026-03-29T01:59:59"))));
    EXPECT_TRUE(
        std::holds_alternative<LocalOnce>(stockholm().to_utc(local("2026-03-29T03:00:00"))));
}

TEST(TimeZone, a_local_time_that_is_shown_twice_has_two_moments) {
    for (const auto* text : {"2026-11-01T01:00:00", "2026-11-01T01:30:00", "2026-11-01T01:59:59"}) {
        const auto moment = new_york().to_utc(local(text));
        ASSERT_TRUE(std::holds_alternative<LocalTwice>(moment)) << text;
        const auto& twice = std::get<LocalTwice>(moment);
        EXPECT_EQ(twice.second - twice.first, 1h);
        EXPECT_EQ(shown(new_york().to_local(twice.first)), text);
        EXPECT_EQ(shown(new_york().to_local(twice.second)), text);
    }
    EXPECT_TRUE(std::holds_alternative<LocalOnce>(new_york().to_utc(local("2026-11-01T00:59:59"))));
    EXPECT_TRUE(std::holds_alternative<LocalOnce>(new_york().to_utc(local("2026-11-01T02:00:00"))));
}

TEST(TimeZone, the_ends_of_time_are_answered) {
    for (const auto& zone : {stockholm(), TimeZone::utc()}) {
        for (const auto when :
             {sys_seconds{seconds{-100'000'000'000}}, sys_seconds{seconds{400'000'000'000}}}) {
            const auto shown_there = zone.to_local(when);
            EXPECT_TRUE(std::holds_alternative<LocalOnce>(zone.to_utc(shown_there)));
        }
    }
}

// ---- files

std::string number(std::uint64_t value, int bytes) {
    std::string out;
    for (int i = bytes - 1; i >= 0; --i) out += static_cast<char>(value >> (8 * i));
    return out;
}

// A zone that changes once, in 2000, from one hour east to two.
struct File {
    char version = '2';
    std::vector<std::int64_t> times{946684800};
    std::string indexes = std::string(1, '\1');
    std::vector<std::int32_t> offsets{3600, 7200};
    int name_index = 0;
    std::string names = std::string("ONE\0TWO\0", 8);
    std::uint64_t leaps = 0;
    std::string footer = "\nTWO-2\n";

    std::string bytes() const {
        const auto header = [&](std::uint64_t times_count, std::uint64_t types,
                                std::uint64_t chars) {
            return "TZif" + std::string(1, version) + std::string(15, '\0') + number(0, 4) +
                   number(0, 4) + number(leaps, 4) + number(times_count, 4) + number(types, 4) +
                   number(chars, 4);
        };
        std::string out = header(0, 1, 1) + std::string(7, '\0') + std::string(leaps * 8, '\0');
        out += header(times.size(), offsets.size(), names.size());
        for (const auto time : times) out += number(static_cast<std::uint64_t>(time), 8);
        out += indexes;
        for (const auto offset : offsets)
            out += number(static_cast<std::uint32_t>(offset), 4) + '\0' +
                   static_cast<char>(name_index);
        return out + names + std::string(leaps * 12, '\0') + footer;
    }
};

std::string file_refused(const File& file) {
    return refused([&] { TimeZone::parse("X", file.bytes()); });
}

TEST(Tzif, a_file_is_read_with_its_changes_and_its_rule) {
    const auto zone = TimeZone::parse("Test/Zone", File{}.bytes());

    EXPECT_EQ(zone.name(), "Test/Zone");
    EXPECT_EQ(zone.span_at(utc("1999-12-31T23:59:59Z")).offset.utc_offset, 1h);
    EXPECT_EQ(zone.span_at(utc("2000-01-01T00:00:00Z")).offset.utc_offset, 2h);
    EXPECT_EQ(zone.span_at(utc("2500-01-01T00:00:00Z")).offset.abbreviation, "TWO");
}

TEST(Tzif, without_a_rule_the_last_offset_goes_on) {
    const auto zone = TimeZone::parse("X", File{.footer = "\n\n"}.bytes());

    EXPECT_EQ(zone.span_at(utc("2500-01-01T00:00:00Z")).offset.utc_offset, 2h);
}

TEST(Tzif, a_gap_between_listed_offsets_is_found) {
    const auto zone = TimeZone::parse("X", File{}.bytes());

    EXPECT_TRUE(std::holds_alternative<LocalGap>(zone.to_utc(local("2000-01-01T01:30:00"))));
}

TEST(Tzif, a_file_cut_anywhere_is_refused) {
    const std::string whole = File{}.bytes();
    for (std::size_t n = 0; n < whole.size(); ++n)
        EXPECT_NE(refused([&] { TimeZone::parse("X", whole.substr(0, n)); }), "not refused") << n;
}

TEST(Tzif, what_is_wrong_in_a_file_is_named) {
    EXPECT_EQ(refused([] { TimeZone::parse("X", "#!/bin/sh and more than that"); }),
              "the zoneinfo file of X cannot be used: it is not a zoneinfo file (no `TZif` at its "
              "start)");
    EXPECT_NE(file_refused({.version = '\0'}).find("version 1"), std::string::npos);
    EXPECT_NE(file_refused({.leaps = 1}).find("leap seconds"), std::string::npos);
    EXPECT_NE(file_refused({.offsets = {3600, 100'000}}).find("100000 seconds"), std::string::npos);
    EXPECT_NE(file_refused({.indexes = std::string(1, '\2')}).find("leads to no local time"),
              std::string::npos);
    EXPECT_NE(file_refused({.name_index = 8}).find("no end"), std::string::npos);
    EXPECT_NE(file_refused({.times = {5, 5}, .indexes = std::string(2, '\1')}).find("order"),
              std::string::npos);
    EXPECT_NE(file_refused({.footer = "\nTWO-2\nmore"}).find("follows"), std::string::npos);
    EXPECT_NE(file_refused({.footer = "\nTWO-x\n"}).find("`TWO-x`"), std::string::npos);
    EXPECT_NE(file_refused({.footer = std::string(70'000, 'x')}).find("more than the"),
              std::string::npos);
}

TEST(Tzif, random_damage_is_refused_or_read_and_never_more) {
    const std::string whole = File{}.bytes();
    for (std::size_t at = 0; at < whole.size(); ++at) {
        for (const int value : {0, 1, 0x7f, 0x80, 0xff}) {
            std::string damaged = whole;
            damaged[at] = static_cast<char>(value);
            try {
                const auto zone = TimeZone::parse("X", damaged);
                zone.to_utc(local("2000-01-01T01:30:00"));
            } catch (const Error& error) {
                EXPECT_EQ(error.code(), ErrorCode::BadValue);
            }
        }
    }
}

}  // namespace
}  // namespace belay::base
