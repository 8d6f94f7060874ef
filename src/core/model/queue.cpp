#include "core/model/queue.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/base/limits.hpp"
#include "core/base/text.hpp"
#include "core/base/utf8.hpp"

namespace belay::model {

namespace {

// More than anyone has.
constexpr std::int64_t kUnlimited = std::int64_t{1} << 40;

[[noreturn]] void refuse(const std::string& name, const std::string& why) {
    throw Error(
        ErrorCode::InvalidArgument,
        fmt::format("the queue `{}` cannot be used: {}",
                    base::truncate(base::to_valid_utf8(name), base::kQueueNameCharsMax), why));
}

void check_count(const std::string& name, std::string_view limit, const std::optional<int>& value,
                 int least, int most) {
    if (!value || (*value >= least && *value <= most)) return;
    refuse(name, fmt::format("its {} is {}, and must be {} to {}", limit, *value, least, most));
}

std::string ordinal_text(const std::optional<int>& value) {
    return value ? std::to_string(*value) : "-";
}

// "8 of 8 slots are taken"
std::string taken_text(std::int64_t taken, int limit) {
    if (limit == 0) return "it lets none begin (its concurrency is 0)";
    return fmt::format("{} of {} slot{} taken", taken, limit, limit == 1 ? " is" : "s are");
}

}  // namespace

bool is_plain_name(std::string_view name) {
    if (name.empty() || name.size() > base::kQueueNameCharsMax) return false;
    return std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '.' || c == '-' || c == '_';
    });
}

void check_queue(const std::string& name, const QueueLimits& limits) {
    if (!is_plain_name(name)) {
        refuse(name, fmt::format("a name has 1 to {} letters, digits, `.`, `-` and `_`",
                                 base::kQueueNameCharsMax));
    }
    check_count(name, "concurrency", limits.concurrency, 0, base::kQueueConcurrencyMax);
    check_count(name, "concurrency_per_worker", limits.concurrency_per_worker, 1,
                base::kQueueConcurrencyMax);
    if (!limits.rate) return;
    check_count(name, "rate.starts", limits.rate->starts, 1, base::kQueueRateStartsMax);
    const Duration period = limits.rate->period;
    if (period < Duration{1} || period > base::kQueueRatePeriodMax) {
        refuse(name, fmt::format("its rate.period of {} is outside 1ms to {}",
                                 base::format_duration(period),
                                 base::format_duration(base::kQueueRatePeriodMax)));
    }
}

std::string declaration_of(const QueueLimits& limits) {
    return fmt::format(
        "{} {} {}", ordinal_text(limits.concurrency), ordinal_text(limits.concurrency_per_worker),
        limits.rate ? fmt::format("{}/{}", limits.rate->starts, limits.rate->period.count()) : "-");
}

std::string limits_text(const QueueLimits& limits) {
    std::string text;
    const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
    if (limits.concurrency) add(fmt::format("{} at once", *limits.concurrency));
    if (limits.concurrency_per_worker)
        add(fmt::format("{} per worker", *limits.concurrency_per_worker));
    if (limits.rate) {
        add(fmt::format("{} per {}", limits.rate->starts,
                        base::format_duration(limits.rate->period)));
    }
    return text.empty() ? "no limits" : text;
}

std::int64_t next_turn(std::int64_t last_served_in_lane, std::int64_t last_of_partition) {
    return std::max(last_served_in_lane, last_of_partition) + 1;
}

Time counted_at(const RateLimit& rate, Time now) {
    const auto grain = rate.starts <= base::kQueueRateExactStarts
                           ? Duration::rep{1}
                           : std::max<Duration::rep>(1, rate.period.count() / 1000);
    const auto at = now.time_since_epoch().count();
    return Time{Duration{(at + grain - 1) / grain * grain}};
}

QueueRoom room_in(const Queue& queue, const QueueLoad& load, Time now) {
    QueueRoom room;
    if (queue.paused) {
        room.held_up_by = HeldUpBy::Paused;
        return room;
    }
    const QueueLimits& limits = queue.limits;
    const auto left = [](const std::optional<int>& limit, std::int64_t taken) {
        return limit ? std::max<std::int64_t>(0, *limit - taken) : kUnlimited;
    };
    const std::int64_t global = left(limits.concurrency, load.running);
    const std::int64_t here = left(limits.concurrency_per_worker, load.running_here);
    room.begun = room.fresh = std::min(global, here);
    if (room.begun == 0) {
        room.held_up_by = global == 0 ? HeldUpBy::Concurrency : HeldUpBy::PerWorker;
        return room;
    }
    if (!limits.rate) return room;
    room.fresh = std::min(room.fresh, left(limits.rate->starts, load.starts));
    if (room.fresh == 0) {
        room.held_up_by = HeldUpBy::Rate;
        room.next_token = load.oldest_start.value_or(now) + limits.rate->period;
    }
    return room;
}

QueueSentence sentence_of(const QueuePlace& place, Time now) {
    const QueueLimits& limits = place.queue.limits;
    QueueSentence out;
    out.text =
        fmt::format("it waits in queue `{}` at position {}", place.queue.name, place.ahead + 1);
    switch (place.held_up_by) {
        case HeldUpBy::Paused:
            out.text +=
                fmt::format(": the queue is paused{}{}.",
                            place.queue.pause_reason.empty() ? "" : ": ", place.queue.pause_reason);
            out.to_do = fmt::format("Resume it: belay queues resume {}", place.queue.name);
            break;
        case HeldUpBy::Concurrency:
            out.text +=
                fmt::format(": {}.", taken_text(place.running, limits.concurrency.value_or(0)));
            if (limits.concurrency.value_or(1) == 0) {
                out.to_do = fmt::format("Give it slots: belay queues set {} --concurrency N",
                                        place.queue.name);
            }
            break;
        case HeldUpBy::PerWorker:
            out.text += fmt::format(": each worker runs its {} of it.",
                                    limits.concurrency_per_worker.value_or(0));
            break;
        case HeldUpBy::Rate:
            out.text += fmt::format(
                ": {} begun in the last {}, as many as may", limits.rate ? limits.rate->starts : 0,
                base::format_duration(limits.rate ? limits.rate->period : Duration{0}));
            if (place.next_token) {
                const Duration in = std::max(*place.next_token - now, Duration{0});
                out.text +=
                    fmt::format("; the next may at {} (in {})",
                                base::format_time(*place.next_token), base::format_duration(in));
            }
            out.text += ".";
            break;
        case HeldUpBy::Nothing:
            out.text += place.ahead == 0 ? ": it is next." : ".";
            break;
    }
    return out;
}

}  // namespace belay::model
