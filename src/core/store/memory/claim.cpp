// claim.cpp — the memory store's Claim and Reclaim: who runs what next.
#include <algorithm>

#include <belay/error.hpp>

#include "core/base/limits.hpp"
#include "core/store/failure_of.hpp"
#include "core/store/memory/batch_pass.hpp"
#include "core/store/put_off.hpp"

namespace belay::store::memory {

namespace {

using base::kSuspectCharges;

bool is_full(const Claim& claim) {
    return static_cast<int>(claim.outcome.claimed.size()) >= claim.limit;
}

bool is_mine(const Claim& claim, const model::Run& run) {
    if (!claim.versions.take(run.code_version)) return false;
    return std::find(claim.workflow_keys.begin(), claim.workflow_keys.end(), run.workflow_key) !=
           claim.workflow_keys.end();
}

bool is_orphan(const Claim& claim, const model::Run& run) {
    return is_mine(claim, run) && run.worker != claim.worker;
}

}  // namespace

void BatchPass::apply(Claim& verb) {
    verb.outcome = {};
    if (!executes_) return;
    const model::Worker worker{verb.worker, verb.workflow_keys, verb.versions, now_};
    if (!tables_.worker() || tables_.worker()->name != worker.name) tables_.put_worker(worker);
    int suspects = 0;
    const auto running = tables_.runs_with(RunStatus::Running);  // copies: claiming changes both
    for (const RunNo no : running) {
        const model::Run& run = *tables_.run(no);
        if (is_orphan(verb, run) && !is_full(verb)) claim_orphan(verb, run, suspects);
    }
    // Again while there was something to take, because a hook may have submitted more.
    std::int64_t into_line_left = base::kIntoLineMax;
    for (std::size_t before = 1, after = 0; before != after;) {
        before = verb.outcome.claimed.size() + verb.outcome.ended.size();
        if (!is_full(verb)) into_line(verb, into_line_left);
        for (const RunNo no : next_to_go(verb, verb.suspects_max - suspects)) {
            if (is_full(verb)) break;
            claim_due(verb, *tables_.run(no), suspects);
        }
        after = verb.outcome.claimed.size() + verb.outcome.ended.size();
    }
    look_ahead(verb);
}

void BatchPass::claim_orphan(Claim& verb, model::Run run, int& suspects) {
    if (is_crash_loop(run, verb.charges_max)) return pause_loop(verb, run);
    if (put_back_in_line(verb, run)) return;
    if (run.charges >= kSuspectCharges && suspects++ >= verb.suspects_max) return;
    note_pick_up(verb, run);
    run.recoveries += 1;
    take(verb, run);
}

void BatchPass::pause_loop(Claim& verb, model::Run run) {
    run.failure = crash_loop(run);
    run.status = RunStatus::Paused;
    run.wake_at.reset();
    run.updated_at = now_;
    tables_.put_run(run);
    verb.outcome.ended.push_back(run);
}

void BatchPass::claim_due(Claim& verb, model::Run run, int& suspects) {
    if (run.charges >= kSuspectCharges && suspects++ >= verb.suspects_max) return;
    if (is_crash_loop(run, verb.charges_max)) return pause_loop(verb, run);
    // The first time, and again with every attempt that a retry opened.
    const bool is_new = !run.started_at || (run.attempts > 1 && run.let_in < run.attempts);
    const TxBody hook = is_new && verb.on_start ? verb.on_start(run) : TxBody{};
    if (hook) {
        std::string ignored;
        if (const BodyResult failed = run_body(hook, ignored, tables_.mark(), run.no)) {
            if (is_put_off(*failed)) return put_off(verb, run, *failed);
            return fail_at_start(verb, run, *failed);
        }
    }
    take(verb, run);
}

// It would have started; what keeps it from that is not its own, so it is tried again later.
void BatchPass::put_off(Claim& verb, model::Run run, const BodyFailure& failure) {
    if (failure.of_store) verb.outcome.lost = lost_by(failure);
    run.wake_at = now_ + base::kHookRetryAfter;
    run.turn.reset();
    tables_.put_run(run);
}

void BatchPass::fail_at_start(Claim& verb, model::Run run, const BodyFailure& failure) {
    const auto from = tables_.mark();
    const model::Run before = run;
    run.status = RunStatus::Failed;
    run.failure = failure_of(failure.error);
    run.wake_at.reset();
    run.turn.reset();
    run.updated_at = now_;
    run.completed_at = now_;
    tables_.put_run(run);
    if (const TxBody hook = verb.on_end ? verb.on_end(run) : TxBody{}) {
        std::string ignored;
        if (const BodyResult failed =
                run_body(hook, ignored, tables_.mark(), run.no, BodyKind::EndHook)) {
            if (is_put_off(*failed)) {
                tables_.roll_back_to(from);
                return put_off(verb, before, *failed);
            }
            add_end_failure(*run.failure, failed->error);
            tables_.put_run(run);
        }
    }
    tell_waiters(run.no);
    verb.outcome.ended.push_back(run);
}

void BatchPass::take(Claim& verb, model::Run run) {
    if (!run.queue.empty()) let_in(run);
    run.turn.reset();
    run.let_in = run.attempts;
    run.status = RunStatus::Running;
    run.worker = verb.worker;
    run.epoch += 1;
    run.wake_at.reset();
    run.updated_at = now_;
    if (!run.started_at) run.started_at = now_;
    tables_.put_run(run);
    verb.outcome.claimed.push_back(run);
}

void BatchPass::look_ahead(Claim& verb) const {
    for (const RunNo no : tables_.runs_with(RunStatus::Running)) {
        if (is_orphan(verb, *tables_.run(no))) verb.outcome.more_due = true;
    }
    for (const auto& [at, no] : tables_.due()) {
        if (!is_mine(verb, *tables_.run(no))) continue;
        if (at > now_) {
            verb.outcome.next_due = at;
            break;
        }
        verb.outcome.more_due = true;
    }
    look_along_lines(verb);
}

void BatchPass::apply(Reclaim& verb) {
    verb.outcome.clear();
    if (!executes_) return;
    std::vector<RunNo> wanted = verb.runs;
    if (verb.all_others) {
        wanted.clear();
        for (const RunNo no : tables_.runs_with(RunStatus::Running)) {
            if (std::find(verb.runs.begin(), verb.runs.end(), no) == verb.runs.end())
                wanted.push_back(no);
        }
    }
    for (const RunNo no : wanted) {
        const model::Run* held = tables_.run(no);
        if (held == nullptr || held->status != RunStatus::Running || held->worker != verb.worker) {
            continue;
        }
        model::Run run = *held;
        run.epoch += 1;
        run.updated_at = now_;
        tables_.put_run(run);
        verb.outcome.push_back(run);
    }
}

}  // namespace belay::store::memory
