// submit.cpp — the memory store's Submit: a new run, or the one that has this id already.
#include "core/model/rewind.hpp"
#include "core/store/memory/batch_pass.hpp"
#include "core/store/new_run.hpp"
#include "core/store/sealed_text.hpp"

namespace belay::store::memory {

void BatchPass::apply(Submit& verb) {
    const auto from = tables_.mark();
    const bool has_history = !verb.stages.empty();
    auto outcome = submit(verb.run, verb.retry_failed, has_history ? "" : verb.claim_as);
    if (has_history && outcome.kind == SubmitKind::Created) {
        outcome.run.epoch = 1;
        if (verb.may_be_undone) outcome.run.undo = model::UndoState::Ready;
        tables_.put_run(outcome.run);
        for (const auto& stage : verb.stages) tables_.put_stage(outcome.run.no, stage);
        for (const auto& attempt : verb.attempts) tables_.add_attempt(outcome.run.no, attempt);
    }
    const bool started =
        outcome.kind == SubmitKind::Created && outcome.run.status == RunStatus::Running;
    if (started && verb.on_start) {
        std::string ignored;
        if (const BodyResult failed = run_body(verb.on_start, ignored, from)) {
            verb.outcome = outcome_of<decltype(verb.outcome)>(*failed);
            return;
        }
    }
    verb.outcome = outcome;
}

SubmitOutcome BatchPass::submit(const model::NewRun& asked, bool retry_failed,
                                const std::string& claim_as) {
    const model::Run* existing = tables_.run(asked.id);
    if (existing == nullptr && !asked.queue.empty() && !tables_.queues().contains(asked.queue)) {
        return {SubmitKind::UnknownQueue, {}};
    }
    if (existing == nullptr) existing = tables_.dedupe(asked);
    if (existing == nullptr) {
        if (const Tombstone* left = tables_.tombstone(asked.id)) {
            const bool same = left->run.workflow_key == asked.workflow_key &&
                              known_by(left->input) == known_by(asked.input);
            if (!same) return {SubmitKind::Mismatch, left->run};
            if (!retry_failed || !may_be_retried(left->run.status))
                return {SubmitKind::Deleted, left->run};
            tables_.remove_tombstone(asked.id);
        }
        model::Run run = as_created(asked, executes_ ? claim_as : std::string(), now_);
        const bool in_line = !run.queue.empty() && due_at(run) <= now_;
        if (in_line) run.turn = turn_of(run.queue, run.priority, run.partition);
        if (const model::Run* parent = tables_.run(run.parent)) run.parent_id = parent->id;
        run.no = tables_.insert_run(run);
        if (!asked.labels.empty()) tables_.add_said(run.no, {asked.labels, {}});
        return {SubmitKind::Created, run};
    }
    if (existing->workflow_key != asked.workflow_key ||
        known_by(existing->input) != known_by(asked.input)) {
        return {SubmitKind::Mismatch, *existing};
    }
    if (!retry_failed || !may_be_retried(existing->status) || existing->undo_plan)
        return {SubmitKind::Joined, *existing};

    model::Run run = *existing;
    const auto rewind = model::rewind(tables_.stages(run.no), run.failure);
    retry(run, rewind.reset_paths, rewind.forget_paths);
    return {SubmitKind::Retried, run};
}

void BatchPass::reset_stage(RunNo run, const std::string& path) {
    const model::Stage* found = tables_.stage(run, path);
    if (found == nullptr || found->status == StageStatus::Succeeded) return;
    model::Stage stage = *found;
    stage.status = StageStatus::Queued;
    stage.finished_at.reset();
    stage.next_attempt_at.reset();
    if (stage.kind != model::StageKind::Step) stage.output.reset();  // it may have a checkpoint
    tables_.put_stage(run, stage);
}

void BatchPass::retry(model::Run& run, const std::vector<std::string>& reset,
                      const std::vector<std::string>& forget) {
    for (const auto& path : forget) tables_.remove_stage(run.no, path);
    for (const auto& path : reset) reset_stage(run.no, path);
    run.status = RunStatus::Queued;
    run.result.reset();
    run.failure.reset();
    run.epoch += 1;
    run.attempts += 1;
    run.recoveries = run.charges = 0;
    run.cancel_requested = run.pause_requested = false;
    run.request_reason.clear();
    run.wake_at.reset();
    run.completed_at.reset();
    run.updated_at = now_;
    if (run.undo != model::UndoState::None) run.undo = model::UndoState::Ready;
    tables_.put_run(run);
}

}  // namespace belay::store::memory
