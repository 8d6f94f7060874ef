// scheduler_stop.cpp — a stop in good order: what runs is finished or put back.
#include <fmt/format.h>

#include "core/engine/scheduler.hpp"

namespace belay::engine {

namespace {

// When the grace is over, how often to look whether the store has broken down meanwhile.
constexpr Duration kLookAgainEvery{1000};

}  // namespace

void Scheduler::stop(Duration grace, std::function<void(bool)> stopped) {
    stopping_ = true;
    retention_.stop();
    claims_.stop();
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
    timers_.at(services_.now() + grace, [this] { grace_is_over(); });
    consider_stopped();
}

// What still runs is left behind: its run is put back and may do that step again. From now on nothing is
// waited for that may not come, a store that cannot be written included.
void Scheduler::grace_is_over() {
    if (!stopped_) return;
    std::vector<Resident*> left;
    for (const auto& [no, run] : residents_) left.push_back(run.get());
    for (Resident* run : left) leave_behind(*run);
    loading_.clear();
    if (stopped_ && services_.writer.broken()) {
        services_.log(LogLevel::Failure, "stopped_unwritten",
                      "The store cannot be written, so the runs could not be put back; the next "
                      "start recovers "
                      "them.");
        return tell_stopped();
    }
    consider_stopped();
    timers_.at(services_.now() + kLookAgainEvery, [this] { grace_is_over(); });
}

void Scheduler::leave_behind(Resident& run) {
    services_.log(
        LogLevel::Warning, "step_left_behind",
        fmt::format(
            "step `{}` of run `{}` did not end in time; the run goes on there at the next start.",
            run.last_stage(), run.id()),
        run.about());
    left_behind_ = true;
    services_.writer.push(store::Release{run.lease(), {}}, {});
    forget(run);
}

void Scheduler::consider_stopped() {
    const auto is_empty = [this] { return residents_.empty() && loading_.empty(); };
    if (!stopping_ || !stopped_ || !is_empty()) return;
    // Frames that a step still refers to are kept for as long as the scheduler is; nobody waits for those here.
    // Behind everything that is still on its way to disk; a claim among that may bring runs once more.
    services_.writer.push(store::TakeRequests{0, {}}, [this, is_empty](store::Verb&) {
        if (stopped_ && is_empty()) tell_stopped();
    });
}

void Scheduler::tell_stopped() {
    const bool steps_are_left =
        left_behind_ || !dropped_.empty() || services_.counters.abandoned_now.load() > 0;
    std::exchange(stopped_, {})(steps_are_left);
}

}  // namespace belay::engine
