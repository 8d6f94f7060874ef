#include "engine/resident.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "base/failpoint.hpp"
#include "base/hash.hpp"
#include "base/limits.hpp"
#include "engine/failure.hpp"
#include "engine/bodies.hpp"
#include "engine/writer.hpp"

namespace belay::engine {

using belay::detail::Begin;
using belay::detail::CallKind;
using belay::detail::ContextAccess;

namespace {

constexpr int kHookAttemptsMax = 5;
constexpr Duration kHookRetry{200};

std::string_view word_of(CallKind kind) {
    switch (kind) {
        case CallKind::Step: return "step";
        case CallKind::Transaction: return "transaction";
        case CallKind::Sleep: return "sleep";
        case CallKind::Scope: return "scope";
    }
    return "step";
}

}  // namespace

Resident::Resident(Services& services, ResidentHost& host, const belay::detail::Workflow& workflow,
                   const model::Run& run, std::vector<model::Stage> history)
    : services_(services), host_(host), workflow_(workflow), lease_{run.no, run.epoch},
      shared_(std::make_shared<belay::detail::RunShared>(run.id, run.organization_id)), input_(run.input),
      context_(*this, "", run.started_at.value_or(run.created_at)), seed_(base::hash64(run.id)),
      recoveries_(run.recoveries), attempts_(run.attempts) {
    if (workflow.options.on_end) {
        told_ = std::make_unique<model::Run>(run);
    }
    if (!history.empty()) {
        for (const model::Stage& stage : history) positions_ = std::max(positions_, stage.position);
        history_ = std::make_unique<History>(std::move(history));
    }
    if (run.cancel_requested) stop(Stop::Canceled, "canceled on request");
    if (run.pause_requested) stop(Stop::Paused, "paused on request");
}

Resident::~Resident() {
    for (const auto& call : active_) host_.steps().is_over(*call);
}

void Resident::go() {
    if (!may_go_on()) return after_turn();
    try {
        invocation_ = workflow_.call(context_, input_);
    } catch (...) {
        model::Failure failure = read_run_failure(std::current_exception());
        failure.message =
            fmt::format("the input of this run does not fit workflow {}: {}", workflow_.key, failure.message);
        return push_end(RunStatus::Failed, std::nullopt, std::move(failure));
    }
    std::string().swap(input_);
    invocation_->resume();
    after_turn();
}

void Resident::nudge() {
    after_turn();
}

void Resident::resume(std::coroutine_handle<> waiter) {
    base::failpoint("loop.resume");
    waiter.resume();
    after_turn();
}

void Resident::after_turn() {
    if (state_ != State::Live) return;
    if (history_ && history_->empty()) history_.reset();
    if (stop_ != Stop::None) return give_up();
    if (invocation_->done()) return finish();
    consider_waiting();
}

// ---- the end

void Resident::finish() {
    base::failpoint("end.before");
    std::string result;
    try {
        result = invocation_->take();
        if (result.size() > base::kPayloadBytesMax) {
            throw Error(ErrorCode::PayloadTooLarge,
                        fmt::format("the workflow returned {} bytes of JSON; a run's result takes at most {}",
                                    result.size(), base::kPayloadBytesMax));
        }
    } catch (...) {
        model::Failure failure = read_run_failure(std::current_exception());
        if (has_diverged_at_end()) return give_up();
        // Code that catches a step's failure and throws one of its own instead: the step is at fault.
        if (failure.path.empty() && failed_) std::tie(failure.stage, failure.path) = *failed_;
        return push_end(RunStatus::Failed, std::nullopt, std::move(failure));
    }
    if (has_diverged_at_end()) return give_up();
    push_end(RunStatus::Succeeded, std::move(result), std::nullopt);
}

bool Resident::has_diverged_at_end(std::string_view inside) {
    const model::Stage* left = history_ ? history_->first_left(inside) : nullptr;
    if (left == nullptr) return false;
    diverge(fmt::format("the code {}, but the history goes on with {} `{}` at position {}: the code has changed "
                        "under this run. Put the old way back behind ctx.patch(\"…\"), then resume the run.",
                        inside.empty() ? "ended" : "left the scope", model::to_string(left->kind),
                        left->stage_key, left->path),
            left->stage_key, left->path, ErrorCode::Nondeterminism);
    return true;
}

void Resident::push_end(RunStatus status, std::optional<std::string> result,
                        std::optional<model::Failure> failure) {
    state_ = State::Ending;
    store::End end;
    end.lease = lease_;
    end.status = status;
    end.despite_cancel = hook_failures_ >= kHookAttemptsMax;
    end.current_stage = last_stage_;
    end.result = std::move(result);
    end.failure = std::move(failure);
    end.progress = take_progress(*shared_);
    if (told_ && status != RunStatus::Paused) {
        told_->status = status;
        told_->result = end.result;
        told_->failure = end.failure;
        end.on_end = services_.bodies.on_end(*told_);
    }
    services_.writer.push(std::move(end), [&host = host_, lease = lease_](store::Verb& verb) {
        if (Resident* run = host.find(lease)) run->end_committed(std::get<store::End>(verb));
    });
}

void Resident::end_committed(store::End& end) {
    if (std::holds_alternative<store::Applied>(end.outcome)) return host_.has_ended(*this, end);
    if (auto* failed = std::get_if<store::BodyFailed>(&end.outcome)) {
        const model::Failure why = read_run_failure(failed->error);
        services_.log(LogLevel::Failure, "hook_failed",
                      fmt::format("on_end of run `{}` failed: {}", shared_->id, why.message));
        if (++hook_failures_ < kHookAttemptsMax) {
            host_.timers().at(services_.now() + kHookRetry * hook_failures_,
                              [&host = host_, lease = lease_, status = end.status, result = end.result,
                               failure = end.failure] {
                                  if (Resident* run = host.find(lease)) run->push_end(status, result, failure);
                              });
            return;
        }
        model::Failure failure = why;
        failure.message = fmt::format(
            "the run ended as {}, but its on_end hook failed {} times, so its end is not recorded: {}. "
            "Put the hook right, then resume the run.",
            to_string(end.status), kHookAttemptsMax, why.message);
        return push_end(RunStatus::Paused, std::nullopt, std::move(failure));
    }
    if (const auto* refused = std::get_if<store::Refused>(&end.outcome)) {
        // A cancel came before the pause; the replay finds it.
        services_.log(LogLevel::Warning, "transition_refused",
                      fmt::format("run `{}`: {}", shared_->id, refused->why));
        ++services_.counters.transitions_refused;
        return host_.is_lost(*this, true);
    }
    still_ours(end.outcome);
}

void Resident::take_back_pause() {
    if (stop_ != Stop::Paused || state_ != State::Live) return;
    stop_ = Stop::None;
    stop_failure_.reset();
}

void Resident::stop(Stop why, std::string reason) {
    if (stop_ != Stop::None || state_ == State::Ending) return;
    stop_ = why;
    if (why == Stop::Canceled) {
        stop_with({std::string(to_string(ErrorCode::RunCanceled)), std::move(reason), "", ""});
    } else {
        stop_with({std::string(to_string(ErrorCode::RunPaused)), std::move(reason), "", ""});
    }
    for (const auto& call : active_) call->stop.request_stop();
}

// Records why the run stops. Calls under way are waited for first: their records are worth having, and
// one may refer to the coroutine's frame.
void Resident::give_up() {
    const std::size_t under_way = active_.size() - paused_;
    if (under_way > 0 && stop_ != Stop::Diverged) return;
    if (frame_users_ > 0) return;
    switch (stop_) {
        case Stop::Canceled: return push_end(RunStatus::Canceled, std::nullopt, *stop_failure_);
        case Stop::Paused:
        case Stop::Diverged: return push_end(RunStatus::Paused, std::nullopt, *stop_failure_);
        case Stop::Released: {
            state_ = State::Ending;
            services_.writer.push(store::Release{lease_, {}},
                                  [&host = host_, lease = lease_](store::Verb&) {
                                      if (Resident* run = host.find(lease)) host.is_lost(*run, false);
                                  });
            return;
        }
        case Stop::None: return;
    }
}

bool Resident::still_ours(const store::WriteOutcome& outcome) {
    if (std::holds_alternative<store::Applied>(outcome)) return true;
    if (std::holds_alternative<store::Lost>(outcome)) {
        host_.is_lost(*this, true);
        return false;
    }
    if (std::holds_alternative<store::Fenced>(outcome)) {
        ++services_.counters.writes_fenced;
        services_.log(LogLevel::Warning, "write_fenced",
                      fmt::format("run `{}` was taken over at a newer epoch; what was known of it here was "
                                  "dropped.",
                                  shared_->id));
        // By another worker, or by our own Reclaim whose commit nobody was told of: then it is still ours.
        host_.is_lost(*this, true);
        return false;
    }
    if (const auto* refused = std::get_if<store::Refused>(&outcome)) {
        ++services_.counters.transitions_refused;
        services_.log(LogLevel::Warning, "transition_refused",
                      fmt::format("run `{}`: {}", shared_->id, refused->why));
        // Another replay would come to the same point: a person has to look.
        if (stop_ == Stop::None) diverge(refused->why, last_stage_, "", ErrorCode::Nondeterminism);
        after_turn();
    }
    return false;
}

void Resident::drop() {
    for (const auto& call : active_) {
        call->given_up = true;
        call->stop.request_stop();
    }
    if (frame_users_ == 0) invocation_.reset();
}

// ---- replay

Begin Resident::begin(StepCall& call) {
    if (!may_go_on()) return Begin::Stop;
    call.path = ContextAccess::next_path(*call.context);
    call.run_shared = shared_;
    if (call.name.empty() || call.name.size() > base::kStepNameCharsMax) {
        // Thrown where it is awaited, and not as a failure of the step: an optional one must not hide it.
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("a step's name has 1 to {} characters; this one, at position {}, has {}",
                                base::kStepNameCharsMax, call.path, call.name.size()));
    }
    last_stage_ = call.name;
    failed_.reset();
    const model::Stage* record = history_ ? history_->take(call.path) : nullptr;
    if (record != nullptr) return answer(call, *record);
    if (positions_ >= static_cast<std::int64_t>(base::kHistoryRecordsMax)) {
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("a run's history has at most {} records; split this workflow into several runs",
                                base::kHistoryRecordsMax));
    }
    call.position = ++positions_;
    call.first_started_at.reset();
    if (call.kind == CallKind::Scope) {
        call.first_started_at = services_.now();
        note(stage_of(call, StageStatus::Running));
    }
    return Begin::Start;
}

