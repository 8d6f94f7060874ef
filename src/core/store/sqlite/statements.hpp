// statements.hpp — the writer's statements, prepared once and kept.
#pragma once

#include "core/store/sqlite/connection.hpp"
#include "core/store/sqlite/queue_rows.hpp"
#include "core/store/sqlite/rows.hpp"
#include "core/store/sqlite/sql.hpp"

namespace belay::store::sqlite {

struct Statements {
    explicit Statements(const Connection& connection) : db(connection) {}

    const Connection& db;

    // the transaction
    Statement begin{db, "BEGIN IMMEDIATE"};
    Statement commit{db, "COMMIT"};
    Statement rollback{db, "ROLLBACK"};
    Statement savepoint{db, "SAVEPOINT verb"};
    Statement release{db, "RELEASE verb"};
    Statement rollback_to{db, "ROLLBACK TO verb"};
    Statement data_version{db, "PRAGMA data_version"};
    Statement number_commit{db, sql::number_commit};

    // runs
    Statement insert_run{db, sql::insert_run};
    Statement run_by_no{db, select_runs("WHERE run.id = ?1")};
    Statement run_by_id{db, select_runs("WHERE run.public_id = ?1")};
    Statement held_run{db, sql::held_run};
    Statement touch_run{db, sql::touch_run};
    Statement set_progress{db, sql::set_progress};
    Statement clear_recoveries{db, sql::clear_recoveries};
    Statement end_run{db, sql::end_run};
    Statement wait_run{db, sql::wait_run};
    Statement release_run{db, sql::release_run};

    // runs that are undone
    Statement may_be_undone{db, sql::may_be_undone};
    Statement open_children{db, sql::open_children};
    Statement begin_undo{db, sql::begin_undo};
    Statement leave_run{db, sql::leave_run};
    Statement wake_to_cancel{db, sql::wake_to_cancel};

    // what runs say of themselves
    Statement put_label{db, sql::put_label};
    Statement put_exposed{db, sql::put_exposed};
    Statement forget_run_labels{db, sql::forget_run_labels};
    Statement forget_run_exposed{db, sql::forget_run_exposed};

    // waiting
    Statement signal_run{db, sql::signal_run};
    Statement insert_message{db, sql::insert_message};
    Statement oldest_message{db, sql::oldest_message};
    Statement read_message{db, sql::read_message};
    Statement count_unread{db, sql::count_unread};
    Statement has_open_child{db, sql::has_open_child};
    Statement has_message{db, sql::has_message};
    Statement insert_waiter{db, sql::insert_waiter};
    Statement mark_awaited{db, sql::mark_awaited};
    Statement take_waiters{db, sql::take_waiters};
    Statement forget_waiter{db, sql::forget_waiter};
    Statement take_came{db, sql::take_came};
    Statement list_awaited{db, sql::list_awaited};
    Statement unread_topics{db, sql::unread_topics};
    Statement keep_aside{db, sql::keep_aside};
    Statement cancel_children{db, sql::cancel_children};

    // stages
    Statement record_stage{db, sql::record_stage};
    Statement stage_status{db, sql::stage_status};
    Statement skip_inside{db, sql::skip_inside};
    Statement insert_attempt{db, sql::insert_attempt};
    Statement load_stages{db, sql::load_stages};

    // queues
    Statement next_line{db, sql::next_line};
    Statement list_line{db, sql::list_line};
    Statement into_line{db, sql::into_line};
    Statement put_back_in_line{db, sql::put_back_in_line};
    Statement last_turn{db, sql::last_turn};
    Statement serve_turn{db, sql::serve_turn};
    Statement count_in_queue{db, sql::count_in_queue};
    Statement count_starts{db, sql::count_starts};
    Statement take_token{db, sql::take_token};
    Statement forget_starts{db, sql::forget_starts};
    Statement find_dedupe{db, sql::find_dedupe};
    Statement queue_by_name{db, select_queues("WHERE name = ?1")};
    // what runs cost, cached answers, and runs that go
    Statement put_cached{db, sql::put_cached};
    Statement forget_cached{db, sql::forget_cached};
    Statement note_saved{db, sql::note_saved};
    Statement list_prunable{db, sql::list_prunable};
    Statement awaited_by{db, sql::awaited_by};
    Statement insert_tombstone{db, sql::insert_tombstone};
    Statement find_tombstone{db, sql::find_tombstone};
    Statement forget_tombstone{db, sql::forget_tombstone};
    Statement has_tombstones{db, sql::has_tombstones};
    Statement forget_run{db, sql::forget_run};
    Statement forget_run_stages{db, sql::forget_run_stages};
    Statement forget_run_attempts{db, sql::forget_run_attempts};
    Statement forget_run_deaths{db, sql::forget_run_deaths};
    Statement forget_run_messages{db, sql::forget_run_messages};
    Statement forget_run_waiters{db, sql::forget_run_waiters};
    Statement count_run_stages{db, sql::count_run_stages};
    Statement list_run_costs{db, sql::list_run_costs};
    Statement put_gone{db, sql::put_gone};
    Statement next_gone{db, sql::next_gone};
    Statement forget_gone{db, sql::forget_gone};
    Statement set_last_deleted{db, sql::set_last_deleted};
    Statement run_floor{db, sql::run_floor};
    Statement read_ledger_row{db, sql::read_ledger_row};
    Statement put_ledger_row{db, sql::put_ledger_row};

    // claims
    Statement next_worker{db, sql::next_worker};
    Statement list_orphans{db, sql::list_orphans};
    Statement note_pick_up{db, sql::note_pick_up};
    Statement list_due{db, sql::list_due};
    Statement next_due{db, sql::next_due};
    Statement claim_run{db, sql::claim_run};
    Statement put_off_run{db, sql::put_off_run};
    Statement reclaim_run{db, sql::reclaim_run};
    Statement list_held{db, sql::list_held};

    Statement forget_workers{db, sql::forget_workers};
    Statement insert_worker{db, sql::insert_worker};

    // forks, new histories, stalls
    Statement begin_at_epoch{db, sql::begin_at_epoch};
    Statement continue_run{db, sql::continue_run};
    Statement forget_history{db, sql::forget_history};
    Statement forget_all_attempts{db, sql::forget_all_attempts};
    Statement mark_stalled{db, sql::mark_stalled};

    // control
    Statement stop_run{db, sql::stop_run};
    Statement cancel_open_stages{db, sql::cancel_open_stages};
    Statement request_cancel{db, sql::request_cancel};
    Statement request_pause{db, sql::request_pause};
    Statement resume_run{db, sql::resume_run};
    Statement resume_running{db, sql::resume_running};
    Statement retry_run{db, sql::retry_run};
    Statement reset_stage{db, sql::reset_stage};
    Statement forget_stage{db, sql::forget_stage};
    Statement forget_attempts{db, sql::forget_attempts};
    Statement take_requests{db, sql::take_requests};
    Statement answer_request{db, sql::answer_request};
};

}  // namespace belay::store::sqlite
