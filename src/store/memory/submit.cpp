// submit.cpp — the memory store's Submit: a new run, or the one that has this id already.
#include "model/rewind.hpp"
#include "store/memory/batch_pass.hpp"

namespace belay::store::memory {

namespace {

model::Run as_queued(const model::NewRun& asked, Time now) {
    model::Run run;
    run.id = asked.id;
    run.workflow_key = asked.workflow_key;
    run.current_stage = "queued";
    run.input = asked.input;
    run.organization_id = asked.organization_id;
    run.source_channel = asked.source_channel;
    run.file_id = asked.file_id;
    run.content_hash = asked.content_hash;
    run.code_version = asked.code_version;
    run.parent = asked.parent;
    run.parent_path = asked.parent_path;
    run.deadline_at = asked.deadline_at;
    run.queue = asked.queue;
    run.priority = asked.priority;
    run.partition = asked.partition;
    run.dedupe_id = asked.dedupe_id;
    run.schedule = asked.schedule;
    run.forked_from = asked.forked_from;
    run.seed_id = asked.seed_id;
    if (asked.available_at != Time{}) run.wake_at = asked.available_at;
    run.created_at = run.updated_at = now;
    return run;
}

bool may_retry(const model::Run& run) {
    return run.status == RunStatus::Failed || run.status == RunStatus::Canceled;
}

}  // namespace

void BatchPass::apply(Submit& verb) {
    const auto from = tables_.mark();
    const bool has_history = !verb.stages.empty();
    auto outcome = submit(verb.run, verb.retry_failed, has_history ? "" : verb.claim_as);
    if (has_history && outcome.kind == SubmitKind::Created) {
        outcome.run.epoch = 1;
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
            const bool same =
                left->run.workflow_key == asked.workflow_key && left->input == asked.input;
            if (!same) return {SubmitKind::Mismatch, left->run};
            if (!retry_failed || !may_retry(left->run)) return {SubmitKind::Deleted, left->run};
            tables_.remove_tombstone(asked.id);
        }
        model::Run run = as_queued(asked, now_);
        if (!run.queue.empty()) {
            if (due_at(run) <= now_) run.turn = turn_of(run.queue, run.priority, run.partition);
        } else if (executes_ && !claim_as.empty() && due_at(run) <= now_) {
            run.status = RunStatus::Running;
            run.worker = claim_as;
            run.epoch = 1;
            run.started_at = now_;
            run.wake_at.reset();
        }
        if (const model::Run* parent = tables_.run(run.parent)) run.parent_id = parent->id;
        run.no = tables_.insert_run(run);
        return {SubmitKind::Created, run};
    }
    if (existing->workflow_key != asked.workflow_key || existing->input != asked.input) {
        return {SubmitKind::Mismatch, *existing};
    }
    if (!retry_failed || !may_retry(*existing)) return {SubmitKind::Joined, *existing};

    model::Run run = *existing;
    const auto path = run.failure ? run.failure->path : std::string{};
    const auto rewind = model::rewind(tables_.stages(run.no), path);
    retry(run, rewind.reset_paths, rewind.forget_paths);
    return {SubmitKind::Retried, run};
}

void BatchPass::retry(model::Run& run, const std::vector<std::string>& reset,
                      const std::vector<std::string>& forget) {
    for (const auto& path : forget) tables_.remove_stage(run.no, path);
    for (const auto& path : reset) {
        const model::Stage* found = tables_.stage(run.no, path);
        if (found == nullptr || found->status == StageStatus::Succeeded) continue;
        model::Stage stage = *found;
        stage.status = StageStatus::Queued;
        stage.finished_at.reset();
        stage.next_attempt_at.reset();
        stage.output.reset();
        tables_.put_stage(run.no, stage);
    }
    run.status = RunStatus::Queued;
    run.result.reset();
    run.failure.reset();
    run.epoch += 1;
    run.attempts += 1;
    run.recoveries = 0;
    run.cancel_requested = run.pause_requested = false;
    run.request_reason.clear();
    run.wake_at.reset();
    run.completed_at.reset();
    run.updated_at = now_;
    tables_.put_run(run);
}

}  // namespace belay::store::memory