Begin Resident::answer(StepCall& call, const model::Stage& record) {
    if (record.stage_key != call.name || model::to_string(record.kind) != word_of(call.kind)) {
        diverge(fmt::format("at position {} the history has {} `{}`, but the code asked for {} `{}`: the code "
                            "has changed under this run. Put the old way back behind ctx.patch(\"…\"), then "
                            "resume the run.",
                            call.path, model::to_string(record.kind), record.stage_key, word_of(call.kind),
                            call.name),
                call.name, call.path, ErrorCode::Nondeterminism);
        return Begin::Stop;
    }
    call.position = record.position;
    call.attempt = static_cast<int>(record.attempt);
    call.first_started_at = record.started_at;
    switch (record.status) {
        case StageStatus::Succeeded:
            try {
                call.accept(record.output.value_or("null"));
            } catch (const std::exception& error) {
                diverge(fmt::format("the record of {} `{}` at position {} does not fit the type that the code "
                                    "wants now: {}",
                                    word_of(call.kind), call.name, call.path, error.what()),
                        call.name, call.path, ErrorCode::BadValue);
                return Begin::Stop;
            }
            if (call.kind == CallKind::Scope) history_->skip_inside(call.path);
            if (record.finished_at) ContextAccess::saw(*call.context, *record.finished_at);
            ++services_.counters.steps_replayed;
            return Begin::Recorded;
        case StageStatus::Failed:
            // A scope's failure is what its code threw: its code is asked again.
            if (call.kind == CallKind::Scope) {
                call.failure_recorded = true;
                return Begin::Start;
            }
            if (record.finished_at) ContextAccess::saw(*call.context, *record.finished_at);
            call.error = failure_of(record);
            has_failed(call.name, call.path);
            ++services_.counters.steps_replayed;
            return Begin::Recorded;
        case StageStatus::Retrying:
            call.attempt = static_cast<int>(record.attempt) + 1;
            call.sleep_until = record.next_attempt_at;
            return Begin::Start;
        case StageStatus::Running:
            if (call.kind == CallKind::Sleep && record.next_attempt_at) {
                call.sleep_until = record.next_attempt_at;
            }
            return Begin::Start;
        case StageStatus::Queued:
            // Opened again by a retry of the run: a sleep begins anew, a step gets all its attempts again.
            if (call.kind == CallKind::Sleep) call.first_started_at.reset();
            if (!record.error_code.empty()) {
                call.attempts_before = static_cast<int>(record.attempt);
                ++call.attempt;
            }
            return Begin::Start;
        case StageStatus::Skipped:
        case StageStatus::Canceled: return Begin::Start;
    }
    return Begin::Start;
}

