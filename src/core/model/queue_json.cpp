#include "core/model/queue_json.hpp"

#include <boost/json.hpp>

#include "core/base/text.hpp"
#include "core/model/schedule.hpp"

namespace belay::model {

namespace {

namespace json = boost::json;

json::value time_json(const std::optional<Time>& time) {
    if (!time) return nullptr;
    return json::value(base::format_time(*time));
}

json::value text_or_null(const std::string& text) {
    if (text.empty()) return nullptr;
    return json::value(text);
}

json::value count_or_null(const std::optional<int>& count) {
    if (!count) return nullptr;
    return *count;
}

}  // namespace

json::object queue_json(const QueueInfo& queue) {
    json::value rate = nullptr;
    if (queue.limits.rate) {
        rate = json::object{{"starts", queue.limits.rate->starts},
                            {"period_ms", queue.limits.rate->period.count()},
                            {"tokens_left", queue.tokens_left}};
    }
    return {{"name", queue.name},
            {"paused", queue.paused},
            {"pause_reason", text_or_null(queue.pause_reason)},
            {"concurrency", count_or_null(queue.limits.concurrency)},
            {"concurrency_per_worker", count_or_null(queue.limits.concurrency_per_worker)},
            {"rate", std::move(rate)},
            {"in_line", queue.in_line},
            {"running", queue.running},
            {"waiting", queue.waiting},
            {"delayed", queue.delayed},
            {"paused_runs", queue.paused_runs},
            {"oldest_at", time_json(queue.oldest_at)}};
}

json::object schedule_json(const ScheduleInfo& schedule) {
    const ScheduleOptions& options = schedule.options;
    json::error_code error;
    json::value input = json::parse(schedule.input, error);
    if (error) input = schedule.input;
    return {{"name", schedule.name},
            {"workflow_key", schedule.workflow_key},
            {"cron", options.cron},
            {"zone", options.zone},
            {"input", std::move(input)},
            {"catch_up", to_string(options.catch_up)},
            {"catch_up_max", options.catch_up_max},
            {"overlap", to_string(options.overlap)},
            {"jitter_ms", options.jitter.count()},
            {"start", time_json(options.start)},
            {"end", time_json(options.end)},
            {"queue", text_or_null(options.queue)},
            {"priority", options.priority},
            {"organization_id", text_or_null(options.organization_id)},
            {"paused", schedule.paused},
            {"next_tick", time_json(schedule.next_tick)},
            {"last_tick", time_json(schedule.last_tick)},
            {"last_run_id", text_or_null(schedule.last_run_id)},
            {"buffered_tick", time_json(schedule.buffered_tick)},
            {"fired", schedule.fired},
            {"lost", schedule.lost}};
}

json::object backfill_json(const BackfillReport& report) {
    return {{"ticks", report.ticks},
            {"started", report.started},
            {"there", report.there},
            {"taken", report.taken},
            {"first", time_json(report.first)},
            {"last", time_json(report.last)},
            {"next", time_json(report.next)}};
}

}  // namespace belay::model
