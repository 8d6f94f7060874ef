#include "store/postgres/queue_rows.hpp"

#include "store/postgres/sql.hpp"
#include "store/sql_queue_rows.hpp"

namespace belay::store::postgres {

std::string select_queues(std::string_view condition) {
    return std::string(sql::select_queue).append(condition);
}

std::string select_schedules(std::string_view condition) {
    return std::string(sql::select_schedule).append(condition);
}

model::Queue read_queue(const Rows& row) { return queue_in(row); }
model::StoredSchedule read_schedule(const Rows& row) { return schedule_in(row); }
void bind_queue(Statement& statement, const model::Queue& queue) { put_queue_in(statement, queue); }
void bind_schedule(Statement& statement, const model::StoredSchedule& stored) {
    put_schedule_in(statement, stored);
}

}  // namespace belay::store::postgres
