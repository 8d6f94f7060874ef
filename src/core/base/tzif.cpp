// tzif.cpp — reads a zoneinfo file: strict, because a wrong offset is a wrong invoice date.
//
// The layout is RFC 9636: a block with 32-bit times, which is skipped, the same with 64-bit times, and a
// line with the rule for later years.
#include <cstdint>
#include <string_view>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/base/limits.hpp"
#include "core/base/time_zone.hpp"

namespace belay::base {

using namespace std::chrono;

class TzifReader {
public:
    TzifReader(std::string name, std::string_view bytes) : rest_(bytes) {
        zone_.name_ = std::move(name);
    }

    TimeZone zone() {
        if (rest_.size() > kTimeZoneBytesMax) {
            refuse(fmt::format("it has {} bytes, more than the {} a zone may have", rest_.size(),
                               kTimeZoneBytesMax));
        }
        const Counts old = header();
        skip(old.bytes(4));
        const Counts counts = header();
        if (counts.leaps != 0) {
            refuse(
                "it counts leap seconds, which UTC in Belay does not: use the zone of the same "
                "name without `right/`");
        }
        if (counts.types == 0 || counts.types > 256) refuse("it has no local time, or too many");
        if (counts.chars == 0) refuse("it has no abbreviations");
        if ((counts.ut_marks != 0 && counts.ut_marks != counts.types) ||
            (counts.std_marks != 0 && counts.std_marks != counts.types))
            refuse("its marks do not fit its local times");
        changes(counts);
        offsets(counts);
        skip(counts.leaps * 12 + counts.std_marks + counts.ut_marks);
        rule();
        return std::move(zone_);
    }

private:
    struct Counts {
        std::size_t ut_marks, std_marks, leaps, times, types, chars;

        std::size_t bytes(std::size_t time_bytes) const {
            return times * (time_bytes + 1) + types * 6 + chars + leaps * (time_bytes + 4) +
                   std_marks + ut_marks;
        }
    };

    [[noreturn]] void refuse(std::string_view why) const {
        throw Error(ErrorCode::BadValue,
                    fmt::format("the zoneinfo file of {} cannot be used: {}", zone_.name_, why));
    }

    std::string_view take(std::size_t count) {
        if (rest_.size() < count) refuse("it ends too early");
        const std::string_view taken = rest_.substr(0, count);
        rest_.remove_prefix(count);
        return taken;
    }
    void skip(std::size_t count) { take(count); }

    static std::uint64_t big_endian(std::string_view bytes) {
        std::uint64_t value = 0;
        for (const char c : bytes) value = value << 8 | static_cast<unsigned char>(c);
        return value;
    }

    std::size_t count() {
        const auto n = static_cast<std::size_t>(big_endian(take(4)));
        // Each is at least a byte of the file, so that a sum of six cannot overflow either.
        if (n > kTimeZoneBytesMax) refuse("a count in its header is larger than a file may be");
        return n;
    }

    Counts header() {
        if (take(4) != "TZif") refuse("it is not a zoneinfo file (no `TZif` at its start)");
        const char version = take(1)[0];
        if (version < '2') refuse("it is of version 1, which ends in 2037; version 2 is needed");
        skip(15);
        Counts counts{};
        counts.ut_marks = count();
        counts.std_marks = count();
        counts.leaps = count();
        counts.times = count();
        counts.types = count();
        counts.chars = count();
        return counts;
    }

    void changes(const Counts& counts) {
        zone_.changes_.resize(counts.times);
        auto last = INT64_MIN;
        for (std::size_t i = 0; i < counts.times; ++i) {
            const auto at = static_cast<std::int64_t>(big_endian(take(8)));
            if (i > 0 && at <= last) refuse("its changes are not in the order of time");
            last = at;
            zone_.changes_[i].at = sys_seconds{seconds{at}};
        }
        for (auto& change : zone_.changes_) {
            change.offset = static_cast<std::size_t>(big_endian(take(1)));
            if (change.offset >= counts.types) refuse("a change leads to no local time");
        }
    }

    void offsets(const Counts& counts) {
        const std::string_view types = take(counts.types * 6);
        const std::string_view names = take(counts.chars);
        for (std::size_t i = 0; i < counts.types; ++i) {
            const std::string_view type = types.substr(i * 6, 6);
            ZoneOffset offset;
            offset.utc_offset = seconds{static_cast<std::int32_t>(big_endian(type.substr(0, 4)))};
            if (offset.utc_offset < kZoneOffsetMin || offset.utc_offset > kZoneOffsetMax) {
                refuse(fmt::format("an offset of {} seconds is not on this earth",
                                   offset.utc_offset.count()));
            }
            const auto summer = big_endian(type.substr(4, 1));
            if (summer > 1) refuse("a summer-time mark is neither 0 nor 1");
            offset.is_summer_time = summer == 1;
            const auto name = static_cast<std::size_t>(big_endian(type.substr(5, 1)));
            const auto end = name < names.size() ? names.find('\0', name) : std::string_view::npos;
            if (end == std::string_view::npos) refuse("an abbreviation has no end");
            offset.abbreviation = names.substr(name, end - name);
            zone_.offsets_.push_back(std::move(offset));
        }
    }

    void rule() {
        if (take(1) != "\n") refuse("its last line, the rule for later years, is missing");
        const auto end = rest_.find('\n');
        if (end == std::string_view::npos) refuse("its last line has no end");
        if (end + 1 != rest_.size()) refuse("something follows its last line");
        if (end == 0) return;  // nobody knows what comes: the last offset goes on
        try {
            zone_.rule_ = ZoneRule::parse(rest_.substr(0, end));
        } catch (const Error& error) {
            refuse(error.what());
        }
    }

    std::string_view rest_;
    TimeZone zone_;
};

TimeZone TimeZone::parse(std::string name, std::string_view tzif) {
    return TzifReader{std::move(name), tzif}.zone();
}

}  // namespace belay::base
