// zone_rule.hpp — the summer-time rule of a zone for all years to come.
//
// A zoneinfo file lists the changes of offset that are known, and ends with one line that says how it
// goes on: CET-1CEST,M3.5.0,M10.5.0/3 (POSIX TZ, with the wider times of RFC 9636). A schedule that
// fires in 2040 depends on it.
#pragma once

#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace belay::base {

// What clocks in a zone show, during one stretch of time.
struct ZoneOffset {
    std::chrono::seconds utc_offset{0};  // local time minus UTC: one hour for CET
    bool is_summer_time = false;
    std::string abbreviation{};  // "CET"

    friend bool operator==(const ZoneOffset&, const ZoneOffset&) = default;
};

// No zone has ever been further from UTC; RFC 9636 asks readers to refuse what is.
inline constexpr std::chrono::seconds kZoneOffsetMin =
    -std::chrono::hours{25} + std::chrono::seconds{1};
inline constexpr std::chrono::seconds kZoneOffsetMax =
    std::chrono::hours{26} - std::chrono::seconds{1};

class ZoneRule {
public:
    // A change of offset.
    struct Change {
        std::chrono::sys_seconds at{};
        bool to_summer = false;
    };

    // Throws Error{BadValue} saying what of the text cannot be understood.
    static ZoneRule parse(std::string_view text);

    const ZoneOffset& winter() const { return winter_; }
    // Nothing if the zone has no summer time.
    const std::optional<ZoneOffset>& summer() const { return summer_; }

    // Both changes of a year, the earlier first. Only if there is a summer time.
    std::array<Change, 2> changes(std::chrono::year year) const;

private:
    // One day of every year, and when on it: seconds after local midnight, possibly days away.
    struct Day {
        enum class Kind { WithoutLeapDay, WithLeapDay, WeekdayOfMonth } kind{};
        int number = 0;  // 1–365, or 0–365
        unsigned month = 0, week = 0, weekday = 0;
        std::chrono::seconds time{};

        std::chrono::local_seconds in(std::chrono::year year) const;
    };
    friend class ZoneRuleReader;

    ZoneOffset winter_{};
    std::optional<ZoneOffset> summer_{};
    Day summer_begins_{};
    Day summer_ends_{};
};

}  // namespace belay::base
