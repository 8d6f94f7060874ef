// scheduler_failure.cpp — commits that failed, or may have (rule 2).
//
// Every run that was in one is dropped from memory. When the store works again it is asked what this worker
// still holds; that is taken again at a new epoch and replayed.
#include <algorithm>

#include <belay/error.hpp>

#include "core/engine/control.hpp"
#include "core/engine/scheduler.hpp"

namespace belay::engine {

namespace {

constexpr Duration kLookAgain{1000};

void set_lost(store::Verb& verb, store::Lost lost) {
    if (auto* submit = std::get_if<store::Submit>(&verb)) submit->outcome = std::move(lost);
    if (auto* control = std::get_if<store::Control>(&verb)) {
        control->outcome = store::ControlResult::Refused;
        control->why = lost.why;
        control->lost = std::move(lost);
        control->run.reset();
    }
}

// The first time it was asked, it may have been written: that it is lost now says nothing about then.
void mark_unknown(store::Verb& verb) {
    if (auto* submit = std::get_if<store::Submit>(&verb)) {
        if (auto* lost = std::get_if<store::Lost>(&submit->outcome)) lost->unknown = true;
    } else if (auto* control = std::get_if<store::Control>(&verb);
               control != nullptr && control->lost) {
        control->lost->unknown = true;
    }
}

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
        store::Verb& verb = failed.verbs[i];
        Writer::Done& done = failed.dones[i];
        const auto lose = [&](auto& write) {
            write.outcome = store::Lost{failed.why};
            if (done) done(verb);
        };
        if (auto* record = std::get_if<store::Record>(&verb)) {
            lose(*record);
        } else if (auto* end = std::get_if<store::End>(&verb)) {
            lose(*end);
        } else if (auto* wait = std::get_if<store::Wait>(&verb)) {
            lose(*wait);
        } else if (auto* release = std::get_if<store::Release>(&verb)) {
            lose(*release);
        } else if (auto* await = std::get_if<store::Await>(&verb)) {
            lose(*await);
        } else if (std::holds_alternative<store::Claim>(verb)) {
            // What it may have claimed is found by asking what is ours.
            claims_.claim_lost();
            take_again_ = true;
        } else if (auto* load = std::get_if<store::Load>(&verb)) {
            room_.count(-static_cast<int>(load->runs.size()));
            for (const model::RunNo no : load->runs) {
                loading_.erase(no);
                claims_.forget_suspect(no);
            }
            take_again_ = true;
        } else if (std::holds_alternative<store::Reclaim>(verb)) {
            take_again_ = true;
        } else if (std::holds_alternative<store::NoteSaved>(verb)) {
            // Speaks for a run under a lease that may be lost: asked again, the writer would fail it again at
            // once, without end. It is counted when the run is taken again.
        } else if (auto* transact = std::get_if<store::Transact>(&verb)) {
            // Nobody can know here whether doing it twice would be right.
            const ErrorCode code =
                failed.unknown ? ErrorCode::CommitUnknown : ErrorCode::StoreUnavailable;
            transact->outcome = store::BodyFailed{std::make_exception_ptr(Error(code, failed.why))};
            if (done) done(verb);
        } else if (std::holds_alternative<store::Submit>(verb) ||
                   std::holds_alternative<store::Control>(verb)) {
            caller_lost(std::move(verb), std::move(done), failed);
        } else {
            services_.writer.push(std::move(verb), std::move(done));
        }
    }
    failing_batch_ = false;
    if (!services_.writer.broken()) take_lost_runs();
    steps_.flush();
}

// Whoever asked is told, unless the answer can still be found out. Asking again is safe: a submission joins the
// run it made, a control finds itself done.
void Scheduler::caller_lost(store::Verb verb, Writer::Done done,
                            const Writer::FailedBatch& failed) {
    if (!failed.unknown) {
        set_lost(verb, store::Lost{failed.why});
        if (done) done(verb);
        return;
    }
    services_.writer.push(std::move(verb), [done = std::move(done)](store::Verb& answered) mutable {
        mark_unknown(answered);
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
        watchers_.look_again(services_.store);
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
                              auto& ours = std::get<store::Reclaim>(verb).outcome;
                              for (const model::Run& run : ours) {
                                  // Admitted after the reclaim was sent: its epoch is the old one now.
                                  const auto here = residents_.find(run.no);
                                  if (here != residents_.end()) forget(*here->second);
                              }
                              load_and_admit(std::move(ours));
                          });
}

}  // namespace belay::engine
