// statements.hpp — the writer's statements, prepared when they are first used and kept.
#pragma once

#include <string>
#include <string_view>

#include <fmt/format.h>

#include "core/store/postgres/connection.hpp"
#include "core/store/postgres/queue_rows.hpp"
#include "core/store/postgres/rows.hpp"
#include "core/store/postgres/sql.hpp"

namespace belay::store::postgres {

inline constexpr std::string_view kLockRuns =
    "SELECT id FROM workflow_runs WHERE id = ANY($1::bigint[]) ORDER BY id FOR NO KEY UPDATE";

struct Statements {
    explicit Statements(Connection& connection) : db(connection) {}

    Connection& db;

    Statement made(const char* name, std::string_view sql) {
        return Statement{db, name, std::string(sql)};
    }
    // A statement that gives a row for each that it has written; unless there are as many as the parameter `count`
    // says, it is an error (a division by zero) with which the transaction fails.
    Statement made_certain(const char* name, std::string_view sql, std::string_view count) {
        return Statement{
            db, name,
            fmt::format("WITH written AS (\n{}\n) SELECT 1 / (count(*) = {}::bigint)::int "
                        "FROM written",
                        sql, count)};
    }

#define BELAY_STATEMENT(name) Statement name = made(#name, sql::name)
    // workers
    BELAY_STATEMENT(lock_workers);
    BELAY_STATEMENT(lock_own_worker);
    BELAY_STATEMENT(is_untouched);
    BELAY_STATEMENT(mark_workers);
    BELAY_STATEMENT(mark_of_worker);
    BELAY_STATEMENT(list_workers);
    BELAY_STATEMENT(bury_workers);
    BELAY_STATEMENT(lock_dead_workers);

    // runs
    BELAY_STATEMENT(insert_run);
    BELAY_STATEMENT(insert_runs);
    Statement run_by_no = made("run_by_no", select_runs("WHERE run.id = $1"));
    Statement run_by_id = made("run_by_id", select_runs("WHERE run.public_id = $1"));
    Statement runs_by_no = made("runs_by_no", select_runs("WHERE run.id = ANY($1::bigint[])"));
    Statement existing_ids =
        made("existing_ids",
             "SELECT public_id FROM workflow_runs WHERE public_id = ANY($1::text[]) UNION ALL "
             "SELECT public_id FROM workflow_tombstones WHERE public_id = ANY($1::text[])");
    BELAY_STATEMENT(lock_runs);
    BELAY_STATEMENT(held_run);
    BELAY_STATEMENT(touch_runs);
    BELAY_STATEMENT(end_run);
    BELAY_STATEMENT(end_runs);
    Statement end_certain_runs = made_certain("end_certain_runs", sql::end_runs, "$12");
    // None of these ids was used and deleted.
    Statement no_tombstones =
        made("no_tombstones",
             "SELECT 1 / (count(*) = 0)::int FROM workflow_tombstones WHERE public_id = "
             "ANY($1::text[])");
    BELAY_STATEMENT(wait_run);
    BELAY_STATEMENT(release_run);

    // what runs say of themselves
    BELAY_STATEMENT(may_be_undone);
    BELAY_STATEMENT(open_children);
    BELAY_STATEMENT(begin_undo);
    BELAY_STATEMENT(leave_run);
    BELAY_STATEMENT(wake_to_cancel);
    BELAY_STATEMENT(put_label);
    BELAY_STATEMENT(put_exposed);
    BELAY_STATEMENT(forget_run_labels);
    BELAY_STATEMENT(forget_run_exposed);

    // waiting
    BELAY_STATEMENT(signal_run);
    BELAY_STATEMENT(insert_message);
    BELAY_STATEMENT(oldest_message);
    BELAY_STATEMENT(read_message);
    BELAY_STATEMENT(count_unread);
    BELAY_STATEMENT(has_message);
    BELAY_STATEMENT(insert_waiter);
    BELAY_STATEMENT(mark_awaited);
    BELAY_STATEMENT(take_waiters);
    BELAY_STATEMENT(forget_waiter);
    BELAY_STATEMENT(take_came);
    BELAY_STATEMENT(list_awaited);
    BELAY_STATEMENT(unread_topics);
    BELAY_STATEMENT(keep_aside);
    BELAY_STATEMENT(mark_late);
    BELAY_STATEMENT(cancel_children);

