// resident_waiting.cpp — a run whose calls all wait for their time.
//
// It gives up its lease (and, when there are many such runs, its memory) and is claimed again when the
// earliest of them is due. A retry that is only seconds away is not worth that: the run stays live and a
// timer wakes it.
#include <algorithm>

#include <belay/error.hpp>

#include "core/engine/undoing.hpp"
#include "core/engine/writer.hpp"

namespace belay::engine {

using belay::detail::CallKind;
using belay::detail::ContextAccess;

namespace {

// A retry that is further away gives the run's lease and its memory back meanwhile.
constexpr Duration kHoldForRetry{5000};

}  // namespace

void Resident::pause_until(const std::shared_ptr<Call>& call, Time until, bool noted) {
    call->loop.until = until;
    enter(*call, CallState::Paused);
    if (!noted) {
        model::Stage stage = stage_of(*call, StageStatus::Running);
        stage.next_attempt_at = until;
        note(std::move(stage));
    }
    // If nothing else is under way the run considers what to do at the end of its turn.
    if (paused_ < active_.size()) arm_wake_up(*call);
}

void Resident::unpause(Call& call) {
    host_.steps().is_over(call);
    enter(call, CallState::Idle);
}

void Resident::arm_wake_up(Call& call) {
    if (call.loop.watch != 0 || *call.loop.until == model::kNever) return;
    const Timers::Key key = host_.timers().at(*call.loop.until, [&host = host_, lease = lease_] {
        if (Resident* run = host.find(lease)) {
            const TurnWatch::Guard guard(host.turns(), *run);
            run->wake_due();
        }
    });
    call.loop.watched_until = key.first;
    call.loop.watch = key.second;
}

void Resident::wake_due() {
    // It may have lost its lease by then, and what it asks for now would be refused. Whatever comes of the
    // wait comes back here.
    if (wait_pushed_) return;
    if (!may_go_on()) return after_turn();
    const Time now = services_.now();
    std::vector<std::shared_ptr<Call>> due;
    for (const auto& call : active_) {
        if (call->loop.state == CallState::Paused && *call->loop.until <= now) due.push_back(call);
    }
    for (const auto& call : due) {
        if (!may_go_on()) break;  // the code that another one woke has ended, or diverged
        if (call->loop.state != CallState::Paused) continue;  // its fan was decided by another one
        unpause(*call);
        wake(call);
    }
    after_turn();
}

void Resident::wake(std::shared_ptr<Call> call) {
    if (awaits(*call)) return ask(std::move(call));
    if (call->kind != CallKind::Sleep) return launch(work_of(call));
    remove_active(*call);
    model::Stage stage = stage_of(*call, StageStatus::Succeeded);
    stage.finished_at = services_.now();
    stage.output = "null";
    ContextAccess::saw(*call->context, *stage.finished_at);
    // Nobody waits for this record: if it is lost, its time is over in the replay as well.
    note(std::move(stage), {}, true);
    call->accept("null");
    answered(call);
}

void Resident::find_silent(std::vector<SilentStep>& found) const {
    for (const auto& call : active_) {
        const Work* work = call->work();
        if (work == nullptr || !work->gate.is_overdue()) continue;
        if (call->loop.state == CallState::Paused) continue;  // its next attempt has its own time
        const Duration limit = work->options.timeout;
        found.push_back(
            {lease_.run, call->name, limit, work->gate.begun().value_or(Time{}) + limit});
    }
}

void Resident::consider_waiting() {
    if (state_ != State::Live || wait_pushed_ || looking_ != Looking::No || paused_ == 0 ||
        paused_ < active_.size())
        return;
    Time wake_at = Time::max();
    bool only_retries = true;
    for (const auto& call : active_) {
        wake_at = std::min(wake_at, *call->loop.until);
        if (call->kind == CallKind::Sleep || awaits(*call)) only_retries = false;
    }
    const Time now = services_.now();
    if (wake_at <= now || (only_retries && (undoing_ || wake_at <= now + kHoldForRetry))) {
        for (const auto& call : active_) arm_wake_up(*call);
        return;
    }
    wait_pushed_ = true;
    store::Wait wait;
    wait.lease = lease_;
    wait.wake_at = deadline_ ? std::min(wake_at, deadline_->at) : wake_at;
    wait.signals = signals_;
    wait.progress = take_progress(*shared_);
    services_.writer.push(std::move(wait), [&host = host_, lease = lease_](store::Verb& verb) {
        if (Resident* run = host.find(lease)) run->wait_committed(std::get<store::Wait>(verb));
    });
}

void Resident::wait_committed(store::Wait& wait) {
    wait_pushed_ = false;
    if (std::holds_alternative<store::Refused>(wait.outcome)) {
        // Something came that we have not heard of yet; perhaps nobody here waits for it. Or a cancel or a
        // pause came first, and its worker, which is us, acts on it.
        const bool is_signal = wait.signals != signals_;
        signals_ = wait.signals;
        if (!is_signal && stop_ == Stop::None) look_for_request();
        catch_up();
        return wake_due();
    }
    if (!still_ours(wait.outcome)) return;
    // The claim wakes it up from now on.
    for (const auto& call : active_) host_.steps().is_over(*call);
    state_ = State::Waiting;
    host_.is_waiting(*this, wait.wake_at);
}

// A request whose commit nobody was told of: the store has it, and we have not heard it.
void Resident::look_for_request() {
    try {
        const auto run = services_.store.find_run(lease_.run);
        if (!run || run->epoch != lease_.epoch) return;
        heed(*run);
    } catch (const Error& error) {
        // The next wait will be refused as well.
        services_.log(LogLevel::Warning, "store_unreadable", error.what());
    }
}

void Resident::claimed(const model::Run& run) {
    lease_.epoch = run.epoch;
    recoveries_ = run.recoveries;
    charges_ = run.charges;
    const bool missed_something = run.signals != signals_;
    signals_ = run.signals;
    state_ = State::Live;
    heed(run);
    arm_deadline();
    if (missed_something && may_go_on()) catch_up();
    wake_due();
}

}  // namespace belay::engine
