#include "engine/scheduler.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "base/assert.hpp"
#include "base/failpoint.hpp"
#include "base/limits.hpp"
#include "engine/bodies.hpp"

namespace belay::engine {

namespace {

// One claim's worth: large enough for a quick recovery, small enough not to hold up the writer.
constexpr int kClaimMax = 1000;

// A suspect that has lived this long alone is let off: the next one may come in.
constexpr Duration kSuspectAlone{30'000};

// Recovered this often without a new checkpoint: what a store's claim counts as a suspect.
constexpr std::int64_t kSuspectRecoveries = 2;

}  // namespace

class Scheduler::TurnGuard {
public:
    TurnGuard(Scheduler& scheduler, const Resident& run) : scheduler_(scheduler) {
        const std::lock_guard lock(scheduler_.turn_mutex_);
        scheduler_.turn_since_ = scheduler_.services_.now();
        scheduler_.turn_run_ = &run;
    }
    ~TurnGuard() {
        const std::lock_guard lock(scheduler_.turn_mutex_);
        scheduler_.turn_since_.reset();
        scheduler_.turn_run_ = nullptr;
    }
    TurnGuard(const TurnGuard&) = delete;
    TurnGuard& operator=(const TurnGuard&) = delete;

private:
    Scheduler& scheduler_;
};

Scheduler::Scheduler(Services& services, const Workflows& workflows, Watchers& watchers)
    : services_(services), workflows_(workflows), watchers_(watchers), timers_(services.world),
      steps_(services, timers_, *this) {
    timers_.set_after([this] { steps_.flush(); });
}

Scheduler::~Scheduler() = default;

void Scheduler::start() {
    for (const auto& [key, workflow] : workflows_) workflow_keys_.push_back(key);
    started_ = true;
    claim_soon();
}

// ---- claiming

bool Scheduler::has_room() const {
    return live_.load(std::memory_order_relaxed) <
           static_cast<std::int64_t>(services_.options.runs_in_memory_max);
}

bool Scheduler::take_room() {
    const auto most = static_cast<std::int64_t>(services_.options.runs_in_memory_max);
    if (live_.fetch_add(1, std::memory_order_relaxed) < most) return true;
    live_.fetch_sub(1, std::memory_order_relaxed);
    return false;
}

void Scheduler::give_back_room() {
    count_live(-1);
    if (more_due_ && has_room()) claim_soon();
}

void Scheduler::claim_soon() {
    if (!started_ || stopping_) return;
    if (claiming_) {
        claim_again_ = true;
        return;
    }
    claim();
}

void Scheduler::claim() {
    if (!has_room() || services_.writer.broken()) {
        more_due_ = true;
        return;
    }
    claiming_ = true;
    claim_again_ = false;
    more_due_ = false;
    const auto room = static_cast<std::int64_t>(services_.options.runs_in_memory_max) - live_.load();
    store::Claim claim;
    claim.worker = services_.worker;
    claim.workflow_keys = workflow_keys_;
    claim.limit = static_cast<int>(std::min<std::int64_t>(room, kClaimMax));
    if (services_.options.crash_loop_recoveries_max > 0) {
        claim.suspects_max = suspects_.empty() ? 1 : 0;
        claim.recoveries_max = services_.options.crash_loop_recoveries_max;
    } else {
        claim.suspects_max = claim.recoveries_max = std::numeric_limits<int>::max();
    }
    claim.on_start = [&bodies = services_.bodies](const model::Run& run) { return bodies.on_start(run); };
    claim.on_end = [&bodies = services_.bodies](const model::Run& run) { return bodies.on_end(run); };
    services_.writer.push(std::move(claim),
                          [this](store::Verb& verb) { claim_committed(std::get<store::Claim>(verb)); });
}

void Scheduler::claim_committed(store::Claim& claim) {
    claiming_ = false;
    base::failpoint("claim.after");
    for (const model::Run& run : claim.outcome.ended) {
        services_.log(LogLevel::Failure, "run_not_started",
                      fmt::format("run `{}` is {}: {}", run.id, to_string(run.status),
                                  run.failure ? run.failure->message : ""));
        watchers_.ended(run.id, end_of(run));
    }
    more_due_ = claim.outcome.more_due;
    if (claim.outcome.next_due) due_at(*claim.outcome.next_due);
    // Due runs that were left although there was room are suspects: the next one is claimed when the one
    // that is here has left, and asking at once would only be told the same.
    const bool was_full = static_cast<int>(claim.outcome.claimed.size()) >= claim.limit;
    admit_claimed(std::move(claim.outcome.claimed));
    if (claim_again_ || (was_full && more_due_ && has_room())) claim_soon();
}

void Scheduler::due_at(Time when) {
    if (due_ && *due_ <= when) return;
    if (due_timer_) timers_.cancel(*due_timer_);
    due_ = when;
    due_timer_ = timers_.at(when, [this] {
        due_.reset();
        due_timer_.reset();
        claim_soon();
    });
}

void Scheduler::admit_claimed(std::vector<model::Run> runs) {
    std::vector<model::Run> to_load;
    for (model::Run& run : runs) {
        if (run.recoveries > 0) ++services_.counters.runs_recovered;
        const auto here = residents_.find(run.no);
        if (here != residents_.end()) {
            Resident& resident = *here->second;
            BELAY_ASSERT(resident.state() == Resident::State::Waiting,
                         "run {} was claimed while it was live here", run.id);
            --waiting_;
            count_live(+1);
            if (run.recoveries >= kSuspectRecoveries) suspects_.insert(run.no);
            const TurnGuard guard(*this, resident);
            resident.claimed(run);
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
    count_live(static_cast<int>(runs.size()));
    for (const model::Run& run : runs) {
        loading_[run.no] = run.epoch;
        if (run.recoveries >= kSuspectRecoveries) suspects_.insert(run.no);
    }
    services_.writer.push(std::move(load), [this, runs = std::move(runs)](store::Verb& verb) {
        auto& histories = std::get<store::Load>(verb).outcome;
        count_live(-static_cast<int>(runs.size()));
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
    BELAY_ASSERT(workflow != workflows_.end(), "run {} was claimed for an undefined workflow {}", run.id,
                 run.workflow_key);
    auto made = std::make_unique<Resident>(services_, *this, *workflow->second, run, std::move(history));
    Resident& resident = *made;
    const bool is_new = residents_.emplace(run.no, std::move(made)).second;
    BELAY_ASSERT(is_new, "run {} was admitted while it was here", run.id);
    count_live(+1);
    if (resident.is_suspect()) {
        suspects_.insert(run.no);
        timers_.at(services_.now() + kSuspectAlone, [this, lease = resident.lease()] {
            if (find(lease) != nullptr) suspect_left(lease.run);
        });
    }
    if (const auto asked = asked_early_.find(run.no); asked != asked_early_.end()) {
        resident.stop(asked->second.first, asked->second.second);
        asked_early_.erase(asked);
    }
    if (stopping_) resident.stop(Resident::Stop::Released, "");
    const TurnGuard guard(*this, resident);
    resident.go();
}

void Scheduler::submitted(const store::Submit& submit) {
    const auto* outcome = std::get_if<store::SubmitOutcome>(&submit.outcome);
    const bool ours = outcome != nullptr && outcome->run.status == RunStatus::Running &&
                      outcome->run.worker == services_.worker;
    if (ours && outcome->kind == store::SubmitKind::Created) {
        // Into the room that was taken for it.
        if (!submit.claim_as.empty()) count_live(-1);
        return admit(outcome->run, {});
    }
    if (!submit.claim_as.empty()) give_back_room();
    if (outcome == nullptr || outcome->kind == store::SubmitKind::Mismatch) return;
    const model::Run& run = outcome->run;
    if (ours && !residents_.contains(run.no) && !is_loading(run.no)) {
        // It was committed by a batch whose outcome we never heard.
        take_again_ = true;
        return take_lost_runs();
    }
    if (run.status == RunStatus::Queued) {
        if (run.wake_at && *run.wake_at > services_.now()) {
            due_at(*run.wake_at);
        } else {
            claim_soon();
        }
    }
}

void Scheduler::controlled(const store::Control& control) {
    if (!control.run) return;
    const model::Run& run = *control.run;
    const auto here = residents_.find(run.no);
    switch (control.outcome) {
        case store::ControlResult::Requested: {
            const auto why = control.kind == store::ControlKind::Cancel ? Resident::Stop::Canceled
                                                                        : Resident::Stop::Paused;
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
                claim_soon();
            }
            return;
        case store::ControlResult::NotFound:
        case store::ControlResult::Refused: return;
    }
}

// ---- how runs leave

Resident* Scheduler::find(const store::Lease& lease) {
    const auto at = residents_.find(lease.run);
    if (at == residents_.end() || at->second->lease().epoch != lease.epoch) return nullptr;
    return at->second.get();
}

void Scheduler::step_recorded(const store::Lease& lease, const std::shared_ptr<StepCall>& call,
                              store::Record& record) {
    steps_.is_over(*call);
    Resident* run = find(lease);
    if (run == nullptr) {
        if (std::holds_alternative<store::Fenced>(record.outcome)) ++services_.counters.writes_fenced;
        give_back_frame_user(lease, *call);
        return;
    }
    const TurnGuard guard(*this, *run);
    run->step_recorded(call, record);
}

void Scheduler::attempt_failed(const store::Lease& lease, const std::shared_ptr<StepCall>& call,
                               std::exception_ptr error) {
    steps_.is_over(*call);
    Resident* run = find(lease);
    if (run == nullptr) {
        give_back_frame_user(lease, *call);
        return;
    }
    const TurnGuard guard(*this, *run);
    run->attempt_failed(call, error);
}

void Scheduler::left_behind_ended() {
    --services_.counters.abandoned_now;
    services_.world.executor.lend_pool_threads(-1);
}

// A call of a run that was dropped has ended; the frame it referred to may go now.
bool Scheduler::give_back_frame_user(const store::Lease& lease, const StepCall& call) {
    if (call.may_be_abandoned) return false;
    const auto at = std::find_if(dropped_.begin(), dropped_.end(), [&](const auto& run) {
        return run->lease().run == lease.run && run->lease().epoch == lease.epoch;
    });
    if (at == dropped_.end()) return false;
    (*at)->frame_user_ended();
    if ((*at)->frame_users() == 0) {
        dropped_.erase(at);
        consider_stopped();
    }
    return true;
}

void Scheduler::has_ended(Resident& run, const store::End& end) {
    ++services_.counters.runs_ended;
    belay::detail::RunEnd told;
    told.status = end.status;
    if (end.result) told.result = *end.result;
    if (end.failure) {
        told.error = end.failure->message;
        services_.log(end.status == RunStatus::Canceled ? LogLevel::Info : LogLevel::Failure,
                      end.status == RunStatus::Paused ? "run_paused" : "run_failed",
                      fmt::format("run `{}` of {} is {}: {}", run.id(), run.workflow_key(),
                                  to_string(end.status), end.failure->message));
    }
    watchers_.ended(run.id(), told);
    forget(run);
}

void Scheduler::is_waiting(Resident& run, Time wake_at) {
    count_live(-1);
    ++waiting_;
    suspect_left(run.lease().run);
    due_at(wake_at);
    if (stopping_ || waiting_ > static_cast<std::int64_t>(services_.options.waiting_in_memory_max)) {
        ++services_.counters.runs_parked;
        forget(run);
    }
    if (more_due_) claim_soon();
}

void Scheduler::is_lost(Resident& run, bool take_again) {
    ++services_.counters.runs_evicted;
    if (take_again) take_again_ = true;
    forget(run);
    if (!failing_batch_ && !services_.writer.broken()) take_lost_runs();
}

void Scheduler::is_no_suspect(Resident& run) {
    suspect_left(run.lease().run);
}

void Scheduler::suspect_left(model::RunNo run) {
    if (suspects_.erase(run) > 0) claim_soon();
}

void Scheduler::forget(Resident& run) {
    const auto at = residents_.find(run.lease().run);
    BELAY_ASSERT(at != residents_.end() && at->second.get() == &run, "run {} is not here", run.id());
    std::unique_ptr<Resident> owned = std::move(at->second);
    residents_.erase(at);
    {
        // It may be inside a turn of its own, which goes on without it.
        const std::lock_guard lock(turn_mutex_);
        if (turn_run_ == owned.get()) {
            turn_since_.reset();
            turn_run_ = nullptr;
        }
    }
    if (owned->state() == Resident::State::Waiting) {
        --waiting_;
    } else {
        count_live(-1);
    }
    suspect_left(owned->lease().run);
    drop(std::move(owned));
    if (more_due_ && has_room()) claim_soon();
    consider_stopped();
}

void Scheduler::drop(std::unique_ptr<Resident> run) {
    run->drop();
    if (run->frame_users() > 0) dropped_.push_back(std::move(run));
}

void Scheduler::count_live(int change) {
    live_.fetch_add(change, std::memory_order_relaxed);
}

// ---- failures of the store

void Scheduler::batch_failed(Writer::FailedBatch failed) {
    failure_heard_of_ = failed.number;
    const auto unavailable = [&] {
        return std::make_exception_ptr(Error(ErrorCode::StoreUnavailable, failed.why));
    };
    // What is still ours is asked once, when all that was lost is known: by store_repaired(). And what may
    // have become due without our hearing of it (a run that went to wait, a run started by a body) is claimed.
    failing_batch_ = true;
    more_due_ = true;
    for (std::size_t i = 0; i < failed.verbs.size(); ++i) {
        store::Verb& verb = failed.verbs[i];
        Writer::Done& done = failed.dones[i];
        const auto lose = [&](auto& write) {
            write.outcome = store::Lost{};
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
        } else if (std::holds_alternative<store::Claim>(verb)) {
            // What it may have claimed is found by asking what is ours.
            claiming_ = false;
            take_again_ = true;
        } else if (auto* load = std::get_if<store::Load>(&verb)) {
            count_live(-static_cast<int>(load->runs.size()));
            for (const model::RunNo no : load->runs) {
                loading_.erase(no);
                suspects_.erase(no);
            }
            take_again_ = true;
        } else if (std::holds_alternative<store::Reclaim>(verb)) {
            take_again_ = true;
        } else if (auto* submit = std::get_if<store::Submit>(&verb); submit != nullptr && !failed.unknown) {
            submit->outcome = store::BodyFailed{unavailable()};
            if (done) done(verb);
        } else if (auto* transact = std::get_if<store::Transact>(&verb)) {
            // Nobody can know here whether doing it twice would be right.
            transact->outcome = store::BodyFailed{
                failed.unknown ? std::make_exception_ptr(Error(ErrorCode::CommitUnknown, failed.why))
                               : unavailable()};
            if (done) done(verb);
        } else {
            // Asking again is safe: a submission joins the run it made, a control finds it done.
            services_.writer.push(std::move(verb), std::move(done));
        }
    }
    failing_batch_ = false;
    if (!services_.writer.broken()) take_lost_runs();
    steps_.flush();
}

void Scheduler::store_repaired() {
    try {
        // An end may be recorded by the commit that nobody was told of.
        watchers_.look_again(services_.store);
    } catch (const Error& error) {
        services_.log(LogLevel::Warning, "store_unreadable", error.what());
    }
    take_lost_runs();
    if (more_due_) claim_soon();
}

void Scheduler::take_lost_runs() {
    if (!take_again_ || stopping_) return;
    take_again_ = false;
    store::Reclaim reclaim;
    reclaim.worker = services_.worker;
    reclaim.all_others = true;
    for (const auto& [no, run] : residents_) {
        if (run->state() != Resident::State::Waiting) reclaim.runs.push_back(no);
    }
    for (const auto& [no, epoch] : loading_) reclaim.runs.push_back(no);
    // Only what was lost by the failures that we have heard of is covered by this.
    services_.writer.push(std::move(reclaim), [this, failure = failure_heard_of_](store::Verb& verb) {
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

void Scheduler::after_batch() {
    if (services_.bodies.take_submitted()) claim_soon();
    steps_.flush();
}

// ---- stopping

void Scheduler::stop(Duration grace, std::function<void()> stopped) {
    stopping_ = true;
    stopped_ = std::move(stopped);
    std::vector<store::Lease> live;
    std::vector<Resident*> waiting;
    for (const auto& [no, run] : residents_) {
        if (run->state() == Resident::State::Waiting) {
            waiting.push_back(run.get());
        } else {
            live.push_back(run->lease());
        }
    }
    for (Resident* run : waiting) forget(*run);
    for (const store::Lease& lease : live) {
        Resident* run = find(lease);
        if (run == nullptr) continue;
        run->stop(Resident::Stop::Released, "");
        run->nudge();
    }
    timers_.at(services_.now() + grace, [this] {
        // What still runs is left behind: its run is put back and may do that step again.
        std::vector<Resident*> left;
        for (const auto& [no, run] : residents_) left.push_back(run.get());
        for (Resident* run : left) {
            if (run->frame_users() > 0) continue;
            services_.log(LogLevel::Warning, "step_left_behind",
                          fmt::format("step `{}` of run `{}` did not end in time; the run goes on there at the "
                                      "next start.",
                                      run->last_stage(), run->id()));
            services_.writer.push(store::Release{run->lease(), {}}, {});
            forget(*run);
        }
        if (stopped_ && residents_.empty() && dropped_.empty() && services_.writer.broken()) {
            services_.log(LogLevel::Failure, "stopped_unwritten",
                          "The store cannot be written, so the runs could not be put back; the next start "
                          "recovers them.");
            std::exchange(stopped_, {})();
        }
    });
    consider_stopped();
}

void Scheduler::consider_stopped() {
    const auto is_empty = [this] { return residents_.empty() && dropped_.empty() && loading_.empty(); };
    if (!stopping_ || !stopped_ || !is_empty()) return;
    // Behind everything that is still on its way to disk; a claim among that may bring runs once more.
    services_.writer.push(store::TakeRequests{0, {}}, [this, is_empty](store::Verb&) {
        if (stopped_ && is_empty()) std::exchange(stopped_, {})();
    });
}

std::optional<Scheduler::Turn> Scheduler::turn_under_way() const {
    const std::lock_guard lock(turn_mutex_);
    if (!turn_since_) return std::nullopt;
    return Turn{turn_run_->id(), turn_run_->workflow_key(), *turn_since_};
}

}  // namespace belay::engine
