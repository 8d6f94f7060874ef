#include "core/env/time_zones.hpp"

#include <cstdlib>
#include <ctime>

#include <gtest/gtest.h>

#include <belay/error.hpp>

namespace belay::env {
namespace {

using namespace std::chrono;

struct Refused {
    ErrorCode code{};
    std::string text;
};

Refused refused(TimeZones& zones, std::string_view name) {
    try {
        zones.find(name);
    } catch (const Error& error) {
        return {error.code(), error.what()};
    }
    return {ErrorCode::Stopped, "not refused"};
}

// Another reader of the same files: the C library's.
class CLibraryZone {
public:
    explicit CLibraryZone(const char* name) {
        setenv("TZ", name, 1);
        tzset();
    }
    ~CLibraryZone() {
        unsetenv("TZ");
        tzset();
    }
    seconds offset_at(sys_seconds time) const {
        const std::time_t t = time.time_since_epoch().count();
        std::tm out{};
        localtime_r(&t, &out);
        return seconds{out.tm_gmtoff};
    }
};

TEST(TimeZones, agree_with_the_c_library_from_1900_to_2499) {
    TimeZones zones;
    for (const char* name :
         {"Europe/Stockholm", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe",
          "America/St_Johns", "Africa/Casablanca", "Europe/Dublin", "Pacific/Apia", "America/Nuuk",
          "Asia/Gaza", "Antarctica/Troll", "Etc/GMT+5", "America/Sao_Paulo", "Asia/Tehran"}) {
        const CLibraryZone other{name};
        const auto zone = zones.find(name);
        // A prime number of seconds, so that every time of day and of year comes up.
        for (sys_seconds t = sys_days{year{1900} / 1 / 1}; t < sys_days{year{2500} / 1 / 1};
             t += seconds{400'009}) {
            ASSERT_EQ(zone->span_at(t).offset.utc_offset, other.offset_at(t))
                << name << " at " << t.time_since_epoch().count();
        }
        // And at the edges of every stretch of the years in which programs run.
        sys_seconds t = sys_days{year{2000} / 1 / 1};
        for (auto span = zone->span_at(t); span.end < sys_days{year{2060} / 1 / 1};
             span = zone->span_at(span.end)) {
            for (const auto at : {span.end - 1s, span.end}) {
                ASSERT_EQ(zone->span_at(at).offset.utc_offset, other.offset_at(at))
                    << name << " at " << at.time_since_epoch().count();
            }
        }
    }
}

TEST(TimeZones, a_day_that_a_place_never_had_is_a_gap_of_a_day) {
    TimeZones zones;
    const auto apia = zones.find("Pacific/Apia");

    // Samoa went from Thursday 29 to Saturday 31 December 2011.
    const local_seconds friday_noon = local_days{year{2011} / 12 / 30} + 12h;

    EXPECT_TRUE(std::holds_alternative<base::LocalGap>(apia->to_utc(friday_noon)));
}

TEST(TimeZones, a_zone_is_read_once) {
    TimeZones zones;
    EXPECT_EQ(zones.find("Europe/Stockholm"), zones.find("Europe/Stockholm"));
}

TEST(TimeZones, a_name_that_could_be_a_path_is_refused_before_any_file_is_opened) {
    TimeZones zones;
    for (const auto* name :
         {"../../../etc/passwd", "/etc/passwd", "Europe/../UTC", "Europe//Stockholm", "", "Europe/",
          ".", "tzdata.zi", "Europe/Stock holm", "Europe\\Stockholm", "Räksmörgås/Ö"}) {
        EXPECT_EQ(refused(zones, name).code, ErrorCode::InvalidArgument) << name;
    }
    EXPECT_EQ(refused(zones, std::string(1000, 'a')).code, ErrorCode::InvalidArgument);
    EXPECT_EQ(refused(zones, std::string("UTC\0x", 5)).code, ErrorCode::InvalidArgument);
}

TEST(TimeZones, a_wrong_name_is_answered_with_the_one_that_may_be_meant) {
    TimeZones zones;

    EXPECT_EQ(refused(zones, "europe/stockholm").text,
              "there is no time zone `europe/stockholm`. Is Europe/Stockholm meant?");
    EXPECT_EQ(refused(zones, "Stockholm").text,
              "there is no time zone `Stockholm`. Is Europe/Stockholm meant?");
    EXPECT_EQ(refused(zones, "Mars/Olympus").text,
              "there is no time zone `Mars/Olympus`; names are like Europe/Stockholm, "
              "America/New_York or UTC");
    EXPECT_EQ(refused(zones, "Europe").code, ErrorCode::InvalidArgument);
}

TEST(TimeZones, a_machine_without_tzdata_says_which_package_is_missing_and_still_has_utc) {
    TimeZones zones{"/nonexistent/zoneinfo"};

    const auto missing = refused(zones, "Europe/Stockholm");

    EXPECT_EQ(missing.code, ErrorCode::StoreUnavailable);
    EXPECT_NE(missing.text.find("install the package tzdata"), std::string::npos) << missing.text;
    EXPECT_EQ(zones.find("UTC")->name(), "UTC");
}

TEST(TimeZones, zones_that_count_leap_seconds_are_refused) {
    TimeZones zones;
    const auto right = refused(zones, "right/Europe/Stockholm");
    // Not every tzdata package brings them.
    EXPECT_TRUE(right.code == ErrorCode::BadValue || right.code == ErrorCode::InvalidArgument)
        << right.text;
}

}  // namespace
}  // namespace belay::env
