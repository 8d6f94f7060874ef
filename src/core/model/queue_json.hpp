// queue_json.hpp — queues and schedules as JSON, the same from the command line and over HTTP.
#pragma once

#include <boost/describe.hpp>
#include <boost/json/object.hpp>

#include <belay/queue.hpp>
#include <belay/schedule.hpp>

namespace belay {

// What came of a backfill, between processes: times are milliseconds. For people see backfill_json.
BOOST_DESCRIBE_STRUCT(BackfillReport, (), (ticks, started, there, taken, first, last, next))

namespace model {

// {name, paused, pause_reason, concurrency, concurrency_per_worker, rate: {starts, period_ms, tokens_left},
//  in_line, running, waiting, delayed, paused_runs, oldest_at}; what is not limited is null.
boost::json::object queue_json(const QueueInfo& queue);

// {name, workflow_key, cron, zone, input, catch_up, catch_up_max, overlap, jitter_ms, start, end, queue,
//  priority, organization_id, paused, next_tick, last_tick, last_run_id, buffered_tick, fired, lost}
boost::json::object schedule_json(const ScheduleInfo& schedule);

// {ticks, started, there, taken, first, last, next}
boost::json::object backfill_json(const BackfillReport& report);

}  // namespace model
}  // namespace belay
