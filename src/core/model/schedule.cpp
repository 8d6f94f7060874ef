#include "core/model/schedule.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <boost/json/parse.hpp>

#include <belay/error.hpp>

#include "core/base/assert.hpp"
#include "core/base/hash.hpp"
#include "core/base/limits.hpp"
#include "core/base/text.hpp"
#include "core/base/utf8.hpp"
#include "core/model/queue.hpp"
#include "core/model/words.hpp"

namespace belay::model {

using namespace std::chrono;

namespace {

constexpr std::array kCatchUpWords{Word<CatchUp>{CatchUp::None, "none"},
                                   Word<CatchUp>{CatchUp::Latest, "latest"},
                                   Word<CatchUp>{CatchUp::All, "all"}};
constexpr std::array kOverlapWords{Word<Overlap>{Overlap::Allow, "allow"},
                                   Word<Overlap>{Overlap::Skip, "skip"},
                                   Word<Overlap>{Overlap::BufferOne, "buffer_one"},
                                   Word<Overlap>{Overlap::CancelPrevious, "cancel_previous"}};

[[noreturn]] void refuse(const Schedule& schedule, const std::string& why) {
    throw Error(
        ErrorCode::InvalidArgument,
        fmt::format("the schedule `{}` cannot be used: {}",
                    base::truncate(base::to_valid_utf8(schedule.name), base::kScheduleNameCharsMax),
                    why));
}

bool is_json(const std::string& text) {
    boost::json::error_code error;
    boost::json::parse(text, error);
    return !error;
}

// Everything but cron and zone, which say themselves what is wrong with them.
Schedule checked(Schedule schedule) {
    if (!is_plain_name(schedule.name)) {
        refuse(schedule, fmt::format("a name has 1 to {} letters, digits, `.`, `-` and `_`",
                                     base::kScheduleNameCharsMax));
    }
    if (schedule.workflow_key.empty() ||
        schedule.workflow_key.size() > base::kWorkflowNameCharsMax) {
        refuse(schedule, fmt::format("its workflow_key must have 1 to {} characters",
                                     base::kWorkflowNameCharsMax));
    }
    if (schedule.input.size() > base::kPayloadBytesMax) {
        refuse(schedule, fmt::format("its input has {} bytes, more than the {} a value may have",
                                     schedule.input.size(), base::kPayloadBytesMax));
    }
    if (!is_json(schedule.input)) refuse(schedule, "its input is not JSON");
    if (schedule.catch_up_max < 1 || schedule.catch_up_max > base::kCatchUpTicksMax) {
        refuse(schedule, fmt::format("catch_up_max is {}, and must be 1 to {}",
                                     schedule.catch_up_max, base::kCatchUpTicksMax));
    }
    if (schedule.jitter < Duration{0} || schedule.jitter > base::kScheduleJitterMax) {
        refuse(schedule, fmt::format("a jitter of {} is outside 0 to {}",
                                     base::format_duration(schedule.jitter),
                                     base::format_duration(base::kScheduleJitterMax)));
    }
    if (!schedule.queue.empty() && !is_plain_name(schedule.queue)) {
        refuse(schedule, "its queue is no name of a queue");
    }
    if (schedule.priority < -base::kPriorityMax || schedule.priority > base::kPriorityMax) {
        refuse(schedule, fmt::format("a priority of {} is outside -{} to {}", schedule.priority,
                                     base::kPriorityMax, base::kPriorityMax));
    }
    if (schedule.start && schedule.end && *schedule.end <= *schedule.start) {
        refuse(schedule,
               fmt::format("it ends ({}) before it starts ({})", base::format_time(*schedule.end),
                           base::format_time(*schedule.start)));
    }
    return schedule;
}

// The newest `count` ticks in (after, until], found backwards.
std::vector<Time> newest_ticks(const Timetable& table, Time after, Time until, std::size_t count) {
    std::vector<Time> ticks;
    while (ticks.size() < count) {
        const auto tick = table.cron().last_until(until, table.zone());
        if (!tick || *tick <= after) break;
        ticks.push_back(*tick);
        until = *tick - Duration{1};
    }
    std::reverse(ticks.begin(), ticks.end());
    return ticks;
}

}  // namespace

std::string_view to_string(CatchUp policy) { return word_of(kCatchUpWords, policy); }
std::string_view to_string(Overlap policy) { return word_of(kOverlapWords, policy); }
std::optional<CatchUp> catch_up(std::string_view word) { return value_of(kCatchUpWords, word); }
std::optional<Overlap> overlap(std::string_view word) { return value_of(kOverlapWords, word); }

Timetable::Timetable(Schedule schedule, std::shared_ptr<const base::TimeZone> zone)
    : schedule_(checked(std::move(schedule))), cron_(Cron::parse(schedule_.cron)),
      zone_(std::move(zone)) {
    BELAY_ASSERT(zone_ && zone_->name() == schedule_.zone, "the schedule {} is in {}",
                 schedule_.name, schedule_.zone);
}

std::optional<Time> Timetable::next_after(Time time) const {
    if (schedule_.start) time = std::max(time, *schedule_.start - Duration{1});
    const auto tick = cron_.next_after(time, *zone_);
    if (!tick || (schedule_.end && *tick >= *schedule_.end)) return std::nullopt;
    return tick;
}

Time Timetable::fires_at(Time tick) const {
    if (schedule_.jitter == Duration{0}) return tick;
    const auto moment = static_cast<std::uint64_t>(tick.time_since_epoch().count());
    const auto spread = static_cast<std::uint64_t>(schedule_.jitter.count()) + 1;
    const auto part = base::mix64(base::hash64(schedule_.name) ^ moment) % spread;
    return tick + Duration{static_cast<Duration::rep>(part)};
}

DueTicks due_ticks(const Timetable& table, Time handled_until, Time now) {
    DueTicks due;
    due.handled_until = handled_until;
    const Schedule& schedule = table.schedule();
    if (schedule.paused) return due;

    // Ticks fire in their order, so the first one that is not due ends the search; with jitter the last
    // few before `now` may not be.
    Time from = handled_until;
    if (schedule.start) from = std::max(from, *schedule.start - Duration{1});
    Time until = now;
    if (schedule.end) until = std::min(until, *schedule.end - Duration{1});
    if (schedule.jitter > Duration{0}) {
        for (Time t = std::max(from, now - schedule.jitter - Duration{1});;) {
            const auto tick = table.next_after(t);
            if (!tick || *tick > now) break;
            if (table.fires_at(*tick) > now) {
                until = std::min(until, *tick - Duration{1});
                break;
            }
            t = *tick;
        }
    }

    constexpr std::size_t kCounted = base::kCatchUpTicksMax;
    const auto all = table.cron().ticks_between(from, until, table.zone(), kCounted);
    const auto wanted = schedule.catch_up == CatchUp::All
                            ? static_cast<std::size_t>(schedule.catch_up_max)
                            : std::size_t{1};
    if (!all.more && all.times.size() <= wanted)
        due.fire = all.times;
    else
        due.fire = newest_ticks(table, from, until, wanted);
    if (schedule.catch_up == CatchUp::None) {
        std::erase_if(due.fire, [&](Time tick) {
            return now - table.fires_at(tick) > base::kScheduleLateMax;
        });
    }
    due.lost =
        static_cast<std::int64_t>(all.times.size()) - static_cast<std::int64_t>(due.fire.size());
    if (!all.times.empty()) {
        due.handled_until =
            all.more ? *table.cron().last_until(until, table.zone()) : all.times.back();
    }
    if (const auto next = table.next_after(std::max(due.handled_until, from)))
        due.wake_at = table.fires_at(*next);
    return due;
}

std::string run_id_of(const Schedule& schedule, Time tick) {
    // Ticks are whole seconds.
    return fmt::format("sched_{}_{}Z", schedule.name, base::format_time(tick).substr(0, 19));
}

bool same_times(const Schedule& a, const Schedule& b) {
    return a.cron == b.cron && a.zone == b.zone && a.jitter == b.jitter && a.start == b.start &&
           a.end == b.end;
}

NewRun run_of(const Schedule& schedule, Time tick, const std::string& code_version) {
    NewRun run;
    run.id = run_id_of(schedule, tick);
    run.workflow_key = schedule.workflow_key;
    run.input = schedule.input;
    run.organization_id = schedule.organization_id;
    run.source_channel = "schedule";
    run.code_version = code_version;
    run.queue = schedule.queue;
    run.priority = schedule.priority;
    if (!run.queue.empty()) run.partition = schedule.organization_id;
    run.schedule = schedule.name;
    return run;
}

OnTick on_tick(Overlap policy, bool unfinished) {
    if (!unfinished) return OnTick::Start;
    switch (policy) {
        case Overlap::Allow:
            return OnTick::Start;
        case Overlap::Skip:
            return OnTick::Lose;
        case Overlap::BufferOne:
            return OnTick::Buffer;
        case Overlap::CancelPrevious:
            return OnTick::CancelThenStart;
    }
    return OnTick::Start;
}

}  // namespace belay::model