    // stages
    BELAY_STATEMENT(insert_stages);
    BELAY_STATEMENT(insert_plain_stages);
    BELAY_STATEMENT(record_stage);
    Statement record_certain_stages =
        made_certain("record_certain_stages", sql::record_stage, "$16");
    BELAY_STATEMENT(stage_status);
    BELAY_STATEMENT(skip_inside);
    BELAY_STATEMENT(insert_attempts);
    BELAY_STATEMENT(load_stages);

    // what runs cost, cached answers, and runs that go
    BELAY_STATEMENT(put_cached);
    BELAY_STATEMENT(forget_cached);
    BELAY_STATEMENT(note_saved);
    BELAY_STATEMENT(list_prunable);
    BELAY_STATEMENT(list_needing);
    Statement lock_all_runs = made("lock_all_runs", kLockRuns);
    Statement lock_free_runs = made("lock_free_runs", fmt::format("{} SKIP LOCKED", kLockRuns));
    BELAY_STATEMENT(awaited_by);
    BELAY_STATEMENT(insert_tombstone);
    BELAY_STATEMENT(find_tombstone);
    BELAY_STATEMENT(forget_tombstone);
    BELAY_STATEMENT(forget_run);
    BELAY_STATEMENT(forget_run_stages);
    BELAY_STATEMENT(forget_run_attempts);
    BELAY_STATEMENT(forget_run_deaths);
    BELAY_STATEMENT(forget_run_messages);
    BELAY_STATEMENT(forget_run_waiters);
    BELAY_STATEMENT(count_run_stages);
    BELAY_STATEMENT(list_run_costs);
    BELAY_STATEMENT(put_gone);
    BELAY_STATEMENT(next_gone);
    BELAY_STATEMENT(forget_gone);
    BELAY_STATEMENT(read_ledger_row);
    BELAY_STATEMENT(put_ledger_row);

    // forks, new histories, stalls
    BELAY_STATEMENT(begin_at_epoch);
    BELAY_STATEMENT(continue_run);
    BELAY_STATEMENT(forget_history);
    BELAY_STATEMENT(forget_all_attempts);
    BELAY_STATEMENT(mark_stalled);

    // claims
    BELAY_STATEMENT(insert_worker);
    BELAY_STATEMENT(forget_known_workers);
    BELAY_STATEMENT(list_orphans);
    BELAY_STATEMENT(note_pick_ups);
    BELAY_STATEMENT(any_orphan);
    BELAY_STATEMENT(list_due);
    BELAY_STATEMENT(list_suspects);
    BELAY_STATEMENT(any_due);
    BELAY_STATEMENT(next_due);
    BELAY_STATEMENT(claim_runs);
    BELAY_STATEMENT(put_off_run);
    BELAY_STATEMENT(reclaim_run);
    BELAY_STATEMENT(list_held);

    // queues
    BELAY_STATEMENT(next_line);
    BELAY_STATEMENT(list_line);
    BELAY_STATEMENT(any_line);
    BELAY_STATEMENT(into_line);
    BELAY_STATEMENT(put_back_in_line);
    BELAY_STATEMENT(last_turn);
    BELAY_STATEMENT(serve_turn);
    BELAY_STATEMENT(count_in_queue);
    BELAY_STATEMENT(count_starts);
    BELAY_STATEMENT(take_token);
    BELAY_STATEMENT(forget_starts);
    BELAY_STATEMENT(find_dedupe);
    Statement queue_by_name = made("queue_by_name", select_queues("WHERE name = $1"));

    // control
    BELAY_STATEMENT(stop_run);
    BELAY_STATEMENT(cancel_open_stages);
    BELAY_STATEMENT(request_cancel);
    BELAY_STATEMENT(request_pause);
    BELAY_STATEMENT(resume_run);
    BELAY_STATEMENT(resume_running);
    BELAY_STATEMENT(retry_run);
    BELAY_STATEMENT(reset_stage);
    BELAY_STATEMENT(forget_stage);
    BELAY_STATEMENT(forget_attempts);
    BELAY_STATEMENT(take_requests);
    BELAY_STATEMENT(answer_request);
#undef BELAY_STATEMENT
};

}  // namespace belay::store::postgres