void Resident::diverge(std::string message, std::string_view stage, std::string_view path, ErrorCode code) {
    stop_ = Stop::Diverged;
    stop_with({std::string(to_string(code)), std::move(message), std::string(stage), std::string(path)});
}

void Resident::stop_with(model::Failure why) {
    stop_failure_ = std::make_unique<model::Failure>(std::move(why));
}

void Resident::has_failed(std::string_view stage, std::string_view path) {
    failed_ = std::make_unique<std::pair<std::string, std::string>>(stage, path);
}

bool Resident::patch(Context& context, std::string_view name) {
    if (name.empty() || name.size() > base::kStepNameCharsMax) {
        throw Error(ErrorCode::InvalidArgument,
                    fmt::format("a patch's name has 1 to {} characters; this one has {}",
                                base::kStepNameCharsMax, name.size()));
    }
    std::string path = fmt::format("patch:{}", name);
    if (!patched_) patched_ = std::make_unique<std::map<std::string, bool, std::less<>>>();
    if (const auto said = patched_->find(path); said != patched_->end()) return said->second;
    const bool is_marked = history_ && history_->has(path);
    const bool has_passed = history_ && !is_marked && history_->has(ContextAccess::peek_path(context));
    // Once said, it holds for the rest of the run: a loop must not change its way in the middle, because
    // the replay would then change it from the start.
    patched_->emplace(path, !has_passed);
    if (has_passed || is_marked) return !has_passed;
    model::Stage marker;
    marker.path = path;
    marker.stage_key = name;
    marker.kind = model::StageKind::Patch;
    marker.status = StageStatus::Succeeded;
    marker.position = ++positions_;
    marker.started_at = marker.finished_at = services_.now();
    marker.output = "true";
    note(std::move(marker));
    return true;
}

