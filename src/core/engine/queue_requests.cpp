#include "core/engine/queue_requests.hpp"

#include <fmt/format.h>
#include <boost/describe.hpp>

#include <belay/codec.hpp>
#include <belay/error.hpp>

#include "core/engine/failure.hpp"
#include "core/model/queue.hpp"
#include "core/model/schedule.hpp"

namespace belay::engine {

namespace {

using belay::detail::QueueRequest;
using belay::detail::ScheduleRequest;

// The payloads. Times and durations are milliseconds.
struct QueuePayload {
    int what = 0;
    std::string name;
    std::optional<int> concurrency;
    std::optional<int> concurrency_per_worker;
    std::optional<int> rate_starts;
    std::optional<std::int64_t> rate_period;
    std::string reason;
};
BOOST_DESCRIBE_STRUCT(QueuePayload, (),
                      (what, name, concurrency, concurrency_per_worker, rate_starts, rate_period,
                       reason))

struct SchedulePayload {
    int what = 0;
    std::string name;
    std::string workflow;
    std::string input;
    std::string cron;
    std::string zone;
    std::string catch_up;
    int catch_up_max = 0;
    std::string overlap;
    std::int64_t jitter = 0;
    std::optional<std::int64_t> start;
    std::optional<std::int64_t> end;
    std::string queue;
    int priority = 0;
    std::string organization_id;
};
BOOST_DESCRIBE_STRUCT(SchedulePayload, (),
                      (what, name, workflow, input, cron, zone, catch_up, catch_up_max, overlap,
                       jitter, start, end, queue, priority, organization_id))

std::optional<std::int64_t> millis(const std::optional<Time>& time) {
    return time ? std::optional<std::int64_t>(time->time_since_epoch().count()) : std::nullopt;
}

std::optional<Time> time_of(const std::optional<std::int64_t>& millis) {
    return millis ? std::optional<Time>(Time{Duration{*millis}}) : std::nullopt;
}

SchedulePayload payload_of(const ScheduleRequest& request) {
    const ScheduleOptions& options = request.options;
    SchedulePayload out;
    out.what = static_cast<int>(request.what);
    out.name = request.name;
    out.workflow = request.workflow;
    out.input = request.input;
    out.cron = options.cron;
    out.zone = options.zone;
    out.catch_up = model::to_string(options.catch_up);
    out.catch_up_max = options.catch_up_max;
    out.overlap = model::to_string(options.overlap);
    out.jitter = options.jitter.count();
    out.start = millis(options.start);
    out.end = millis(options.end);
    out.queue = options.queue;
    out.priority = options.priority;
    out.organization_id = options.organization_id;
    return out;
}

store::ChangeKind kind_of(int what) {
    constexpr std::array kinds{store::ChangeKind::Declare, store::ChangeKind::Set,
                               store::ChangeKind::Pause, store::ChangeKind::Resume,
                               store::ChangeKind::Remove};
    if (what < 0 || what >= static_cast<int>(kinds.size())) {
        throw Error(ErrorCode::BadValue, fmt::format("there is no change number {}", what));
    }
    return kinds[static_cast<std::size_t>(what)];
}

[[noreturn]] void not_found(std::string_view what, const std::string& name) {
    throw Error(ErrorCode::NotFound,
                fmt::format("there is no {} `{}`; `belay {}s list` shows those that are there",
                            what, name, what));
}

}  // namespace

store::ChangeQueue change_of(const QueueRequest& request) {
    model::check_queue(request.name, request.limits);
    store::ChangeQueue change;
    change.kind = kind_of(static_cast<int>(request.what));
    change.queue.name = request.name;
    change.queue.limits = request.limits;
    change.queue.declared = model::declaration_of(request.limits);
    change.queue.pause_reason = request.reason;
    return change;
}

store::ChangeSchedule change_of(const ScheduleRequest& request, env::TimeZones& zones,
                                const std::string& organization_id) {
    store::ChangeSchedule change;
    change.kind = kind_of(static_cast<int>(request.what));
    model::Schedule& schedule = change.schedule;
    schedule.name = request.name;
    if (change.kind != store::ChangeKind::Declare && change.kind != store::ChangeKind::Set)
        return change;

    const ScheduleOptions& options = request.options;
    schedule.workflow_key = request.workflow;
    schedule.cron = options.cron;
    schedule.zone = options.zone;
    schedule.input = request.input;
    schedule.organization_id =
        options.organization_id.empty() ? organization_id : options.organization_id;
    schedule.catch_up = options.catch_up;
    schedule.catch_up_max = options.catch_up_max;
    schedule.overlap = options.overlap;
    schedule.jitter = options.jitter;
    schedule.start = options.start;
    schedule.end = options.end;
    schedule.queue = options.queue;
    schedule.priority = options.priority;
    const model::Timetable checked{schedule, zones.find(schedule.zone)};
    SchedulePayload declared = payload_of(request);
    declared.what = 0;
    change.declared = to_json(declared);
    return change;
}

void throw_unless_done(const store::ChangeQueue& change) {
    if (change.lost) throw error_of(*change.lost);
    if (change.outcome == store::ChangeResult::NotFound) not_found("queue", change.queue.name);
    if (change.outcome == store::ChangeResult::Refused)
        throw Error(ErrorCode::InvalidArgument, change.why);
}

void throw_unless_done(const store::ChangeSchedule& change) {
    if (change.lost) throw error_of(*change.lost);
    if (change.outcome == store::ChangeResult::NotFound)
        not_found("schedule", change.schedule.name);
    if (change.outcome == store::ChangeResult::Refused)
        throw Error(ErrorCode::InvalidArgument, change.why);
}

std::string to_payload(const QueueRequest& request) {
    QueuePayload out;
    out.what = static_cast<int>(request.what);
    out.name = request.name;
    out.concurrency = request.limits.concurrency;
    out.concurrency_per_worker = request.limits.concurrency_per_worker;
    if (request.limits.rate) {
        out.rate_starts = request.limits.rate->starts;
        out.rate_period = request.limits.rate->period.count();
    }
    out.reason = request.reason;
    return to_json(out);
}

QueueRequest queue_request(const std::string& payload) {
    const auto in = from_json<QueuePayload>(payload);
    QueueRequest out;
    kind_of(in.what);
    out.what = static_cast<QueueRequest::What>(in.what);
    out.name = in.name;
    out.limits.concurrency = in.concurrency;
    out.limits.concurrency_per_worker = in.concurrency_per_worker;
    if (in.rate_starts)
        out.limits.rate = RateLimit{*in.rate_starts, Duration{in.rate_period.value_or(0)}};
    out.reason = in.reason;
    return out;
}

std::string to_payload(const ScheduleRequest& request) { return to_json(payload_of(request)); }

ScheduleRequest schedule_request(const std::string& payload) {
    const auto in = from_json<SchedulePayload>(payload);
    ScheduleRequest out;
    kind_of(in.what);
    out.what = static_cast<ScheduleRequest::What>(in.what);
    out.name = in.name;
    out.workflow = in.workflow;
    out.input = in.input;
    ScheduleOptions& options = out.options;
    options.cron = in.cron;
    options.zone = in.zone;
    const auto catch_up = model::catch_up(in.catch_up);
    const auto overlap = model::overlap(in.overlap);
    if (!catch_up || !overlap) {
        throw Error(ErrorCode::BadValue,
                    fmt::format("unknown policy `{}` or `{}`", in.catch_up, in.overlap));
    }
    options.catch_up = *catch_up;
    options.catch_up_max = in.catch_up_max;
    options.overlap = *overlap;
    options.jitter = Duration{in.jitter};
    options.start = time_of(in.start);
    options.end = time_of(in.end);
    options.queue = in.queue;
    options.priority = in.priority;
    options.organization_id = in.organization_id;
    return out;
}

ScheduleInfo info_of(const model::StoredSchedule& stored, env::TimeZones& zones, Time now) {
    const model::Schedule& schedule = stored.schedule;
    ScheduleInfo info;
    info.name = schedule.name;
    info.workflow_key = schedule.workflow_key;
    info.options.cron = schedule.cron;
    info.options.zone = schedule.zone;
    info.options.catch_up = schedule.catch_up;
    info.options.catch_up_max = schedule.catch_up_max;
    info.options.overlap = schedule.overlap;
    info.options.jitter = schedule.jitter;
    info.options.start = schedule.start;
    info.options.end = schedule.end;
    info.options.queue = schedule.queue;
    info.options.priority = schedule.priority;
    info.options.organization_id = schedule.organization_id;
    info.input = schedule.input;
    info.paused = schedule.paused;
    info.last_tick = stored.last_tick;
    info.last_run_id = stored.last_run_id;
    info.buffered_tick = stored.buffered;
    info.fired = stored.fired;
    info.lost = stored.lost;
    if (schedule.paused) return info;
    try {
        const model::Timetable table{schedule, zones.find(schedule.zone)};
        info.next_tick = table.next_after(std::max(stored.handled_until, now));
    } catch (const Error&) {
        // Whoever executes says what is wrong with it.
    }
    return info;
}

}  // namespace belay::engine
