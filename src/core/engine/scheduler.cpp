// scheduler.cpp — the runs in memory: where the news about each of them go, and how they leave.
#include "core/engine/scheduler.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/base/assert.hpp"
#include "core/engine/bodies.hpp"

namespace belay::engine {

namespace {

constexpr const char* kParentCanceled = "canceled with its parent";

Resident::Stop stop_of(const store::RunNews& told) {
    if (!told.cancel_requested) return Resident::Stop::Paused;
    return told.leaves ? Resident::Stop::Left : Resident::Stop::Canceled;
}

}  // namespace

Scheduler::Scheduler(Services& services, const Workflows& workflows, Watchers& watchers)
    : services_(services), workflows_(workflows), watchers_(watchers), turns_(services),
      timers_(services.world), steps_(services, timers_, *this),
      room_(services.options.runs_in_memory_max),
      claims_(services, timers_, room_, watchers,
              [this](std::vector<model::Run> runs) { admit_claimed(std::move(runs)); }),
      retention_(services, timers_) {
    timers_.set_after([this] { steps_.flush(); });
}

Scheduler::~Scheduler() = default;

void Scheduler::start() {
    std::vector<std::string> keys;
    for (const auto& [key, workflow] : workflows_) {
        keys.push_back(key);
        retention_.add(key, workflow->options.retention);
    }
    claims_.start(std::move(keys));
    retention_.start();
}

void Scheduler::after_batch() {
    if (services_.bodies.take_submitted()) claims_.soon();
    steps_.flush();
}

void Scheduler::woken(const store::Woken& woken) {
    const auto here = residents_.find(woken.run);
    if (here == residents_.end()) {
        // What is being loaded was read before.
        if (woken.canceled && is_loading(woken.run)) {
            asked_early_.try_emplace(woken.run, Resident::Stop::Canceled, kParentCanceled);
        }
        return claims_.soon();
    }
    Resident& run = *here->second;
    // It may have gone to wait in the very batch that woke it: then it is due, and its own wait was not told.
    claims_.soon();
    if (run.state() == Resident::State::Waiting) return;
    const TurnWatch::Guard guard(turns_, run);
    if (!woken.canceled) return run.woken(woken);
    run.stop(Resident::Stop::Canceled, kParentCanceled);
    run.nudge();
}

// ---- news

// Other executors of the same store: what they made due, ended, or asked of the runs that are here.
void Scheduler::heard_outside(const store::News& news, const Watchers::Ends& ended) {
    if (stopping_) return;
    if (news.due) claims_.soon();
    watchers_.ended(ended);
    for (const store::RunNews& told : news.runs) {
        const auto here = residents_.find(told.run);
        if (here == residents_.end()) {
            // What is being loaded was read before the request.
            if (is_loading(told.run) && (told.cancel_requested || told.pause_requested)) {
                asked_early_.try_emplace(told.run, stop_of(told), told.reason);
            }
            continue;
        }
        Resident& run = *here->second;
        if (run.state() == Resident::State::Waiting) continue;
        const TurnWatch::Guard guard(turns_, run);
        if (told.cancel_requested || told.pause_requested) {
            run.stop(stop_of(told), told.reason);
            run.nudge();
        } else {
            run.take_back_pause();
            run.missed(told.signals);
        }
    }
    steps_.flush();
}

Resident* Scheduler::find(const store::Lease& lease) {
    const auto at = residents_.find(lease.run);
    if (at == residents_.end() || at->second->lease().epoch != lease.epoch) return nullptr;
    return at->second.get();
}

void Scheduler::step_recorded(const store::Lease& lease, const std::shared_ptr<Work>& work,
                              store::Record& record) {
    steps_.is_over(work->call);
    if (work->cache) work->cache->flight.reset();
    Resident* run = find(lease);
    if (run == nullptr) {
        if (std::holds_alternative<store::Fenced>(record.outcome))
            ++services_.counters.writes_fenced;
        give_back_frame_user(lease, *work);
        return;
    }
    const TurnWatch::Guard guard(turns_, *run);
    run->step_recorded(work, record);
}

void Scheduler::attempt_failed(const store::Lease& lease, const std::shared_ptr<Work>& work,
                               std::exception_ptr error) {
    steps_.is_over(work->call);
    if (work->cache) work->cache->flight.reset();
    Resident* run = find(lease);
    if (run == nullptr) {
        give_back_frame_user(lease, *work);
        return;
    }
    const TurnWatch::Guard guard(turns_, *run);
    run->attempt_failed(work, error);
}

void Scheduler::left_behind_ended() {
    --services_.counters.abandoned_now;
    services_.world.executor.lend_pool_threads(-1);
    steps_.flush();
}

// A call of a run that was dropped has ended; the frame it referred to may go now.
bool Scheduler::give_back_frame_user(const store::Lease& lease, const Work& work) {
    if (work.may_be_abandoned) return false;
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

// ---- how runs leave

void Scheduler::has_ended(Resident& run, const store::End& end) {
    ++services_.counters.runs_ended;
    if (is_finished(end.status)) retention_.ended(run.workflow_key(), end.status);
    belay::detail::RunEnd told;
    told.status = end.status;
    if (end.result) told.result = *end.result;
    if (end.failure) {
        told.error = end.failure->message;
        told.code = end.failure->code;
        services_.log(end.status == RunStatus::Canceled ? LogLevel::Info : LogLevel::Failure,
                      end.status == RunStatus::Paused     ? "run_paused"
                      : end.status == RunStatus::Canceled ? "run_canceled"
                                                          : "run_failed",
                      fmt::format("run `{}` of {} is {}: {}", run.id(), run.workflow_key(),
                                  to_string(end.status), run.shown(end.failure->message)),
                      run.about());
    }
    watchers_.ended(run.id(), told);
    forget(run);
}

void Scheduler::is_waiting(Resident& run, Time wake_at) {
    room_.count(-1);
    ++waiting_;
    claims_.suspect_left(run.lease().run);
    claims_.due_at(wake_at);
    if (stopping_ ||
        waiting_ > static_cast<std::int64_t>(services_.options.waiting_in_memory_max)) {
        ++services_.counters.runs_parked;
        forget(run);
    }
    claims_.room_made();
}

void Scheduler::is_no_suspect(Resident& run) { claims_.suspect_left(run.lease().run); }

void Scheduler::begins_anew(Resident& run) {
    forget(run);
    claims_.soon();
}

std::vector<Resident::SilentStep> Scheduler::silent_steps() const {
    std::vector<Resident::SilentStep> found;
    for (const auto& [no, run] : residents_) run->find_silent(found);
    return found;
}

void Scheduler::forget(Resident& run) {
    const auto at = residents_.find(run.lease().run);
    BELAY_ASSERT(at != residents_.end() && at->second.get() == &run, "run {} is not here",
                 run.id());
    std::unique_ptr<Resident> owned = std::move(at->second);
    residents_.erase(at);
    turns_.forget(*owned);
    if (owned->state() == Resident::State::Waiting) {
        --waiting_;
    } else {
        room_.count(-1);
    }
    claims_.suspect_left(owned->lease().run);
    drop(std::move(owned));
    claims_.room_made();
    consider_stopped();
}

void Scheduler::drop(std::unique_ptr<Resident> run) {
    run->drop();
    if (run->frame_users() > 0) dropped_.push_back(std::move(run));
}

}  // namespace belay::engine