void Resident::scope_succeeded(StepCall& call) {
    if (has_diverged_at_end(call.path + ".")) return;
    if (call.output.size() > base::kPayloadBytesMax) {
        const Error error(ErrorCode::PayloadTooLarge,
                          fmt::format("scope `{}` returned {} bytes of JSON; a checkpoint takes at most {}",
                                      call.name, call.output.size(), base::kPayloadBytesMax));
        scope_failed(call, std::make_exception_ptr(error));
        throw error;
    }
    if (call.failure_recorded) {
        return diverge(fmt::format("at position {} the history has scope `{}` as failed, but the code went through "
                                   "it: the code has changed under this run. Put the old way back behind "
                                   "ctx.patch(\"…\"), then resume the run.",
                                   call.path, call.name),
                       call.name, call.path, ErrorCode::Nondeterminism);
    }
    model::Stage stage = stage_of(call, StageStatus::Succeeded);
    stage.finished_at = services_.now();
    // A replay takes the time from the record of the scope, so the first time must as well.
    ContextAccess::saw(*call.context, *stage.finished_at);
    stage.output = call.output;
    // Derived from what is inside, so nobody waits for it: if it is lost, the replay makes it again.
    note(std::move(stage));
}

void Resident::scope_failed(StepCall& call, std::exception_ptr error) {
    if (call.failure_recorded) return;
    const model::Failure why = read_run_failure(error);
    model::Stage stage = stage_of(call, StageStatus::Failed);
    stage.finished_at = services_.now();
    stage.message = why.message;
    stage.error_code = why.code;
    note(std::move(stage));
}

void Resident::note(model::Stage stage, std::vector<model::Attempt> attempts, bool is_progress) {
    store::Record record;
    record.lease = lease_;
    record.stage = std::move(stage);
    record.attempts = std::move(attempts);
    record.clear_recoveries = is_progress && recoveries_ > 0;
    services_.writer.push(std::move(record), [&host = host_, lease = lease_](store::Verb& verb) {
        // What rides along is part of the history all the same: without it the run cannot go on.
        const auto& written = std::get<store::Record>(verb);
        const bool applied = std::holds_alternative<store::Applied>(written.outcome);
        if (applied && !written.clear_recoveries) return;
        Resident* run = host.find(lease);
        if (run == nullptr) return;
        if (applied) return run->made_progress();
        run->still_ours(written.outcome);
    });
}

