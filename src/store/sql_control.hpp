// sql_control.hpp — what people and other processes ask of a run, for every store that keeps runs in SQL.
//
// The stores' writers have the same statements under the same names; what differs is who has to hear of a change
// (tell_holder, tell_due, tell_ended: nobody, where one process executes) and how a body is kept from costing others
// their commit (savepoint, release, undo_savepoint, offence). A writer names this struct its friend.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "model/transitions.hpp"
#include "store/batch.hpp"
#include "store/body_failure.hpp"
#include "store/control_answer.hpp"

namespace belay::store {

struct SqlControl {
    template <class Writer>
    static void apply(Writer& writer, Control& verb) {
        verb.outcome = ControlResult::NotFound;
        verb.run.reset();
        verb.why.clear();
        verb.lost.reset();
        const auto found = writer.find_run(verb.run_id);
        if (!found) return;
        switch (verb.kind) {
            case ControlKind::Cancel: cancel(writer, verb, *found); break;
            case ControlKind::Pause: pause(writer, verb, *found); break;
            case ControlKind::Resume: resume(writer, verb, *found); break;
            case ControlKind::Retry: retry(writer, verb, *found); break;
        }
        verb.run = writer.find_run(found->no);
    }

    // Opens it again from what is to be done anew.
    template <class Writer>
    static void retry_run(Writer& writer, model::RunNo run, const std::vector<std::string>& reset_paths,
                          const std::vector<std::string>& forget_paths) {
        for (const std::string& path : forget_paths) {
            writer.statements_.forget_stage.run(run.value, path);
            writer.statements_.forget_attempts.run(run.value, path);
        }
        for (const std::string& path : reset_paths) writer.statements_.reset_stage.run(run.value, path);
        writer.statements_.retry_run.run(run.value, writer.now_);
        writer.tell_due();
    }

    // Changes the row and `run` alike.
    template <class Writer>
    static void stop(Writer& writer, model::Run& run, RunStatus status, model::Failure failure) {
        run.status = status;
        run.failure = std::move(failure);
        run.updated_at = writer.now_;
        if (is_finished(status)) run.completed_at = writer.now_;
        run.wake_at.reset();
        if (status != RunStatus::Paused) run.turn.reset();
        if (!run.cancel_requested && !run.pause_requested) run.request_reason.clear();

        auto& update = writer.statements_.stop_run;
        update.bind(1, run.no.value);
        update.bind(2, to_string(status));
        update.bind(3, run.current_stage);
        update.bind(4, run.failure->code);
        update.bind(5, run.failure->message);
        update.bind_or_null(6, run.failure->stage);
        update.bind_or_null(7, run.failure->path);
        update.bind(8, run.completed_at);
        update.bind(9, writer.now_);
        update.bind(10, std::int64_t{run.cancel_requested ? 1 : 0});
        update.bind(11, std::int64_t{run.pause_requested ? 1 : 0});
        update.step_to_end();
        writer.runs_.forget(run.no);
        writer.tell_ended();
    }

    // A body alone, in a transaction of its own kind: nothing of a run changes with it.
    template <class Writer>
    static void transact(Writer& writer, Transact& verb) {
        if (const BodyResult failed = writer.offence()) {
            verb.outcome = BodyFailed{failed->error};
            return;
        }
        std::string output;
        writer.savepoint();
        if (const BodyResult failed = writer.run_body(verb.body, output)) {
            writer.undo_savepoint();
            verb.outcome = BodyFailed{failed->error};
            return;
        }
        writer.release();
        verb.outcome = std::move(output);
    }

private:
    template <class Writer>
    static void cancel(Writer& writer, Control& verb, model::Run run) {
        if (!model::may_follow(run.status, RunStatus::Canceled)) {
            return refuse(verb, cannot_become(run, RunStatus::Canceled));
        }
        if (run.status == RunStatus::Running) {
            writer.statements_.request_cancel.run(run.no.value, writer.now_, verb.reason);
            if (auto* held = writer.runs_.find(run.no)) held->cancel_requested = true;
            writer.tell_holder(run);
            writer.cancel_children(run.no, "");
            verb.outcome = ControlResult::Requested;
            return;
        }
        if (const BodyResult failed = writer.offence()) return hook_failed(verb, *failed);
        writer.savepoint();
        run.cancel_requested = run.pause_requested = false;
        stop(writer, run, RunStatus::Canceled, on_request(ErrorCode::RunCanceled, verb.reason));
        writer.statements_.cancel_open_stages.run(run.no.value, writer.now_);
        if (const TxBody hook = verb.on_end ? verb.on_end(run) : TxBody{}) {
            std::string ignored;
            if (const BodyResult failed = writer.run_body(hook, ignored)) {
                writer.undo_savepoint();
                return hook_failed(verb, *failed);
            }
        }
        writer.release();
        if (run.is_awaited) writer.tell_waiters(run.no);
        writer.cancel_children(run.no, "");
        verb.outcome = ControlResult::Done;
    }

    template <class Writer>
    static void pause(Writer& writer, Control& verb, model::Run run) {
        if (!model::may_follow(run.status, RunStatus::Paused)) {
            return refuse(verb, cannot_become(run, RunStatus::Paused));
        }
        if (run.status == RunStatus::Running) {
            writer.statements_.request_pause.run(run.no.value, writer.now_, verb.reason);
            if (auto* held = writer.runs_.find(run.no)) held->pause_requested = true;
            writer.tell_holder(run);
            verb.outcome = ControlResult::Requested;
            return;
        }
        stop(writer, run, RunStatus::Paused, on_request(ErrorCode::RunPaused, verb.reason));
        verb.outcome = ControlResult::Done;
    }

    template <class Writer>
    static void resume(Writer& writer, Control& verb, const model::Run& run) {
        const bool pausing = run.status == RunStatus::Running && run.pause_requested;
        if (pausing) {
            writer.statements_.resume_running.run(run.no.value, writer.now_);
            if (auto* held = writer.runs_.find(run.no)) held->pause_requested = false;
            writer.tell_holder(run);
        } else if (run.status == RunStatus::Paused) {
            writer.statements_.resume_run.run(run.no.value, writer.now_);
            writer.tell_due();
        } else {
            return refuse(verb, fmt::format("the run is {}, not paused", to_string(run.status)));
        }
        verb.outcome = ControlResult::Done;
    }

    template <class Writer>
    static void retry(Writer& writer, Control& verb, const model::Run& run) {
        if (run.status != RunStatus::Failed && run.status != RunStatus::Canceled) {
            return refuse(verb, fmt::format("the run is {}: only one that failed or was canceled is retried",
                                            to_string(run.status)));
        }
        if (run.epoch != verb.expected_epoch) return refuse(verb, "the run changed since its stages were read");
        retry_run(writer, run.no, verb.reset_paths, verb.forget_paths);
        verb.outcome = ControlResult::Done;
    }
};

}  // namespace belay::store
