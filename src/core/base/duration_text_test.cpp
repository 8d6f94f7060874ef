#include "core/base/duration_text.hpp"

#include <gtest/gtest.h>

#include "core/base/text.hpp"

namespace belay::base {
namespace {

using namespace std::chrono_literals;

TEST(ParseDuration, reads_numbers_with_units) {
    EXPECT_EQ(parse_duration("250ms"), 250ms);
    EXPECT_EQ(parse_duration("90s"), 90s);
    EXPECT_EQ(parse_duration("15m"), 15min);
    EXPECT_EQ(parse_duration("15min"), 15min);
    EXPECT_EQ(parse_duration("1h30m"), 90min);
    EXPECT_EQ(parse_duration("1.5h"), 90min);
    EXPECT_EQ(parse_duration("0.25s"), 250ms);
    EXPECT_EQ(parse_duration("7d"), 168h);
    EXPECT_EQ(parse_duration("2w"), 336h);
    EXPECT_EQ(parse_duration("0s"), 0ms);
}

TEST(ParseDuration, reads_what_format_duration_writes) {
    for (const Duration d :
         {Duration{850ms}, Duration{3200ms}, Duration{200s}, Duration{125min}, Duration{76h}})
        EXPECT_EQ(parse_duration(format_duration(d)), d) << format_duration(d);
}

TEST(ParseDuration, refuses_what_is_no_duration) {
    for (const auto* text :
         {"", " ", "h", "1", "1y", "-1h", "+1h", "1 hour", "1..5h", "1.h", ".5h", "1h,2m", "1h ",
          "1H", "0.0001s", "99999999999999999999s", "999999999999w", "100000000w", "1h30"})
        EXPECT_EQ(parse_duration(text), std::nullopt) << text;
    EXPECT_EQ(parse_duration(std::string(100, '1').append("s")), std::nullopt);
}

TEST(ParseDuration, takes_a_fraction_of_any_length_without_overflow) {
    EXPECT_EQ(parse_duration("0.00000000000000ms"), 0ms);
    EXPECT_EQ(parse_duration("1.00000000000000s"), 1s);
    EXPECT_EQ(parse_duration("0.00000000000001ms"), std::nullopt);
    EXPECT_EQ(parse_duration("3660000d"), 24h * 3'660'000);
    EXPECT_EQ(parse_duration("3660000.5d"), std::nullopt);
}

TEST(ParseMoment, is_a_time_a_day_or_how_long_ago) {
    const Time now = parse_time("2026-11-15T20:00:00Z").value();

    EXPECT_EQ(format_time(*parse_moment("1h", now)), "2026-11-15T19:00:00.000Z");
    EXPECT_EQ(format_time(*parse_moment("7d", now)), "2026-11-08T20:00:00.000Z");
    EXPECT_EQ(format_time(*parse_moment("2026-11-01", now)), "2026-11-01T00:00:00.000Z");
    EXPECT_EQ(format_time(*parse_moment("2026-11-01T02:00:00+02:00", now)),
              "2026-11-01T00:00:00.000Z");
    for (const auto* text : {"", "yesterday", "2026-13-01", "2026-02-30", "2026-1-1", "11-01-2026"})
        EXPECT_EQ(parse_moment(text, now), std::nullopt) << text;
}

}  // namespace
}  // namespace belay::base
