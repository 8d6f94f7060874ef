// resident_steps.cpp — the steps of a run: begun, recorded, failed, tried again.
#include <algorithm>

#include <fmt/format.h>

#include "core/base/failpoint.hpp"
#include "core/base/limits.hpp"
#include "core/base/saturate.hpp"
#include "core/engine/expected.hpp"
#include "core/engine/failure.hpp"
#include "core/engine/resident.hpp"
#include "core/engine/writer.hpp"

namespace belay::engine {

using belay::detail::CallKind;
using belay::detail::ContextAccess;

void Resident::add_active(const std::shared_ptr<StepCall>& call) {
    call->slot = active_.size();
    active_.push_back(call);
}

void Resident::remove_active(StepCall& call) {
    if (call.kind == CallKind::Receive) services_.expected.remove(call);
    active_[call.slot] = std::move(active_.back());
    active_[call.slot]->slot = call.slot;
    active_.pop_back();
}

void Resident::start(std::shared_ptr<StepCall> call, std::coroutine_handle<> waiter) {
    call->waiter = waiter;
    add_active(call);
    const Time now = services_.now();
    if (call->kind == CallKind::Sleep) {
        const bool noted = call->sleep_until.has_value() && call->first_started_at.has_value();
        const Time until =
            std::min(call->sleep_until.value_or(base::later(now, call->sleep_for)), base::kTimeMax);
        if (!call->first_started_at) call->first_started_at = now;
        return pause_until(call, until, noted);
    }
    if (call->awaited && call->awaited->is_recorded) {
        wait_for(call);
        recorded_.push_back(call);
        return pause_until(call, model::kNever, true);
    }
    if (call->awaited) return ask(std::move(call));
    if (call->sleep_until && *call->sleep_until > now)
        return pause_until(call, *call->sleep_until, true);
    launch(std::move(call));
}

void Resident::launch(std::shared_ptr<StepCall> call) {
    const bool asks_cache = call->cache && call->has_slow_part && !call->slow_part_done;
    if (asks_cache) {
        const bool may_go =
            host_.steps().cache().take_off(*call, [&host = host_, lease = lease_, call] {
                Resident* run = host.find(lease);
                if (run == nullptr || call->given_up) return;
                const TurnWatch::Guard guard(host.turns(), *run);
                call->is_launching = false;
                if (run->may_go_on()) return run->launch(call);
                run->remove_active(*call);
                run->after_turn();
            });
        // Its turn comes when the answer that another run works out is there.
        if (!may_go) {
            call->is_launching = true;
            return;
        }
    }
    call->clear_recoveries = recoveries_ > 0;
    if (recoveries_ == 0 || !call->has_slow_part) return launch_now(std::move(call));
    // The run has died before: which step it is in is on disk before the step begins, so that a crash loop
    // can be named.
    if (!call->first_started_at) call->first_started_at = services_.now();
    store::Record record;
    record.lease = lease_;
    record.stage = stage_of(*call, StageStatus::Running);
    record.touch_run = true;
    call->is_launching = true;
    services_.writer.push(
        std::move(record), [&host = host_, lease = lease_, call](store::Verb& verb) {
            Resident* run = host.find(lease);
            if (run == nullptr || !run->still_ours(std::get<store::Record>(verb).outcome)) return;
            call->is_launching = false;
            if (call->given_up) return;  // its fan was decided without it
            if (run->may_go_on()) return run->launch_now(call);
            run->remove_active(*call);
            run->after_turn();
        });
}

void Resident::launch_now(std::shared_ptr<StepCall> call) {
    if (!call->may_be_abandoned) ++frame_users_;
    host_.steps().launch(lease_, std::move(call));
}

void Resident::step_recorded(const std::shared_ptr<StepCall>& call, store::Record& record) {
    if (!call->may_be_abandoned) --frame_users_;
    if (auto* body = std::get_if<store::BodyFailed>(&record.outcome)) {
        // What the slow part found is kept: only the commit part is tried again.
        call->slow_part_done = true;
        return failed(call, body->error);
    }
    end_recorded(call, record);
}

void Resident::attempt_failed(const std::shared_ptr<StepCall>& call,
                              const std::exception_ptr& error) {
    if (!call->may_be_abandoned) --frame_users_;
    failed(call, error);
}

void Resident::end_recorded(const std::shared_ptr<StepCall>& call, store::Record& record) {
    if (!still_ours(record.outcome)) return;
    if (record.stage.status == StageStatus::Succeeded) ++services_.counters.steps_succeeded;
    if (record.clear_recoveries) made_progress();
    remove_active(*call);
    if (call->is_loser) return loser_ended(*call);
    ContextAccess::saw(*call->context, *record.stage.finished_at);
    if (record.stage.status == StageStatus::Failed) {
        call->error = failure_of(record.stage);
        has_failed(call->name, call->path);
    }
    if (!may_go_on()) return after_turn();
    answered(call);
}

void Resident::answered(const std::shared_ptr<StepCall>& call) {
    if (!call->is_branch) return resume(call->waiter);
    base::failpoint("loop.resume");
    ended_branches_.push_back(call);
    after_turn();
}

void Resident::made_progress() {
    const bool was_suspect = is_suspect();
    recoveries_ = charges_ = 0;
    if (was_suspect) host_.is_no_suspect(*this);
}

void Resident::failed(const std::shared_ptr<StepCall>& call, const std::exception_ptr& error) {
    ++services_.counters.attempts_failed;
    if (call->is_loser) {
        remove_active(*call);
        return loser_ended(*call);
    }
    const AttemptFailure why = read_attempt_failure(error, call->options.retry);
    const Time now = services_.now();
    const int attempt = call->attempt - call->attempts_before;
    const int attempts_max = std::min(call->options.retry.attempts_max, base::kAttemptsMax);
    // A run that is put back or paused goes on some day, and its step with it.
    const bool goes_on = may_go_on() || stop_ == Stop::Released || stop_ == Stop::Paused;
    const bool again = (why.of_machine || (why.retryable && attempt < attempts_max)) && goes_on;
    if (again) ++services_.counters.attempts_retried;
    services_.log(
        again ? LogLevel::Warning : LogLevel::Failure, "attempt_failed",
        fmt::format("step `{}` of run `{}`, attempt {} of {}: {}", call->name, shared_->id,
                    call->attempt, call->options.retry.attempts_max, shown(why.message)),
        engine::about(*call));
    model::Stage stage = stage_of(*call, again ? StageStatus::Retrying : StageStatus::Failed);
    stage.message = why.message;
    stage.error_code = why.code;
    // What it waited for a thread is not the attempt's.
    const Time began = std::max(call->started_at, Time{Duration{call->begun_at.load()}});
    std::vector<model::Attempt> attempts{{call->path, call->attempt, began, now, why.code,
                                          why.message, services_.worker}};
    if (why.of_machine) {
        attempts.clear();
        --stage.attempt;  // the next one has its number
    }
    // A step that was asked to stop may have failed for that alone: that attempt does not count, and is made
    // again when the run goes on. A canceled run's step is canceled, too.
    const bool was_interrupted = goes_on && !may_go_on() && call->wants_stop_token && why.retryable;
    if (stop_ == Stop::Canceled || was_interrupted) {
        stage.status = was_interrupted ? StageStatus::Running : StageStatus::Canceled;
        if (!was_interrupted) stage.finished_at = now;
        note(std::move(stage), std::move(attempts));
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
        services_.writer.push(std::move(record),
                              [&host = host_, lease = lease_, call](store::Verb& verb) {
                                  if (Resident* run = host.find(lease))
                                      run->end_recorded(call, std::get<store::Record>(verb));
                              });
        return;
    }
    const Duration delay =
        why.of_machine ? delay_of_shortage(now - call->first_started_at.value_or(now))
                       : why.retry_after.value_or(delay_after(
                             attempt, call->options.retry,
                             static_cast<double>(services_.world.random.next() >> 11) * 0x1p-53));
    stage.next_attempt_at = now + delay;
    note(std::move(stage), std::move(attempts));
    if (!may_go_on()) {
        remove_active(*call);
        return after_turn();
    }
    if (!why.of_machine) ++call->attempt;
    pause_until(call, now + delay, true);
    consider_waiting();
}

}  // namespace belay::engine
