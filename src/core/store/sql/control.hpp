// control.hpp — what people and other processes ask of a run, for every store that speaks SQL.
//
// Who asks a running run only leaves a note in its row: whoever holds it reads that, and ends it. Any other run is
// changed at once, with its hook. duties.hpp says what is asked of the writer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/model/rewind.hpp"
#include "core/model/transitions.hpp"
#include "core/model/undo.hpp"
#include "core/store/body_failure.hpp"
#include "core/store/control_answer.hpp"
#include "core/store/sql/rows.hpp"
#include "core/store/sql/writer.hpp"

namespace belay::store {

template <class Db>
void SqlWriter<Db>::apply(Control& verb) {
    flush();
    verb.outcome = ControlResult::NotFound;
    verb.run.reset();
    verb.why.clear();
    verb.lost.reset();
    const auto found = find_run(verb.run_id);
    if (!found) return;
    switch (verb.kind) {
        case ControlKind::Cancel:
        case ControlKind::Leave:
            cancel(verb, *found);
            break;
        case ControlKind::Pause:
            pause(verb, *found);
            break;
        case ControlKind::Resume:
            resume(verb, *found);
            break;
        case ControlKind::Retry:
            retry(verb, *found);
            break;
    }
    verb.run = find_run(found->no);
}

template <class Db>
void SqlWriter<Db>::cancel(Control& verb, model::Run run) {
    if (std::string why = refuses_cancel(verb, run); !why.empty())
        return refuse(verb, std::move(why));
    if (is_for_worker(verb, run)) {
        if (verb.kind == ControlKind::Leave) self().statements_.leave_run.run(run.no.value);
        if (run.status == RunStatus::Running) {
            tell_holder(run);
            self().statements_.request_cancel.run(run.no.value, now_, verb.reason);
            if (auto* held = self().runs_.find(run.no)) held->cancel_requested = true;
        } else {
            tell_due();
            self().statements_.wake_to_cancel.run(run.no.value, now_, verb.reason);
        }
        cancel_children(run.no, "");
        verb.outcome = ControlResult::Requested;
        return;
    }
    if (const BodyResult failed = offence()) return hook_failed(verb, *failed);
    savepoint();
    run.cancel_requested = run.pause_requested = false;
    if (run.undo != model::UndoState::None) self().statements_.leave_run.run(run.no.value);
    stop(run, RunStatus::Canceled, on_request(ErrorCode::RunCanceled, verb.reason));
    self().statements_.cancel_open_stages.run(run.no.value, now_);
    if (const TxBody hook = verb.on_end ? verb.on_end(run) : TxBody{}) {
        std::string ignored;
        if (const BodyResult failed = run_body(hook, ignored)) {
            undo_savepoint();
            return hook_failed(verb, *failed);
        }
    }
    release();
    if (run.is_awaited) tell_waiters(run.no);
    cancel_children(run.no, "");
    verb.outcome = ControlResult::Done;
}

template <class Db>
void SqlWriter<Db>::pause(Control& verb, model::Run run) {
    if (!model::may_follow(run.status, RunStatus::Paused)) {
        return refuse(verb, cannot_become(run, RunStatus::Paused));
    }
    if (run.status == RunStatus::Running) {
        tell_holder(run);
        self().statements_.request_pause.run(run.no.value, now_, verb.reason);
        if (auto* held = self().runs_.find(run.no)) held->pause_requested = true;
        verb.outcome = ControlResult::Requested;
        return;
    }
    stop(run, RunStatus::Paused, on_request(ErrorCode::RunPaused, verb.reason));
    verb.outcome = ControlResult::Done;
}

template <class Db>
void SqlWriter<Db>::resume(Control& verb, const model::Run& run) {
    if (verb.approves) {
        if (std::string why = approve_spending(run, *verb.approves); !why.empty())
            return refuse(verb, std::move(why));
    }
    const bool pausing = run.status == RunStatus::Running && run.pause_requested;
    if (pausing) {
        tell_holder(run);
        self().statements_.resume_running.run(run.no.value, now_);
        if (auto* held = self().runs_.find(run.no)) held->pause_requested = false;
    } else if (run.status == RunStatus::Paused) {
        tell_due();
        if (is_stuck_in_undo(run))
            self().statements_.reset_stage.run(run.no.value, run.failure->path);
        self().statements_.resume_run.run(run.no.value, now_);
    } else {
        return refuse(verb, fmt::format("the run is {}, not paused", to_string(run.status)));
    }
    verb.outcome = ControlResult::Done;
}

template <class Db>
void SqlWriter<Db>::retry(Control& verb, const model::Run& run) {
    if (run.undo_plan && is_finished(run.status))
        return refuse(verb, model::why_no_retry(stages_of(run.no)));
    if (!model::may_be_retried(run)) {
        return refuse(verb,
                      fmt::format("the run is {}: only one that failed or was canceled is retried, "
                                  "or one that is paused because a record cannot be read",
                                  to_string(run.status)));
    }
    if (run.epoch != verb.expected_epoch) {
        return refuse(verb, "the run changed since its stages were read");
    }
    retry_run(run.no, verb.reset_paths, verb.forget_paths);
    verb.outcome = ControlResult::Done;
}

template <class Db>
void SqlWriter<Db>::retry_run(RunNo run, const std::vector<std::string>& reset_paths,
                              const std::vector<std::string>& forget_paths) {
    auto& statements = self().statements_;
    for (const std::string& path : forget_paths) {
        statements.forget_stage.run(run.value, path);
        statements.forget_attempts.run(run.value, path);
    }
    for (const std::string& path : reset_paths) statements.reset_stage.run(run.value, path);
    statements.retry_run.run(run.value, now_);
    tell_due();
}

template <class Db>
void SqlWriter<Db>::stop(model::Run& run, RunStatus status, model::Failure failure) {
    const Time now = now_;
    run.status = status;
    run.failure = std::move(failure);
    run.updated_at = now;
    if (is_finished(status)) run.completed_at = now;
    tell_ended(run.no);
    run.wake_at.reset();
    if (status != RunStatus::Paused) run.turn.reset();
    if (!run.cancel_requested && !run.pause_requested) run.request_reason.clear();

    Statement& update = self().statements_.stop_run;
    update.bind(1, run.no.value);
    update.bind(2, to_string(status));
    update.bind(3, run.current_stage);
    update.bind(4, run.failure->code);
    update.bind(5, run.failure->message);
    update.bind_or_null(6, run.failure->stage);
    update.bind_or_null(7, run.failure->path);
    update.bind(8, run.completed_at);
    update.bind(9, now);
    update.bind(10, std::int64_t{run.cancel_requested ? 1 : 0});
    update.bind(11, std::int64_t{run.pause_requested ? 1 : 0});
    update.step_to_end();
    self().runs_.forget(run.no);
}

template <class Db>
std::optional<model::Run> SqlWriter<Db>::find_run(std::string_view id) {
    Rows row{self().statements_.run_by_id, id};
    return row.next() ? std::optional(run_in(*row)) : std::nullopt;
}

template <class Db>
std::optional<model::Run> SqlWriter<Db>::find_run(RunNo no) {
    Rows row{self().statements_.run_by_no, no.value};
    return row.next() ? std::optional(run_in(*row)) : std::nullopt;
}

template <class Db>
void SqlWriter<Db>::apply(AnswerRequest& verb) {
    flush();
    self().statements_.answer_request.run(verb.id, now_, std::int64_t{verb.ok ? 1 : 0},
                                          verb.answer);
}

template <class Db>
void SqlWriter<Db>::apply(Transact& verb) {
    flush();
    if (const BodyResult failed = offence()) {
        verb.outcome = BodyFailed{failed->error};
        return;
    }
    std::string output;
    savepoint();
    if (const BodyResult failed = run_body(verb.body, output)) {
        undo_savepoint();
        verb.outcome = BodyFailed{failed->error};
        return;
    }
    release();
    verb.outcome = std::move(output);
}

}  // namespace belay::store
