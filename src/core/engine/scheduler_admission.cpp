// scheduler_admission.cpp — how runs come into memory: claimed, submitted here, or asked for from outside.
#include <fmt/format.h>

#include "core/base/assert.hpp"
#include "core/base/limits.hpp"
#include "core/engine/savings.hpp"
#include "core/engine/scheduler.hpp"

namespace belay::engine {

namespace {

// A suspect that has lived this long alone is let off: the next one may come in.
constexpr Duration kSuspectAlone{30'000};

// Whether the claim is the one that a run which waits here has been waiting for.
bool is_next_claim(const Resident& resident, const model::Run& run) {
    return resident.state() == Resident::State::Waiting && resident.lease().epoch + 1 == run.epoch;
}

}  // namespace

void Scheduler::give_back_room() {
    room_.count(-1);
    claims_.room_made();
}

void Scheduler::admit_claimed(std::vector<model::Run> runs) {
    std::vector<model::Run> to_load;
    for (model::Run& run : runs) {
        if (run.recoveries > 0) ++services_.counters.runs_recovered;
        auto here = residents_.find(run.no);
        if (here != residents_.end() && !is_next_claim(*here->second, run)) {
            // Another worker had it in between: what is known of it here is old.
            ++services_.counters.runs_evicted;
            forget(*here->second);
            here = residents_.end();
        }
        if (here != residents_.end()) {
            Resident& resident = *here->second;
            --waiting_;
            room_.count(+1);
            const TurnWatch::Guard guard(turns_, resident, run.epoch);
            if (run.charges >= base::kSuspectCharges) keep_suspect_alone(run.no, run.epoch);
            resident.claimed(run);
            if (Resident* called = called_ ? this->here(run.no) : nullptr) called_(*called);
        } else if (run.epoch == 1) {
            admit(run, {});
        } else {
            to_load.push_back(std::move(run));
        }
    }
    load_and_admit(std::move(to_load));
}

void Scheduler::load_and_admit(std::vector<model::Run> runs) {
    if (runs.empty()) return;
    store::Load load;
    load.runs.reserve(runs.size());
    for (const model::Run& run : runs) load.runs.push_back(run.no);
    // Counted as live while they are being loaded: their room is taken.
    room_.count(static_cast<int>(runs.size()));
    for (const model::Run& run : runs) {
        loading_[run.no] = run.epoch;
        if (run.charges >= base::kSuspectCharges) claims_.suspect_came(run.no);
    }
    services_.writer.push(std::move(load), [this, runs = std::move(runs)](store::Verb& verb) {
        auto& histories = std::get<store::Load>(verb).outcome;
        room_.count(-static_cast<int>(runs.size()));
        for (std::size_t i = 0; i < runs.size(); ++i) {
            // A newer claim of the same run overtook this one: its load comes later, and counts.
            const auto expected = loading_.find(runs[i].no);
            if (expected == loading_.end() || expected->second != runs[i].epoch) continue;
            loading_.erase(expected);
            admit(runs[i], std::move(histories[i]));
        }
        consider_stopped();
    });
}

void Scheduler::admit(const model::Run& run, std::vector<model::Stage> history) {
    const auto workflow = workflows_.find(run.workflow_key);
    BELAY_ASSERT(workflow != workflows_.end(), "run {} was claimed for an undefined workflow {}",
                 run.id, run.workflow_key);
    note_saved(services_, run, history);
    std::optional<model::UndoPlan> undo_to;
    if (auto end = undo_to_.extract({run.no, run.epoch}); !end.empty())
        undo_to = std::move(end.mapped());
    forget_undo_to(run.no);
    auto made = std::make_unique<Resident>(services_, *this, *workflow->second, run,
                                           std::move(history), std::move(undo_to));
    Resident& resident = *made;
    const bool is_new = residents_.emplace(run.no, std::move(made)).second;
    BELAY_ASSERT(is_new, "run {} was admitted while it was here", run.id);
    room_.count(+1);
    if (resident.is_suspect()) keep_suspect_alone(run.no, run.epoch);
    if (const auto asked = asked_early_.find(run.no); asked != asked_early_.end()) {
        resident.stop(asked->second.first, asked->second.second);
        asked_early_.erase(asked);
    }
    if (stopping_) resident.stop(Resident::Stop::Released, "");
    {
        const TurnWatch::Guard guard(turns_, resident);
        resident.go();
    }
    // It may be gone by now.
    if (Resident* called = called_ ? here(run.no) : nullptr) called_(*called);
}

void Scheduler::keep_suspect_alone(model::RunNo run, std::int64_t epoch) {
    claims_.suspect_came(run);
    timers_.at(services_.now() + kSuspectAlone, [this, lease = store::Lease{run, epoch}] {
        if (find(lease) != nullptr) claims_.suspect_left(lease.run);
    });
}

void Scheduler::submitted(const store::Submit& submit) {
    const auto* outcome = std::get_if<store::SubmitOutcome>(&submit.outcome);
    const bool ours = outcome != nullptr && outcome->run.status == RunStatus::Running &&
                      outcome->run.worker == services_.worker;
    if (ours && outcome->kind == store::SubmitKind::Created) {
        // Into the room that was taken for it.
        if (!submit.claim_as.empty()) room_.count(-1);
        return admit(outcome->run, {});
    }
    if (!submit.claim_as.empty()) give_back_room();
    if (outcome == nullptr || outcome->kind == store::SubmitKind::Mismatch ||
        outcome->kind == store::SubmitKind::UnknownQueue ||
        outcome->kind == store::SubmitKind::Deleted) {
        return;
    }
    const model::Run& run = outcome->run;
    if (ours && !residents_.contains(run.no) && !is_loading(run.no)) {
        // It was committed by a batch whose outcome we never heard.
        take_again_ = true;
        return take_lost_runs();
    }
    if (run.status == RunStatus::Queued) {
        if (run.wake_at && *run.wake_at > services_.now()) {
            claims_.due_at(*run.wake_at);
        } else {
            claims_.soon();
        }
    }
}

void Scheduler::controlled(const store::Control& control) {
    if (!control.run) return;
    const model::Run& run = *control.run;
    const auto here = residents_.find(run.no);
    switch (control.outcome) {
        case store::ControlResult::Requested: {
            const auto why = control.kind == store::ControlKind::Cancel  ? Resident::Stop::Canceled
                             : control.kind == store::ControlKind::Leave ? Resident::Stop::Left
                                                                         : Resident::Stop::Paused;
            // Whoever claims it acts on it.
            if (run.status != RunStatus::Running) return claims_.soon();
            if (here == residents_.end()) {
                // What is being loaded was read before the request.
                if (is_loading(run.no)) asked_early_.try_emplace(run.no, why, control.reason);
                return;
            }
            Resident& resident = *here->second;
            resident.stop(why, control.reason);
            resident.nudge();
            return;
        }
        case store::ControlResult::Done:
            if (control.kind == store::ControlKind::Resume) {
                const auto early = asked_early_.find(run.no);
                if (early != asked_early_.end() && early->second.first == Resident::Stop::Paused) {
                    asked_early_.erase(early);
                }
                if (here != residents_.end()) here->second->take_back_pause();
            }
            if (here != residents_.end() && here->second->state() == Resident::State::Waiting) {
                forget(*here->second);
            }
            if (is_finished(run.status) || run.status == RunStatus::Paused) {
                watchers_.ended(run.id, end_of(run));
            } else {
                claims_.soon();
            }
            return;
        case store::ControlResult::NotFound:
        case store::ControlResult::Refused:
            return;
    }
}

}  // namespace belay::engine
