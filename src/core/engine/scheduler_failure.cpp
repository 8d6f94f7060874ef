// scheduler_failure.cpp — commits that failed, or may have (rule 2).
//
// Every run that was in one is dropped from memory. When the store works again it is asked what this worker
// still holds; that is taken again at a new epoch and replayed.
#include <algorithm>
#include <cstdint>
#include <limits>

#include <belay/error.hpp>

#include "core/engine/control.hpp"
#include "core/engine/lost_verb.hpp"
#include "core/engine/scheduler.hpp"

namespace belay::engine {

namespace {

constexpr Duration kLookAgain{1000};

}  // namespace

void Scheduler::is_lost(Resident& run, bool take_again) {
    ++services_.counters.runs_evicted;
    if (take_again) take_again_ = true;
    forget(run);
    if (!failing_batch_ && !services_.writer.broken()) take_lost_runs();
}

void Scheduler::batch_failed(Writer::FailedBatch failed) {
    failure_heard_of_ = failed.number;
    if (failed.hold > Duration{0}) hold_lost_runs(services_.now() + failed.hold);
    // What is still ours is asked once, when all that was lost is known: by store_repaired(). And what may
    // have become due without our hearing of it (a run that went to wait, a run started by a body) is claimed.
    failing_batch_ = true;
    claims_.commit_lost();
    for (std::size_t i = 0; i < failed.verbs.size(); ++i) {
        verb_lost(std::move(failed.verbs[i]), std::move(failed.dones[i]), failed);
    }
    failing_batch_ = false;
    if (!services_.writer.broken()) take_lost_runs();
    steps_.flush();
}

void Scheduler::verb_lost(store::Verb verb, Writer::Done done, const Writer::FailedBatch& failed) {
    std::visit(
        [&]<class V>(V& lost) {
            using Trait = LostVerb<V>;
            if constexpr (Trait::kLoss == Loss::OfRun) {
                Trait::tell(lost, store::Lost{failed.why});
                if (done) done(verb);
            } else if constexpr (Trait::kLoss == Loss::OfCaller) {
                if (Trait::kAskAgain && failed.unknown)
                    return ask_again(std::move(verb), std::move(done));
                Trait::tell(lost, store::Lost{failed.why, failed.unknown});
                if (done) done(verb);
            } else if constexpr (Trait::kLoss == Loss::OfEngine) {
                bookkeeping_lost(lost);
            } else {
                static_assert(Trait::kLoss == Loss::Nobodys);
                services_.writer.push(std::move(verb), std::move(done));
            }
        },
        verb);
}

// What it may have claimed is found by asking what is ours.
void Scheduler::bookkeeping_lost(const store::Claim&) {
    claims_.claim_lost();
    take_again_ = true;
}

void Scheduler::bookkeeping_lost(const store::Load& load) {
    room_.count(-static_cast<int>(load.runs.size()));
    for (const model::RunNo no : load.runs) {
        loading_.erase(no);
        // Whoever takes the run again reads what was requested of it; kept here it could meet a later attempt.
        asked_early_.erase(no);
        claims_.forget_suspect(no);
    }
    take_again_ = true;
}

void Scheduler::bookkeeping_lost(const store::Reclaim& reclaim) {
    take_again_ = true;
    if (reclaim.all_others) return;
    // Runs that were to be undone.
    for (const model::RunNo no : reclaim.runs) {
        forget_undo_to(no);
        if (Resident* run = here(no)) forget(*run);
    }
}

// Speaks for a run under a lease that may be lost: asked again, the writer would fail it again at once, without end. It
// is counted when the run is taken again.
void Scheduler::bookkeeping_lost(const store::NoteSaved&) {}

// It may have been written, and its answer can still be found out. That it is lost the second time says nothing about
// the first.
void Scheduler::ask_again(store::Verb verb, Writer::Done done) {
    services_.writer.push(std::move(verb), [done = std::move(done)](store::Verb& answered) mutable {
        if (auto* lost = told_lost(answered)) lost->unknown = true;
        if (auto* control = std::get_if<store::Control>(&answered)) settle_asked_again(*control);
        if (done) done(answered);
    });
}

void Scheduler::store_repaired() {
    look_again();
    take_lost_runs();
    claims_.room_made();
}

// An end may be recorded by the commit that nobody was told of.
void Scheduler::look_again() {
    try {
        watchers_.ended(watchers_.look(services_.store));
    } catch (const Error& error) {
        services_.log(LogLevel::Warning, "store_unreadable", error.what());
        timers_.at(services_.now() + kLookAgain, [this] {
            if (!stopping_) look_again();
        });
    }
}

// What a body keeps losing is not replayed again at once: the others shall get their turn.
void Scheduler::hold_lost_runs(Time until) {
    lost_until_ = std::max(lost_until_, until);
    timers_.at(until, [this] {
        if (!services_.writer.broken()) take_lost_runs();
    });
}

void Scheduler::take_lost_runs() {
    if (!take_again_ || stopping_ || services_.now() < lost_until_) return;
    take_again_ = false;
    store::Reclaim reclaim;
    reclaim.worker = services_.worker;
    reclaim.all_others = true;
    for (const auto& [no, run] : residents_) {
        if (run->state() != Resident::State::Waiting) reclaim.runs.push_back(no);
    }
    for (const auto& [no, epoch] : loading_) reclaim.runs.push_back(no);
    // Only what was lost by the failures that we have heard of is covered by this.
    services_.writer.push(std::move(reclaim),
                          [this, failure = failure_heard_of_](store::Verb& verb) {
                              services_.writer.forget_lost(failure);
                              taken_again(std::move(std::get<store::Reclaim>(verb).outcome));
                          });
}

void Scheduler::taken_again(std::vector<model::Run> runs) {
    for (const model::Run& run : runs) {
        // Admitted after the reclaim was sent, or here until it is undone: its epoch is the old one now.
        const auto here = residents_.find(run.no);
        if (here != residents_.end()) forget(*here->second);
    }
    load_and_admit(std::move(runs));
}

void Scheduler::forget_undo_to(model::RunNo run) {
    undo_to_.erase(undo_to_.lower_bound({run, 0}),
                   undo_to_.upper_bound({run, std::numeric_limits<std::int64_t>::max()}));
}

void Scheduler::is_to_be_undone(Resident& run, model::UndoPlan end) {
    const store::Lease lease = run.lease();
    undo_to_.insert_or_assign({lease.run, lease.epoch + 1}, std::move(end));
    store::Reclaim reclaim;
    reclaim.worker = services_.worker;
    reclaim.runs.push_back(lease.run);
    services_.writer.push(std::move(reclaim), [this, lease](store::Verb& verb) {
        auto& ours = std::get<store::Reclaim>(verb).outcome;
        // Somebody else has it.
        if (Resident* lost = ours.empty() ? find(lease) : nullptr) forget(*lost);
        if (ours.empty()) forget_undo_to(lease.run);
        taken_again(std::move(ours));
    });
}

}  // namespace belay::engine
