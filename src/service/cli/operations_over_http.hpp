// operations_over_http.hpp — a server's queues and schedules, as those of a store are told.
#pragma once

#include <vector>

#include <boost/json/object.hpp>

#include <belay/queue.hpp>
#include <belay/schedule.hpp>

#include "service/cli/over_http.hpp"

namespace belay::cli {

std::vector<QueueInfo> remote_queues(const ServerClient& remote);
std::vector<ScheduleInfo> remote_schedules(const ServerClient& remote);

// What model/queue_json.hpp wrote, read back.
QueueInfo queue_in(const boost::json::object& json);
ScheduleInfo schedule_in(const boost::json::object& json);
BackfillReport backfill_in(const boost::json::object& json);

}  // namespace belay::cli
