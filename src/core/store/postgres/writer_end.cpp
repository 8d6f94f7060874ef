// writer_end.cpp — a run stops running: it ends, waits, or is put back.
//
// What can be refused is looked at first, so that a refused verb has written nothing. An end that nobody waits
// for, without hook and children, travels in its lane.
#include <fmt/format.h>

#include "core/store/postgres/writer.hpp"

namespace belay::store::postgres {

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
    const RunNo no = verb.lease.run;
    const bool is_over = is_finished(verb.status);
    const bool tells = is_over && (run->is_awaited || run->may_have_children);
    if (!verb.on_end && !tells && verb.status != RunStatus::Canceled) {
        return gather(verb, *run);
    }
    tell_ended(verb.lease.run);
    flush();
    run = held(verb.lease);
    const HeldRun over = *run;
    if (verb.on_end) savepoint();
    verb.outcome = end(verb, run->current_stage);
    const bool applied = std::holds_alternative<Applied>(verb.outcome);
    if (verb.on_end) {
        if (applied) {
            release();
        } else {
            lanes_ = {};
            undo_savepoint();
        }
    }
    if (!applied) return;
    if (is_over) {
        if (over.is_awaited) tell_waiters(no);
        if (over.may_have_children) cancel_children(no, "");
    }
    runs_.forget(no);
}

// Into its lane.
void Writer::gather(End& verb, const HeldRun& run) {
    tell_ended(verb.lease.run);
    store_progress(verb.lease.run, verb.progress);
    lanes_.ends.push_back(
        {&verb, verb.current_stage.empty() ? run.current_stage : verb.current_stage});
    verb.outcome = Applied{};
    runs_.forget(verb.lease.run);
}

void Writer::apply(Wait& verb) {
    HeldRun* run = held(verb.lease);
    if (run == nullptr) {
        verb.outcome = Fenced{};
        return;
    }
    if (run->cancel_requested) {
        verb.outcome = Refused{"a cancel is requested"};
    } else if (run->pause_requested) {
        verb.outcome = Refused{"a pause is requested"};
    } else if (run->signals != verb.signals) {
        verb.signals = run->signals;
        verb.outcome = Refused{"something came meanwhile"};
    } else {
        store_progress(verb.lease.run, verb.progress);
        lanes_.waits.push_back({&verb, run->current_stage});
        verb.outcome = Applied{};
        if (verb.wake_at <= now_) news_.due = true;
        runs_.forget(verb.lease.run);
    }
}

void Writer::apply(Release& verb) {
    const HeldRun* run = held(verb.lease);
    if (run == nullptr) {
        verb.outcome = Fenced{};
        return;
    }
    const std::string last = run->current_stage;
    flush();
    news_.due = true;
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
    update.bind_or_null(4, last);
    update.step_to_end();
    runs_.forget(verb.lease.run);
    verb.outcome = Applied{};
}

}  // namespace belay::store::postgres
