// writer_end.cpp — a run stops running: it ends, waits, or is put back.
//
// What can be refused is looked at first, so that a refused verb has written nothing; only a verb that has a
// hook pays for a savepoint.
#include <fmt/format.h>

#include "core/store/sqlite/writer.hpp"

namespace belay::store::sqlite {

void Writer::apply(End& verb) {
    HeldRun* run = held(verb.lease);
    if (run == nullptr) {
        verb.outcome = Fenced{};
        return;
    }
    if (!is_finished(verb.status) && verb.status != RunStatus::Paused) {
        verb.outcome = Refused{fmt::format("a run does not end as {}", to_string(verb.status))};
        return;
    }
    if (verb.status == RunStatus::Paused && run->cancel_requested && !verb.despite_cancel) {
        verb.outcome = Refused{"a cancel is requested"};
        return;
    }
    if (verb.on_request && !run->pause_requested) {
        verb.outcome = Refused{"the pause was taken back"};
        return;
    }
    if (const BodyResult failed = offence()) {
        verb.outcome = outcome_of<WriteOutcome>(*failed);
        return;
    }
    const bool can_fail_halfway = static_cast<bool>(verb.on_end);
    if (can_fail_halfway) statements_.savepoint.run();
    verb.outcome = end(verb, run->current_stage);
    const bool applied = std::holds_alternative<Applied>(verb.outcome);
    if (can_fail_halfway) {
        if (applied) {
            statements_.release.run();
        } else {
            undo_savepoint();
        }
    }
    if (!applied) return;
    if (is_finished(verb.status)) {
        const HeldRun over = *runs_.find(verb.lease.run);
        if (over.is_awaited) tell_waiters(verb.lease.run);
        if (over.may_have_children) cancel_children(verb.lease.run, "");
    }
    runs_.forget(verb.lease.run);
}

void Writer::apply(Wait& verb) {
    HeldRun* run = held(verb.lease);
    if (run == nullptr) {
        verb.outcome = Fenced{};
        return;
    }
    verb.outcome = wait(verb, *run);
    if (std::holds_alternative<Applied>(verb.outcome)) runs_.forget(verb.lease.run);
}

WriteOutcome Writer::wait(Wait& verb, HeldRun& run) {
    const RunNo no = verb.lease.run;
    if (run.cancel_requested) return Refused{"a cancel is requested"};
    if (run.pause_requested) return Refused{"a pause is requested"};
    if (run.signals != verb.signals) {
        verb.signals = run.signals;
        return Refused{"something came meanwhile"};
    }
    store_progress(no, verb.progress);
    Statement& update = statements_.wait_run;
    update.bind(1, no.value);
    update.bind(2, verb.lease.epoch);
    update.bind(3, verb.wake_at);
    update.bind(4, now_);
    update.bind_or_null(5, run.current_stage);
    update.bind(6, verb.signals);
    return update.step_to_end() == 1 ? WriteOutcome{Applied{}} : WriteOutcome{Fenced{}};
}

void Writer::apply(Release& verb) {
    const HeldRun* run = held(verb.lease);
    if (run == nullptr) {
        verb.outcome = Fenced{};
        return;
    }
    if (verb.anew_with) {
        const RunNo no = verb.lease.run;
        statements_.continue_run.run(no.value, verb.lease.epoch, now_, *verb.anew_with);
        statements_.forget_history.run(no.value);
        statements_.forget_all_attempts.run(no.value);
        runs_.forget(no);
        verb.outcome = Applied{};
        return;
    }
    Statement& update = statements_.release_run;
    update.bind(1, verb.lease.run.value);
    update.bind(2, verb.lease.epoch);
    update.bind(3, now_);
    update.bind_or_null(4, run->current_stage);
    update.step_to_end();
    runs_.forget(verb.lease.run);
    verb.outcome = Applied{};
}

}  // namespace belay::store::sqlite
