// text_test.cpp — what is printed can be read back, and what cannot be a time is refused.
#include "core/base/text.hpp"

#include <array>

#include <gtest/gtest.h>

namespace belay::base {
namespace {

using namespace std::chrono;
using namespace std::chrono_literals;

const Time kEvening = sys_days{2026y / November / 15} + 20h;

TEST(FormatTime, is_rfc_3339_in_utc_with_milliseconds) {
    EXPECT_EQ(format_time(kEvening), "2026-11-15T20:00:00.000Z");
    EXPECT_EQ(format_time(kEvening + 7ms), "2026-11-15T20:00:00.007Z");
    EXPECT_EQ(format_time(Time{-1ms}), "1969-12-31T23:59:59.999Z");
}

TEST(FormatTime, stays_inside_four_digit_years) {
    EXPECT_EQ(format_time(Time::max()), "9999-12-31T23:59:59.999Z");
    EXPECT_EQ(format_time(Time::min()), "0000-01-01T00:00:00.000Z");
}

TEST(ParseTime, reads_what_format_time_wrote) {
    for (const Time time :
         {kEvening, Time{}, Time{-1ms}, kEvening + 999ms, Time{sys_days{2024y / February / 29}}})
        EXPECT_EQ(parse_time(format_time(time)), time) << format_time(time);
}

TEST(ParseTime, reads_offsets_and_any_fraction) {
    EXPECT_EQ(parse_time("2026-11-15T17:00:00-03:00"), kEvening);
    EXPECT_EQ(parse_time("2026-11-16T01:30:00+05:30"), kEvening);
    EXPECT_EQ(parse_time("2026-11-15t20:00:00.5z"), kEvening + 500ms);
    EXPECT_EQ(parse_time("2026-11-15T20:00:00.123456789Z"), kEvening + 123ms);
}

TEST(ParseTime, refuses_everything_else) {
    for (const char* text :
         {"", "2026", "2026-11-15", "2026-11-15T20:00:00", "2026-02-29T00:00:00Z",
          "2026-13-01T00:00:00Z", "2026-11-15T24:00:00Z", "2026-11-15T20:60:00Z",
          "2026-11-15T20:00:60Z", "2026-11-15T20:00:00.Z", "2026-11-15T20:00:00Zx",
          "2026-11-15T20:00:00+24:00", " 2026-11-15T20:00:00Z", "+026-11-15T20:00:00Z"})
        EXPECT_EQ(parse_time(text), std::nullopt) << text;
}

TEST(FormatDuration, says_the_two_largest_units) {
    EXPECT_EQ(format_duration(0ms), "0 ms");
    EXPECT_EQ(format_duration(850ms), "850 ms");
    EXPECT_EQ(format_duration(3s), "3 s");
    EXPECT_EQ(format_duration(3250ms), "3.2 s");
    EXPECT_EQ(format_duration(59'999ms), "59.9 s");
    EXPECT_EQ(format_duration(200s), "3 min 20 s");
    EXPECT_EQ(format_duration(5min), "5 min");
    EXPECT_EQ(format_duration(125min), "2 h 5 min");
    EXPECT_EQ(format_duration(76h), "3 d 4 h");
    EXPECT_EQ(format_duration(-200s), "-3 min 20 s");
    EXPECT_EQ(format_duration(Duration::min()).front(), '-');
}

TEST(ToHex, has_two_digits_a_byte) {
    const std::array bytes{std::byte{0x00}, std::byte{0x0f}, std::byte{0xa0}, std::byte{0xff}};

    EXPECT_EQ(to_hex(bytes), "000fa0ff");
    EXPECT_EQ(to_hex(std::uint64_t{0xbeef}), "000000000000beef");
}

}  // namespace
}  // namespace belay::base
