// reader_queue.cpp — how queues and schedules stand, for people.
#include "core/store/postgres/db.hpp"
#include "core/store/postgres/reader.hpp"
#include "core/store/postgres/reader_read.hpp"
#include "core/store/sql/queue_reads.hpp"
#include "core/store/sql/spending.hpp"

namespace belay::store::postgres {

std::vector<QueueInfo> Reader::queues(Time now, std::string_view organization) {
    return read([&] { return all_queues<Db>(*connection_, now, organization); });
}

std::optional<model::QueuePlace> Reader::place_in_queue(RunNo run, Time now) {
    return read([&] { return store::place_in_queue<Db>(*connection_, run, now); });
}

std::vector<BudgetInfo> Reader::budgets(Time now, const model::Run* run) {
    return read([&] { return all_budgets<Db>(*connection_, now, run); });
}

std::vector<model::StoredSchedule> Reader::schedules() {
    return read([&] { return all_schedules<Db>(*connection_); });
}

}  // namespace belay::store::postgres
