#include "store/sqlite/queue_rows.hpp"

#include "store/sql_queue_rows.hpp"
#include "store/sqlite/sql.hpp"

namespace belay::store::sqlite {

std::string select_queues(std::string_view condition) {
    return std::string(sql::select_queue).append(condition);
}

std::string select_schedules(std::string_view condition) {
    return std::string(sql::select_schedule).append(condition);
}

model::Queue read_queue(const Statement& row) { return queue_in(row); }
model::StoredSchedule read_schedule(const Statement& row) { return schedule_in(row); }
void bind_queue(Statement& statement, const model::Queue& queue) { put_queue_in(statement, queue); }
void bind_schedule(Statement& statement, const model::StoredSchedule& stored) {
    put_schedule_in(statement, stored);
}

}  // namespace belay::store::sqlite
