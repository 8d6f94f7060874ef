#include "core/store/postgres/queue_rows.hpp"

#include "core/store/postgres/sql.hpp"

namespace belay::store::postgres {

std::string select_queues(std::string_view condition) {
    return std::string(sql::select_queue).append(condition);
}

std::string select_schedules(std::string_view condition) {
    return std::string(sql::select_schedule).append(condition);
}

}  // namespace belay::store::postgres
