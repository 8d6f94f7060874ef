// time_zone.cpp — spans of constant offset, from the list of changes and then from the rule.
#include "core/base/time_zone.hpp"

#include <algorithm>
#include <array>

namespace belay::base {

using namespace std::chrono;

namespace {

constexpr sys_seconds kFirst = sys_days{year{1} / January / 1};
constexpr sys_seconds kLast = sys_days{year{9999} / December / 31};

}  // namespace

const TimeZone& TimeZone::utc() {
    static const TimeZone kUtc = [] {
        TimeZone zone;
        zone.name_ = "UTC";
        zone.offsets_.push_back({seconds{0}, false, "UTC"});
        return zone;
    }();
    return kUtc;
}

TimeZone TimeZone::by_rule(std::string name, std::string_view rule) {
    TimeZone zone;
    zone.name_ = std::move(name);
    zone.rule_ = ZoneRule::parse(rule);
    zone.offsets_.push_back(zone.rule_->winter());
    return zone;
}

ZoneSpan TimeZone::span_at(sys_seconds time) const {
    time = std::clamp(time, kFirst, kLast);
    const auto next = std::upper_bound(changes_.begin(), changes_.end(), time,
                                       [](sys_seconds t, const Change& c) { return t < c.at; });
    const bool is_first = next == changes_.begin();
    const auto begin = is_first ? sys_seconds::min() : std::prev(next)->at;
    ZoneSpan span{begin, next == changes_.end() ? sys_seconds::max() : next->at, {}};
    if (next == changes_.end() && rule_)
        span = span_by_rule(time, begin);
    else
        span.offset = offsets_[is_first ? 0 : std::prev(next)->offset];
    // What lies outside the years that are told apart belongs to the first and the last span.
    if (span.begin <= kFirst) span.begin = sys_seconds::min();
    if (span.end > kLast) span.end = sys_seconds::max();
    return span;
}

// The rule holds from `begin`, the last change that the file lists.
ZoneSpan TimeZone::span_by_rule(sys_seconds time, sys_seconds begin) const {
    if (!rule_->summer()) return {begin, sys_seconds::max(), rule_->winter()};
    // Two years on either side, because a rule may put its changes some days outside their own year: with both before new
    // year, those of the next year are over on its eve.
    constexpr int kYears = 2;
    const year y = year_month_day{floor<days>(time)}.year();
    std::array<ZoneRule::Change, 2 * (2 * kYears + 1)> around;
    auto out = around.begin();
    for (year one = y - years{kYears}; one <= y + years{kYears}; ++one) {
        for (const auto& change : rule_->changes(one)) *out++ = change;
    }
    // Stable: of two changes at one moment the later in the list is the one that holds.
    std::stable_sort(around.begin(), around.end(),
                     [](const auto& a, const auto& b) { return a.at < b.at; });
    const auto next = std::upper_bound(
        around.begin(), around.end(), time,
        [](sys_seconds t, const ZoneRule::Change& change) { return t < change.at; });
    const auto& current = *std::prev(next);
    return {std::max(begin, current.at), next->at,
            current.to_summer ? *rule_->summer() : rule_->winter()};
}

local_seconds TimeZone::to_local(sys_seconds time) const { return span_at(time).to_local(time); }

LocalMoment TimeZone::to_utc(local_seconds time) const {
    // In UTC it is at most 26 hours away, so every span that could show it is among these.
    const sys_seconds near{time.time_since_epoch()};
    const sys_seconds from = near - kZoneOffsetMax;
    const sys_seconds to = near - kZoneOffsetMin;
    std::optional<sys_seconds> first;
    std::optional<sys_seconds> second;
    sys_seconds jump = from;
    for (ZoneSpan span = span_at(from);; span = span_at(span.end)) {
        const sys_seconds at = span.to_utc(time);
        if (at >= span.begin && at < span.end) {
            (first ? second : first) = at;
        } else if (at < span.begin && span.begin > from && !first) {
            // The first span whose clock is already past it begins where the clocks jumped.
            if (jump == from) jump = span.begin;
        }
        if (span.end > to) break;
    }
    if (second) return LocalTwice{*first, *second};
    if (first) return LocalOnce{*first};
    return LocalGap{jump};
}

}  // namespace belay::base