// ---- steps

void Resident::add_active(const std::shared_ptr<StepCall>& call) {
    call->slot = active_.size();
    active_.push_back(call);
}

void Resident::remove_active(StepCall& call) {
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
        const Time until = call->sleep_until.value_or(now + call->sleep_for);
        if (!call->first_started_at) call->first_started_at = now;
        return pause_until(call, until, noted);
    }
    if (call->sleep_until && *call->sleep_until > now) return pause_until(call, *call->sleep_until, true);
    launch(std::move(call));
}

void Resident::launch(std::shared_ptr<StepCall> call) {
    call->clear_recoveries = recoveries_ > 0;
    if (recoveries_ == 0 || !call->has_slow_part) return launch_now(std::move(call));
    // The run has died before: which step it is in is on disk before the step begins, so that a crash loop
    // can be named.
    if (!call->first_started_at) call->first_started_at = services_.now();
    store::Record record;
    record.lease = lease_;
    record.stage = stage_of(*call, StageStatus::Running);
    record.touch_run = true;
    services_.writer.push(std::move(record), [&host = host_, lease = lease_, call](store::Verb& verb) {
        Resident* run = host.find(lease);
        if (run == nullptr || !run->still_ours(std::get<store::Record>(verb).outcome)) return;
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

void Resident::attempt_failed(const std::shared_ptr<StepCall>& call, const std::exception_ptr& error) {
    if (!call->may_be_abandoned) --frame_users_;
    failed(call, error);
}

void Resident::end_recorded(const std::shared_ptr<StepCall>& call, store::Record& record) {
    if (!still_ours(record.outcome)) return;
    if (record.clear_recoveries) made_progress();
    remove_active(*call);
    ContextAccess::saw(*call->context, *record.stage.finished_at);
    if (record.stage.status == StageStatus::Failed) {
        call->error = failure_of(record.stage);
        has_failed(call->name, call->path);
    }
    if (!may_go_on()) return after_turn();
    resume(call->waiter);
}

void Resident::made_progress() {
    const bool was_suspect = is_suspect();
    recoveries_ = 0;
    if (was_suspect) host_.is_no_suspect(*this);
}

void Resident::failed(const std::shared_ptr<StepCall>& call, const std::exception_ptr& error) {
    ++services_.counters.attempts_failed;
    const AttemptFailure why = read_attempt_failure(error, call->options.retry);
    const Time now = services_.now();
    const int attempt = call->attempt - call->attempts_before;
    const int attempts_max = std::min(call->options.retry.attempts_max, base::kAttemptsMax);
    // A run that is put back or paused goes on some day, and its step with it.
    const bool goes_on = may_go_on() || stop_ == Stop::Released || stop_ == Stop::Paused;
    const bool again = why.retryable && attempt < attempts_max && goes_on;
    services_.log(again ? LogLevel::Warning : LogLevel::Failure, "attempt_failed",
                  fmt::format("step `{}` of run `{}`, attempt {} of {}: {}", call->name, shared_->id,
                              call->attempt, call->options.retry.attempts_max, why.message));
    model::Stage stage = stage_of(*call, again ? StageStatus::Retrying : StageStatus::Failed);
    stage.message = why.message;
    stage.error_code = why.code;
    std::vector<model::Attempt> attempts{{call->path, call->attempt, call->started_at, now, why.code,
                                          why.message, services_.worker}};
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
        services_.writer.push(std::move(record), [&host = host_, lease = lease_, call](store::Verb& verb) {
            if (Resident* run = host.find(lease)) run->end_recorded(call, std::get<store::Record>(verb));
        });
        return;
    }
    const Duration delay =
        why.retry_after.value_or(delay_after(attempt, call->options.retry,
                                             static_cast<double>(services_.world.random.next() >> 11) * 0x1p-53));
    stage.next_attempt_at = now + delay;
    note(std::move(stage), std::move(attempts));
    if (!may_go_on()) {
        remove_active(*call);
        return after_turn();
    }
    ++call->attempt;
    pause_until(call, now + delay, true);
    consider_waiting();
}

}  // namespace belay::engine
