// queue_rows.hpp — queries of queues and schedules. Their rows are read and written by store/sql/queue_rows.hpp.
#pragma once

#include <string>
#include <string_view>

namespace belay::store::postgres {

// select_queue.sql and select_schedule.sql with this condition behind it: "WHERE name = $1".
std::string select_queues(std::string_view condition);
std::string select_schedules(std::string_view condition);

}  // namespace belay::store::postgres
