// control.cpp — the memory store's Control: cancel, pause, resume and retry from outside the run.
#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/model/rewind.hpp"
#include "core/model/transitions.hpp"
#include "core/model/undo.hpp"
#include "core/store/control_answer.hpp"
#include "core/store/failure_of.hpp"
#include "core/store/memory/batch_pass.hpp"

namespace belay::store::memory {

void BatchPass::apply(Control& verb) {
    verb.outcome = ControlResult::NotFound;
    verb.run.reset();
    verb.why.clear();
    verb.lost.reset();
    const model::Run* found = tables_.run(verb.run_id);
    if (found == nullptr) return;
    const RunNo no = found->no;
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
    verb.run = *tables_.run(no);
}

void BatchPass::cancel(Control& verb, model::Run run) {
    if (std::string why = refuses_cancel(verb, run); !why.empty())
        return refuse(verb, std::move(why));
    run.updated_at = now_;
    const bool for_worker = is_for_worker(verb, run);
    // Of one that is running a step may have begun whose note is on its way.
    const bool has_something = for_worker || run.undo != model::UndoState::None;
    if (verb.kind == ControlKind::Leave && has_something) run.undo = model::UndoState::Left;
    if (for_worker) {
        run.cancel_requested = true;
        run.request_reason = verb.reason;
        if (run.status != RunStatus::Running) {
            run.wake_at = now_;
            run.turn.reset();
            run.failure.reset();
        }
        if (run.status == RunStatus::Paused) run.status = RunStatus::Queued;
        tables_.put_run(run);
        cancel_children(run.no);
        verb.outcome = ControlResult::Requested;
        return;
    }
    const auto from = tables_.mark();
    run.status = RunStatus::Canceled;
    run.failure = on_request(ErrorCode::RunCanceled, verb.reason);
    run.cancel_requested = run.pause_requested = false;
    run.request_reason.clear();
    run.wake_at.reset();
    run.turn.reset();
    run.completed_at = now_;
    tables_.put_run(run);
    close_open_stages(run.no, StageStatus::Canceled);
    if (const TxBody hook = verb.on_end ? verb.on_end(run) : TxBody{}) {
        std::string ignored;
        if (const BodyResult failed = run_body(hook, ignored, from))
            return hook_failed(verb, *failed);
    }
    tell_waiters(run.no);
    cancel_children(run.no);
    verb.outcome = ControlResult::Done;
}

void BatchPass::pause(Control& verb, model::Run run) {
    if (!model::may_follow(run.status, RunStatus::Paused)) {
        return refuse(verb, cannot_become(run, RunStatus::Paused));
    }
    run.updated_at = now_;
    if (run.status == RunStatus::Running) {
        run.pause_requested = true;
        if (!run.cancel_requested) run.request_reason = verb.reason;
        verb.outcome = ControlResult::Requested;
    } else {
        run.status = RunStatus::Paused;
        run.failure = on_request(ErrorCode::RunPaused, verb.reason);
        run.wake_at.reset();
        verb.outcome = ControlResult::Done;
    }
    tables_.put_run(run);
}

void BatchPass::resume(Control& verb, model::Run run) {
    const bool pausing = run.status == RunStatus::Running && run.pause_requested;
    if (run.status != RunStatus::Paused && !pausing) {
        return refuse(verb, fmt::format("the run is {}, not paused", to_string(run.status)));
    }
    if (verb.approves) {
        if (std::string why = approve_spending(run, *verb.approves); !why.empty())
            return refuse(verb, std::move(why));
    }
    run.pause_requested = false;
    if (!run.cancel_requested) run.request_reason.clear();
    run.updated_at = now_;
    if (!pausing) {
        if (is_stuck_in_undo(run)) reset_stage(run.no, run.failure->path);
        run.status = RunStatus::Queued;
        run.failure.reset();
        run.recoveries = run.charges = 0;
        run.wake_at.reset();
    }
    tables_.put_run(run);
    verb.outcome = ControlResult::Done;
}

void BatchPass::retry(Control& verb, model::Run run) {
    if (run.undo_plan && is_finished(run.status))
        return refuse(verb, model::why_no_retry(tables_.stages(run.no)));
    if (!model::may_be_retried(run)) {
        return refuse(verb,
                      fmt::format("the run is {}: only one that failed or was canceled is retried, "
                                  "or one that is paused because a record cannot be read",
                                  to_string(run.status)));
    }
    if (run.epoch != verb.expected_epoch) {
        return refuse(verb, "the run changed since its stages were read");
    }
    retry(run, verb.reset_paths, verb.forget_paths);
    verb.outcome = ControlResult::Done;
}

}  // namespace belay::store::memory
