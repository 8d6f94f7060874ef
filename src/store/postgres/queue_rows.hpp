// queue_rows.hpp — rows of queues and schedules as values of the model, and back.
#pragma once

#include <string>
#include <string_view>

#include "model/queue.hpp"
#include "model/schedule.hpp"
#include "store/postgres/connection.hpp"

namespace belay::store::postgres {

// select_queue.sql and select_schedule.sql with this condition behind it: "WHERE name = $1".
std::string select_queues(std::string_view condition);
std::string select_schedules(std::string_view condition);

model::Queue read_queue(const Rows& row);
model::StoredSchedule read_schedule(const Rows& row);

// The parameters of put_queue.sql and put_schedule.sql.
void bind_queue(Statement& statement, const model::Queue& queue);
void bind_schedule(Statement& statement, const model::StoredSchedule& schedule);

}  // namespace belay::store::postgres
