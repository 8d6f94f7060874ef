#include "service/cli/operations_over_http.hpp"

#include <boost/json.hpp>

#include "core/base/text.hpp"
#include "core/model/schedule.hpp"

namespace belay::cli {

namespace {

namespace json = boost::json;

// What an older or a newer server leaves out is as if it were null.
const json::value& member(const json::object& in, std::string_view name) {
    static const json::value none;
    const auto* found = in.if_contains(name);
    return found == nullptr ? none : *found;
}

std::string text(const json::object& in, std::string_view name) {
    const json::value& value = member(in, name);
    return value.is_string() ? std::string(value.as_string()) : std::string();
}

std::int64_t number(const json::object& in, std::string_view name) {
    const json::value& value = member(in, name);
    return value.is_number() ? value.to_number<std::int64_t>() : 0;
}

std::optional<int> limit(const json::object& in, std::string_view name) {
    if (!member(in, name).is_number()) return std::nullopt;
    return static_cast<int>(number(in, name));
}

std::optional<Time> time(const json::object& in, std::string_view name) {
    const std::string written = text(in, name);
    return written.empty() ? std::nullopt : base::parse_time(written);
}

bool flag(const json::object& in, std::string_view name) {
    const json::value& value = member(in, name);
    return value.is_bool() && value.as_bool();
}

ScheduleOptions options_in(const json::object& in) {
    ScheduleOptions options;
    options.cron = text(in, "cron");
    options.zone = text(in, "zone");
    options.catch_up = model::catch_up(text(in, "catch_up")).value_or(options.catch_up);
    options.catch_up_max = static_cast<int>(number(in, "catch_up_max"));
    options.overlap = model::overlap(text(in, "overlap")).value_or(options.overlap);
    options.jitter = Duration{number(in, "jitter_ms")};
    options.start = time(in, "start");
    options.end = time(in, "end");
    options.queue = text(in, "queue");
    options.priority = static_cast<int>(number(in, "priority"));
    options.organization_id = text(in, "organization_id");
    return options;
}

}  // namespace

QueueInfo queue_in(const json::object& in) {
    QueueInfo queue;
    queue.name = text(in, "name");
    queue.limits.concurrency = limit(in, "concurrency");
    queue.limits.concurrency_per_worker = limit(in, "concurrency_per_worker");
    if (const auto* rate = member(in, "rate").if_object()) {
        queue.limits.rate = RateLimit{static_cast<int>(number(*rate, "starts")),
                                      Duration{number(*rate, "period_ms")}};
        queue.tokens_left = number(*rate, "tokens_left");
    }
    queue.paused = flag(in, "paused");
    queue.pause_reason = text(in, "pause_reason");
    queue.in_line = number(in, "in_line");
    queue.running = number(in, "running");
    queue.waiting = number(in, "waiting");
    queue.delayed = number(in, "delayed");
    queue.paused_runs = number(in, "paused_runs");
    queue.oldest_at = time(in, "oldest_at");
    return queue;
}

ScheduleInfo schedule_in(const json::object& in) {
    ScheduleInfo schedule;
    schedule.name = text(in, "name");
    schedule.workflow_key = text(in, "workflow_key");
    schedule.options = options_in(in);
    schedule.input = json::serialize(member(in, "input"));
    schedule.paused = flag(in, "paused");
    schedule.next_tick = time(in, "next_tick");
    schedule.last_tick = time(in, "last_tick");
    schedule.last_run_id = text(in, "last_run_id");
    schedule.buffered_tick = time(in, "buffered_tick");
    schedule.fired = number(in, "fired");
    schedule.lost = number(in, "lost");
    return schedule;
}

std::vector<QueueInfo> remote_queues(const ServerClient& remote) {
    const json::value answer = remote.get("/api/queues");
    std::vector<QueueInfo> queues;
    for (const json::value& row : answer.at("queues").as_array())
        queues.push_back(queue_in(row.as_object()));
    return queues;
}

BackfillReport backfill_in(const json::object& in) {
    return {number(in, "ticks"), number(in, "started"), number(in, "there"), number(in, "taken"),
            time(in, "first"),   time(in, "last"),      time(in, "next")};
}

std::vector<ScheduleInfo> remote_schedules(const ServerClient& remote) {
    const json::value answer = remote.get("/api/schedules");
    std::vector<ScheduleInfo> schedules;
    for (const json::value& row : answer.at("schedules").as_array())
        schedules.push_back(schedule_in(row.as_object()));
    return schedules;
}

}  // namespace belay::cli
