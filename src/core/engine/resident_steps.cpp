// resident_steps.cpp — the steps of a run: begun, recorded, failed, tried again.
#include <algorithm>

#include <fmt/format.h>

#include "core/base/assert.hpp"
#include "core/base/failpoint.hpp"
#include "core/base/limits.hpp"
#include "core/base/saturate.hpp"
#include "core/engine/expected.hpp"
#include "core/engine/failure.hpp"
#include "core/engine/undoing.hpp"
#include "core/engine/writer.hpp"

namespace belay::engine {

using belay::detail::CallKind;
using belay::detail::ContextAccess;

namespace {

constexpr RetryPolicy kRetryOfChild{};

}  // namespace

void Resident::add_active(const std::shared_ptr<Call>& call) {
    call->loop.slot = active_.size();
    active_.push_back(call);
}

void Resident::remove_active(Call& call) {
    if (call.kind == CallKind::Receive) services_.expected.remove(call);
    if (call.loop.state != CallState::Idle) enter(call, CallState::Idle);
    const std::size_t slot = call.loop.slot;
    active_[slot] = std::move(active_.back());
    active_[slot]->loop.slot = slot;
    active_.pop_back();
}

void Resident::enter(Call& call, CallState state) {
    CallState& now = call.loop.state;
    BELAY_ASSERT(may_follow(now, state), "call {} `{}` of run {} cannot go from state {} to {}",
                 call.path, call.name, shared_->id, static_cast<int>(now), static_cast<int>(state));
    if (now == CallState::Paused) --paused_;
    if (state == CallState::Paused) ++paused_;
    now = state;
}

void Resident::start(std::shared_ptr<Call> call, std::coroutine_handle<> waiter) {
    if (sayings_) say();
    call->loop.waiter = waiter;
    add_active(call);
    const Time now = services_.now();
    if (call->kind == CallKind::Sleep) {
        const Duration duration = static_cast<const belay::detail::SleepCall&>(*call).duration;
        std::optional<Time>& began = call->entry.first_started_at;
        const bool noted = call->loop.until.has_value() && began.has_value();
        const Time until =
            std::min(call->loop.until.value_or(base::later(now, duration)), base::kTimeMax);
        if (!began) began = now;
        return pause_until(call, until, noted);
    }
    if (call->child() && call->child()->is_recorded) {
        wait_for(call);
        recorded_.push_back(call);
        return pause_until(call, model::kNever, true);
    }
    if (awaits(*call)) return ask(std::move(call));
    if (call->loop.until && *call->loop.until > now)
        return pause_until(call, *call->loop.until, true);
    launch(work_of(call));
}

void Resident::launch(const std::shared_ptr<Work>& work) {
    Call& call = work->call;
    const bool is_slow = work->has_slow_part && !work->loop.slow_part_done;
    if (work->cache && is_slow) {
        const bool may_go =
            host_.steps().cache().take_off(*work, [&host = host_, lease = lease_, work] {
                Resident* run = host.find(lease);
                if (run == nullptr || work->call.loop.state != CallState::InLine) return;
                const TurnWatch::Guard guard(host.turns(), *run);
                run->enter(work->call, CallState::Idle);
                if (run->may_go_on()) return run->launch(work);
                run->remove_active(work->call);
                run->after_turn();
            });
        // Its turn comes when the answer that another run works out is there.
        if (!may_go) return enter(call, CallState::InLine);
    }
    if (is_slow && work->options.costs_at_most.is_said()) return reserve(work);
    announce(work);
}

void Resident::announce(const std::shared_ptr<Work>& work) {
    Call& call = work->call;
    // The run has died before: which step it is in is on disk before the step begins, so that a crash loop
    // can be named. So is one that is undone even if nobody knows whether it happened.
    const bool may_have_happened =
        work->undo && work->undo->of_begun && !call.entry.first_started_at;
    if (!work->has_slow_part || (recoveries_ == 0 && !may_have_happened)) return launch_now(work);
    if (!call.entry.first_started_at) call.entry.first_started_at = services_.now();
    store::Record record;
    record.lease = lease_;
    record.stage = open_stage_of(call, StageStatus::Running);
    record.touch_run = true;
    enter(call, CallState::Announcing);
    services_.writer.push(
        std::move(record), [&host = host_, lease = lease_, work](store::Verb& verb) {
            Resident* run = host.find(lease);
            if (run == nullptr || !run->still_ours(std::get<store::Record>(verb).outcome)) return;
            if (work->call.loop.state != CallState::Announcing) return;  // decided without it
            run->enter(work->call, CallState::Idle);
            if (run->may_go_on()) return run->launch_now(work);
            run->remove_active(work->call);
            run->after_turn();
        });
}

void Resident::launch_now(const std::shared_ptr<Work>& work) {
    if (!work->may_be_abandoned) ++frame_users_;
    enter(work->call, CallState::UnderWay);
    host_.steps().launch(lease_, work, recoveries_ > 0);
}

void Resident::step_recorded(const std::shared_ptr<Work>& work, store::Record& record) {
    if (!work->may_be_abandoned) --frame_users_;
    if (auto* body = std::get_if<store::BodyFailed>(&record.outcome)) {
        // What the slow part found is kept: only the commit part is tried again.
        work->loop.slow_part_done = true;
        return failed(call_of(work), body->error);
    }
    end_recorded(call_of(work), record);
}

void Resident::attempt_failed(const std::shared_ptr<Work>& work, const std::exception_ptr& error) {
    if (!work->may_be_abandoned) --frame_users_;
    failed(call_of(work), error);
}

void Resident::end_recorded(const std::shared_ptr<Call>& call, store::Record& record) {
    if (!still_ours(record.outcome)) return;
    if (record.stage.status == StageStatus::Succeeded) ++services_.counters.steps_succeeded;
    if (record.clear_recoveries) made_progress();
    const bool has_lost = call->loop.state == CallState::Losing;
    remove_active(*call);
    if (has_lost) return loser_ended(*call);
    ContextAccess::saw(*call->context, *record.stage.finished_at);
    if (record.stage.status == StageStatus::Failed) {
        call->loop.error = failure_of(record.stage);
        has_failed(call->name, call->path);
    }
    note_started(*call);
    if (!may_go_on()) return after_turn();
    answered(call);
}

void Resident::answered(const std::shared_ptr<Call>& call) {
    if (undoing_) return undo_ended(*call);
    if (!call->loop.is_branch) return resume(call->loop.waiter);
    base::failpoint("loop.resume");
    ended_branches_.push_back(call);
    after_turn();
}

void Resident::made_progress() {
    const bool was_suspect = is_suspect();
    recoveries_ = charges_ = 0;
    if (was_suspect) host_.is_no_suspect(*this);
}

void Resident::failed(const std::shared_ptr<Call>& call, const std::exception_ptr& error) {
    ++services_.counters.attempts_failed;
    if (call->loop.state == CallState::Losing) {
        remove_active(*call);
        return loser_ended(*call);
    }
    // A child that cannot be started fails as well, without an attempt of its own.
    const Work* work = call->work();
    const RetryPolicy& retry = work ? work->options.retry : kRetryOfChild;
    const AttemptFailure why = read_attempt_failure(error, retry);
    const Time now = services_.now();
    belay::detail::HistoryEntry& entry = call->entry;
    const int attempt = entry.attempt - entry.attempts_before;
    const int attempts_max = std::min(retry.attempts_max, base::kAttemptsMax);
    // A run that is put back or paused goes on some day, and its step with it.
    const bool goes_on = may_go_on() || stop_ == Stop::Released || stop_ == Stop::Paused ||
                         stop_ == Stop::OverBudget;
    const bool again = (why.of_machine || (why.retryable && attempt < attempts_max)) && goes_on;
    if (again) ++services_.counters.attempts_retried;
    // What is not tried again has no "of three"; after a retry of the run the numbers go on, and so does how many there may be.
    const std::string which =
        why.retryable || why.of_machine
            ? fmt::format("{} of {}", entry.attempt, entry.attempts_before + attempts_max)
            : fmt::format("{}, not to be tried again", entry.attempt);
    services_.log(again ? LogLevel::Warning : LogLevel::Failure, "attempt_failed",
                  fmt::format("step `{}` of run `{}`, attempt {}: {}", call->name, shared_->id,
                              which, shown(why.message)),
                  engine::about(*call));
    model::Stage stage = open_stage_of(*call, again ? StageStatus::Retrying : StageStatus::Failed);
    stage.message = why.message;
    stage.error_code = why.code;
    // What it waited for a thread is not the attempt's.
    const Time began =
        work ? std::max(work->loop.started_at, work->gate.begun().value_or(Time{})) : now;
    std::vector<model::Attempt> attempts{
        {call->path, entry.attempt, began, now, why.code, why.message, services_.worker}};
    if (why.of_machine) {
        attempts.clear();
        --stage.attempt;  // the next one has its number
    }
    // A step that was asked to stop may have failed for that alone: that attempt does not count, and is made
    // again when the run goes on. A canceled run's step is canceled, too.
    const bool was_interrupted = goes_on && !may_go_on() && stop_ != Stop::OverBudget && work &&
                                 work->wants_stop_token && why.retryable;
    const store::Record::Settles settles =
        work ? settles_of(*work) : store::Record::Settles::Nothing;
    if (stop_ == Stop::Canceled || stop_ == Stop::Left || was_interrupted) {
        stage.status = was_interrupted ? StageStatus::Running : StageStatus::Canceled;
        if (!was_interrupted) stage.finished_at = now;
        note(std::move(stage), std::move(attempts), false, settles);
        remove_active(*call);
        return after_turn();
    }
    if (!again) {
        stage.finished_at = now;
        store::Record record;
        record.lease = lease_;
        record.stage = std::move(stage);
        record.attempts = std::move(attempts);
        record.clear_recoveries = recoveries_ > 0;
        record.settles = settles;
        services_.writer.push(std::move(record),
                              [&host = host_, lease = lease_, call](store::Verb& verb) {
                                  if (Resident* run = host.find(lease))
                                      run->end_recorded(call, std::get<store::Record>(verb));
                              });
        return;
    }
    const Duration delay =
        why.of_machine ? delay_of_shortage(now - entry.first_started_at.value_or(now))
                       : why.retry_after.value_or(delay_after(
                             attempt, retry,
                             static_cast<double>(services_.world.random.next() >> 11) * 0x1p-53));
    stage.next_attempt_at = now + delay;
    note(std::move(stage), std::move(attempts), false, settles);
    if (!may_go_on()) {
        remove_active(*call);
        return after_turn();
    }
    if (!why.of_machine) ++entry.attempt;
    pause_until(call, now + delay, true);
    consider_waiting();
}

}  // namespace belay::engine
