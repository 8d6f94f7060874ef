// writes.cpp — the memory store's writes of a running run, each under its lease.
#include <fmt/format.h>

#include "core/model/transitions.hpp"
#include "core/store/memory/batch_pass.hpp"

namespace belay::store::memory {

namespace {

std::string asked_to_stop(const model::Run& run) {
    if (run.cancel_requested) return "a cancel is requested";
    if (run.pause_requested) return "a pause is requested";
    return "";
}

}  // namespace

const model::Run* BatchPass::held(const Lease& lease) const {
    const model::Run* run = tables_.run(lease.run);
    const bool ours = executes_ && run != nullptr && run->status == RunStatus::Running &&
                      run->epoch == lease.epoch;
    return ours ? run : nullptr;
}

std::optional<Refused> BatchPass::record(RunNo run, const model::Stage& stage) {
    const model::Stage* before = tables_.stage(run, stage.path);
    if (before != nullptr && !model::may_follow(before->status, stage.status)) {
        return Refused{fmt::format("stage {} ({}) is {} and cannot become {}", stage.path,
                                   before->stage_key, to_string(before->status),
                                   to_string(stage.status))};
    }
    tables_.put_stage(run, stage);
    return std::nullopt;
}

void BatchPass::apply(Record& verb) { verb.outcome = write(verb); }

void BatchPass::apply(End& verb) { verb.outcome = write(verb); }

void BatchPass::apply(Wait& verb) { verb.outcome = write(verb); }

WriteOutcome BatchPass::write(Record& verb) {
    if (held(verb.lease) == nullptr) return Fenced{};
    const auto from = tables_.mark();
    // Before the body, so that a body never runs for a stage that has its record (P4).
    if (auto refused = record(verb.lease.run, verb.stage)) return *refused;
    if (verb.body) {
        std::string output;
        if (const BodyResult failed = run_body(verb.body, output, from)) {
            return outcome_of<WriteOutcome>(*failed);
        }
        verb.stage.output = std::move(output);
        tables_.put_stage(verb.lease.run, verb.stage);
    }
    if (verb.cache && verb.stage.output) {
        tables_.put_cached(verb.cache->key,
                           {{*verb.stage.output, verb.stage.cost}, verb.cache->expires_at});
    }
    if (verb.settles != Record::Settles::Nothing) settle_spending(verb);
    for (const auto& attempt : verb.attempts) tables_.add_attempt(verb.lease.run, attempt);
    if (verb.skip_inside) {
        close_open_stages(verb.lease.run, StageStatus::Skipped, verb.stage.path + ".");
        for (const auto& stage : verb.skipped) {
            if (tables_.stage(verb.lease.run, stage.path) == nullptr) {
                tables_.put_stage(verb.lease.run, stage);
            }
        }
        cancel_children(verb.lease.run, verb.stage.path + ".");
    }

    model::Run run = *tables_.run(verb.lease.run);
    run.current_stage = verb.stage.stage_key;
    if (verb.progress) run.progress = verb.progress;
    if (verb.clear_recoveries) run.recoveries = run.charges = 0;
    if (verb.touch_run || verb.progress) run.updated_at = now_;
    tables_.put_run(run);
    return Applied{};
}

void BatchPass::close_open_stages(RunNo run, StageStatus as, std::string_view inside) {
    for (model::Stage stage : tables_.stages(run)) {
        if (is_finished(stage.status) || !stage.path.starts_with(inside)) continue;
        stage.status = as;
        stage.finished_at = now_;
        stage.next_attempt_at.reset();
        tables_.put_stage(run, stage);
    }
}

WriteOutcome BatchPass::write(const End& verb) {
    const model::Run* running = held(verb.lease);
    if (running == nullptr) return Fenced{};
    if (!is_finished(verb.status) && verb.status != RunStatus::Paused) {
        return Refused{fmt::format("a run does not end as {}", to_string(verb.status))};
    }
    if (verb.status == RunStatus::Paused && running->cancel_requested && !verb.despite_cancel) {
        return Refused{"a cancel is requested"};
    }
    if (verb.on_request && !running->pause_requested) return Refused{"the pause was taken back"};
    const auto from = tables_.mark();
    if (verb.status == RunStatus::Canceled)
        close_open_stages(verb.lease.run, StageStatus::Canceled);
    if (verb.on_end) {
        std::string ignored;
        if (const BodyResult failed = run_body(verb.on_end, ignored, from)) {
            return outcome_of<WriteOutcome>(*failed);
        }
    }
    model::Run run = *tables_.run(verb.lease.run);
    run.status = verb.status;
    run.result = verb.result;
    run.failure = verb.failure;
    if (verb.progress) run.progress = verb.progress;
    if (!verb.current_stage.empty()) run.current_stage = verb.current_stage;
    run.cancel_requested = run.pause_requested = false;
    run.request_reason.clear();
    run.updated_at = now_;
    if (is_finished(verb.status)) run.completed_at = now_;
    tables_.put_run(run);
    if (is_finished(verb.status)) {
        tell_waiters(run.no);
        cancel_children(run.no);
    }
    return Applied{};
}

WriteOutcome BatchPass::write(Wait& verb) {
    const model::Run* running = held(verb.lease);
    if (running == nullptr) return Fenced{};
    if (auto why = asked_to_stop(*running); !why.empty()) return Refused{why};
    if (running->signals != verb.signals) {
        verb.signals = running->signals;
        return Refused{"something came meanwhile"};
    }
    model::Run run = *tables_.run(verb.lease.run);
    run.status = RunStatus::Waiting;
    run.wake_at = verb.wake_at;
    if (verb.progress) run.progress = verb.progress;
    run.updated_at = now_;
    tables_.put_run(run);
    return Applied{};
}

void BatchPass::apply(Say& verb) {
    if (held(verb.lease) == nullptr) {
        verb.outcome = Fenced{};
        return;
    }
    tables_.add_said(verb.lease.run, verb.said);
    verb.outcome = Applied{};
}

void BatchPass::apply(Undo& verb) {
    verb.open.clear();
    verb.outcome = Fenced{};
    const model::Run* running = held(verb.lease);
    if (running == nullptr) return;
    model::Run run = *running;
    verb.outcome = Applied{};
    switch (verb.what) {
        case UndoVerb::MayHappen:
            if (run.undo == model::UndoState::None) run.undo = model::UndoState::Ready;
            tables_.put_run(run);
            return;
        case UndoVerb::StopChildren:
            cancel_children(run.no);
            [[fallthrough]];
        case UndoVerb::LookForChildren:
            for (const RunNo no : tables_.children(run.no)) {
                const model::Run& child = *tables_.run(no);
                if (!is_finished(child.status)) verb.open.push_back(child.parent_path);
            }
            return;
        case UndoVerb::Begin:
            if (run.undo != model::UndoState::Ready || run.undo_plan) {
                verb.outcome = Refused{"nothing of it is to be undone, or it is being undone"};
                return;
            }
            run.undo_plan = verb.plan;
            run.cancel_requested = false;
            if (!run.pause_requested) run.request_reason.clear();
            run.updated_at = now_;
            tables_.put_run(run);
            return;
    }
}

void BatchPass::apply(Release& verb) {
    const model::Run* running = held(verb.lease);
    if (running == nullptr) {
        verb.outcome = Fenced{};
        return;
    }
    model::Run run = *running;
    run.status = RunStatus::Queued;
    run.updated_at = now_;
    if (verb.anew_with) {
        tables_.forget_history(run.no);
        run.current_stage = "queued";
        run.generation += 1;
        run.continued_input = verb.anew_with;
        run.recoveries = run.charges = 0;
        run.wake_at.reset();
        run.undo = model::UndoState::None;  // what it did before is forgotten
    }
    tables_.put_run(run);
    verb.outcome = Applied{};
}

}  // namespace belay::store::memory
