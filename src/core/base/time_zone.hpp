// time_zone.hpp — what a clock on the wall shows, at every moment, in one place of the world.
//
// A value made from the bytes of a zoneinfo file (TZif, RFC 9636, version 2 or later); src/core/env finds
// the file. Two questions: which local time is it at a moment, and at which moment is it that local
// time. The second has no answer when clocks are put forward, and two when they are put back, and a
// caller must say which it means: the answer is a variant.
//
// Times outside the years 1 to 9999 are answered with the offset at that end.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/zone_rule.hpp"

namespace belay::base {

// A stretch of time without a change: [begin, end) in UTC.
struct ZoneSpan {
    std::chrono::sys_seconds begin{};
    std::chrono::sys_seconds end{};
    ZoneOffset offset{};

    std::chrono::local_seconds to_local(std::chrono::sys_seconds time) const {
        return std::chrono::local_seconds{time.time_since_epoch() + offset.utc_offset};
    }
    std::chrono::sys_seconds to_utc(std::chrono::local_seconds time) const {
        return std::chrono::sys_seconds{time.time_since_epoch() - offset.utc_offset};
    }
};

// The local time is shown once.
struct LocalOnce {
    std::chrono::sys_seconds at{};
};
// It is never shown: clocks jump over it at `jump`.
struct LocalGap {
    std::chrono::sys_seconds jump{};
};
// It is shown twice: clocks are put back in between.
struct LocalTwice {
    std::chrono::sys_seconds first{};
    std::chrono::sys_seconds second{};
};
using LocalMoment = std::variant<LocalOnce, LocalGap, LocalTwice>;

class TimeZone {
public:
    // Throws Error{BadValue} saying which part of the file is wrong.
    static TimeZone parse(std::string name, std::string_view tzif);

    // A zone in which one rule holds at all times: "CET-1CEST,M3.5.0,M10.5.0/3". Throws as parse does.
    static TimeZone by_rule(std::string name, std::string_view rule);

    // Always the same, and there without any file.
    static const TimeZone& utc();

    // "Europe/Stockholm".
    const std::string& name() const { return name_; }

    ZoneSpan span_at(std::chrono::sys_seconds time) const;

    std::chrono::local_seconds to_local(std::chrono::sys_seconds time) const;
    LocalMoment to_utc(std::chrono::local_seconds time) const;

private:
    friend class TzifReader;

    struct Change {
        std::chrono::sys_seconds at{};
        std::size_t offset = 0;  // into offsets_
    };

    ZoneSpan span_by_rule(std::chrono::sys_seconds time, std::chrono::sys_seconds begin) const;

    std::string name_{};
    std::vector<ZoneOffset> offsets_{};  // the first holds before any change
    std::vector<Change> changes_{};      // in the order of time
    std::optional<ZoneRule> rule_{};     // after the last change
};

}  // namespace belay::base
