#include "core/store/sqlite/queue_rows.hpp"

#include "core/store/sqlite/sql.hpp"

namespace belay::store::sqlite {

std::string select_queues(std::string_view condition) {
    return std::string(sql::select_queue).append(condition);
}

std::string select_schedules(std::string_view condition) {
    return std::string(sql::select_schedule).append(condition);
}

}  // namespace belay::store::sqlite
