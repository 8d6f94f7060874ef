// db.hpp — this store's classes, and the SQL that it seldom runs, for the templates that the SQL stores share
// (store/sql/writer.hpp, store/sql/reads.hpp, store/sql/queue_reads.hpp). What is run often is prepared: statements.hpp.
#pragma once

#include <string>
#include <string_view>

#include "core/store/sqlite/connection.hpp"
#include "core/store/sqlite/queue_rows.hpp"
#include "core/store/sqlite/rows.hpp"
#include "core/store/sqlite/run_cache.hpp"
#include "core/store/sqlite/sql.hpp"

namespace belay::store::sqlite {

class Writer;

struct Db {
    using Writer = sqlite::Writer;
    using Connection = const sqlite::Connection;
    using Statement = sqlite::Statement;
    using Rows = sqlite::Rows;
    using HeldRun = sqlite::HeldRun;

    static std::string run_by_no() { return select_runs("WHERE run.id = ?1"); }
    static std::string queue_by_name() { return select_queues("WHERE name = ?1"); }
    static std::string queues_in_order() { return select_queues("ORDER BY name"); }
    // The transaction that reads it has the file to itself.
    static std::string schedule_by_name() { return select_schedules("WHERE name = ?1"); }
    static std::string schedules_in_order() { return select_schedules("ORDER BY name"); }

    inline static const std::string_view& cancel_scheduled = sql::cancel_scheduled;
    inline static const std::string_view& charge_death = sql::charge_death;
    inline static const std::string_view& charge_run = sql::charge_run;
    inline static const std::string_view& clear_held_out = sql::clear_held_out;
    inline static const std::string_view& count_ahead = sql::count_ahead;
    inline static const std::string_view& count_in_queue = sql::count_in_queue;
    inline static const std::string_view& count_queue = sql::count_queue;
    inline static const std::string_view& count_starts = sql::count_starts;
    inline static const std::string_view& count_unfinished = sql::count_unfinished;
    inline static const std::string_view& explain_deaths = sql::explain_deaths;
    inline static const std::string_view& least_busy_worker = sql::least_busy_worker;
    inline static const std::string_view& ledger_costs = sql::ledger_costs;
    inline static const std::string_view& ledger_deleted = sql::ledger_deleted;
    inline static const std::string_view& ledger_runs = sql::ledger_runs;
    inline static const std::string_view& ledger_steps = sql::ledger_steps;
    inline static const std::string_view& list_scheduled = sql::list_scheduled;
    inline static const std::string_view& note_death = sql::note_death;
    inline static const std::string_view& oldest_in_line = sql::oldest_in_line;
    inline static const std::string_view& put_queue = sql::put_queue;
    inline static const std::string_view& put_schedule = sql::put_schedule;
    inline static const std::string_view& remove_lanes = sql::remove_lanes;
    inline static const std::string_view& remove_queue = sql::remove_queue;
    inline static const std::string_view& remove_schedule = sql::remove_schedule;
    inline static const std::string_view& schedule_of_queue = sql::schedule_of_queue;

    // budgets (store/sql/spending.hpp)
    inline static const std::string_view& find_spending = sql::find_spending;
    inline static const std::string_view& forget_reservations = sql::forget_reservations;
    inline static const std::string_view& forget_spending = sql::forget_spending;
    inline static const std::string_view& list_budgets = sql::list_budgets;
    inline static const std::string_view& list_reservations = sql::list_reservations;
    inline static const std::string_view& put_budget = sql::put_budget;
    inline static const std::string_view& put_reservation = sql::put_reservation;
    inline static const std::string_view& put_spending = sql::put_spending;
    inline static const std::string_view& remove_budget = sql::remove_budget;
    inline static const std::string_view& remove_reservation = sql::remove_reservation;

    // One that goes to a file if it is large.
    static void bind_value(Statement& statement, int index, std::string_view value) {
        statement.bind_value(index, value);
    }
};

}  // namespace belay::store::sqlite
