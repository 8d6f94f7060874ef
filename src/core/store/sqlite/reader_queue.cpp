// reader_queue.cpp — how queues and schedules stand, for people.
#include "core/store/sql/queue_reads.hpp"
#include "core/store/sql/spending.hpp"
#include "core/store/sqlite/db.hpp"
#include "core/store/sqlite/reader.hpp"
#include "core/store/sqlite/reader_locked.hpp"

namespace belay::store::sqlite {

std::vector<QueueInfo> Reader::queues(Time now, std::string_view organization) {
    return locked([&] { return all_queues<Db>(*connection_, now, organization); });
}

std::optional<model::QueuePlace> Reader::place_in_queue(RunNo run, Time now) {
    return locked([&] { return store::place_in_queue<Db>(*connection_, run, now); });
}

std::vector<BudgetInfo> Reader::budgets(Time now, const model::Run* run) {
    return locked([&] { return all_budgets<Db>(*connection_, now, run); });
}

std::vector<model::StoredSchedule> Reader::schedules() {
    return locked([&] { return all_schedules<Db>(*connection_); });
}

}  // namespace belay::store::sqlite
