// starting.hpp — a claim starts what it found, for every store that speaks SQL.
//
// The start hook of a run is part of the claim's commit. If it fails by itself the run fails, and its end hook is told;
// if the store failed under it, or it ran out of its time, the run is tried again later.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "core/base/limits.hpp"
#include "core/store/body_failure.hpp"
#include "core/store/failure_of.hpp"
#include "core/store/put_off.hpp"
#include "core/store/sql/writer.hpp"

namespace belay::store {

// Without a queue, and the lines of the queues; of their firsts the one that has been due longest goes next.
template <class Db>
Candidates SqlWriter<Db>::find_due(Claim& verb, int suspects_left) {
    const std::size_t limit = room_of(verb);
    std::vector<Candidates> lists{find_without_queue(verb, suspects_left)};
    for (auto queue = next_line(""); queue; queue = next_line(*queue)) {
        lists.push_back(find_in_line(verb, *queue, limit, suspects_left));
    }
    if (lists.size() == 1) return std::move(lists.front());
    std::vector<std::size_t> at(lists.size(), 0);
    Candidates merged;
    while (merged.size() < limit) {
        const Candidate* first = nullptr;
        std::size_t from = 0;
        for (std::size_t i = 0; i < lists.size(); ++i) {
            if (at[i] == lists[i].size()) continue;
            const Candidate& next = lists[i][at[i]];
            if (first == nullptr ||
                std::pair(next.due, next.run) < std::pair(first->due, first->run)) {
                first = &next;
                from = i;
            }
        }
        if (first == nullptr) break;
        merged.push_back(*first);
        ++at[from];
    }
    return merged;
}

template <class Db>
void SqlWriter<Db>::start(Claim& verb, model::Run run) {
    if (is_crash_loop(run,
                      verb.charges_max)) {  // its start hook kills, or it was put back into line
        stop(run, RunStatus::Paused, crash_loop(run));
        verb.outcome.ended.push_back(std::move(run));
        return;
    }
    // The first time, and again with every attempt that a retry opened.
    const bool is_new = !run.started_at || (run.attempts > 1 && run.let_in < run.attempts);
    const bool starts = is_new && verb.on_start;
    if (const TxBody hook = starts ? verb.on_start(run) : TxBody{}) {
        if (const BodyResult failed = run_hook(hook, {run.no, false})) {
            if (is_put_off(*failed)) return put_off(verb, run, *failed);
            return fail_at_start(verb, std::move(run), *failed);
        }
    }
    take(verb, std::move(run));
}

// It would have started; what keeps it from that is not its own, so it is tried again later.
template <class Db>
void SqlWriter<Db>::put_off(Claim& verb, const model::Run& run, const BodyFailure& failure) {
    if (failure.of_store) verb.outcome.lost = lost_by(failure);
    self().statements_.put_off_run.run(run.no.value, now_ + base::kHookRetryAfter);
}

template <class Db>
void SqlWriter<Db>::fail_at_start(Claim& verb, model::Run run, const BodyFailure& failure) {
    const model::Run before = run;
    savepoint();
    stop(run, RunStatus::Failed, failure_of(failure.error));
    const TxBody hook = verb.on_end ? verb.on_end(run) : TxBody{};
    if (const BodyResult failed = hook ? run_hook(hook, {run.no, true}) : std::nullopt) {
        if (is_put_off(*failed)) {
            undo_savepoint();
            return put_off(verb, before, *failed);
        }
        model::Failure both = *run.failure;
        add_end_failure(both, failed->error);
        stop(run, RunStatus::Failed, both);
    }
    release();
    if (run.is_awaited) tell_waiters(run.no);
    verb.outcome.ended.push_back(std::move(run));
}

template <class Db>
void SqlWriter<Db>::take(Claim& verb, model::Run run) {
    if (!run.queue.empty()) let_in(run);
    store_taken(verb, run);
    run.status = RunStatus::Running;
    run.worker = verb.worker;
    run.epoch += 1;
    run.wake_at.reset();
    run.turn.reset();
    run.let_in = run.attempts;
    run.updated_at = now_;
    if (!run.started_at) run.started_at = now_;
    hold(run);
    verb.outcome.claimed.push_back(std::move(run));
}

}  // namespace belay::store
