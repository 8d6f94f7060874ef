// resident.cpp — the life of a run in memory: called, resumed, stopped, dropped.
#include "core/engine/resident.hpp"
#include "core/engine/expected.hpp"

#include <tuple>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/base/failpoint.hpp"
#include "core/base/hash.hpp"
#include "core/base/limits.hpp"
#include "core/base/text.hpp"
#include "core/engine/epilogue.hpp"
#include "core/engine/failure.hpp"
#include "core/engine/feed.hpp"
#include "core/engine/input.hpp"
#include "core/engine/outside.hpp"
#include "core/engine/sayings.hpp"
#include "core/engine/undoing.hpp"
#include "core/engine/writer.hpp"

namespace belay::engine {

Resident::Resident(Services& services, ResidentHost& host, const belay::detail::Workflow& workflow,
                   const model::Run& run, std::vector<model::Stage> history,
                   std::optional<model::UndoPlan> undo_to)
    : services_(services), host_(host), workflow_(workflow), lease_{run.no, run.epoch},
      shared_(std::make_shared<belay::detail::RunShared>(
          run.id, run.organization_id, workflow.key, model::name_of_history(run), services.feed)),
      input_(std::make_unique<const std::string>(run.continued_input.value_or(run.input))),
      replay_(std::move(history)), context_(*this, "", run.started_at.value_or(run.created_at)),
      seed_(base::hash64(model::seed_name(run))), recoveries_(run.recoveries),
      charges_(run.charges), signals_(run.signals),
      deadline_(run.deadline_at ? std::make_unique<Deadline>(Deadline{*run.deadline_at, {}})
                                : nullptr),
      undo_(run.undo) {
    if (run.undo_plan) {
        undoing_ = std::make_unique<Undoing>();
        undoing_->plan = model::read_undo_plan(*run.undo_plan);
        undoing_->is_committed = true;
    } else if (undo_to && run.undo != model::UndoState::Left) {
        undoing_ = std::make_unique<Undoing>();
        undoing_->plan = std::move(*undo_to);
    }
    if (undoing_) deadline_.reset();
    if (workflow.options.on_end) {
        told_ = std::make_unique<model::Run>(run);
    }
    is_unadmitted_ =
        run.source_channel.starts_with(kUnadmitted) && !run.continued_input && !undoing_;
    heed(run);
    arm_deadline();
}

Resident::~Resident() {
    if (deadline_ && deadline_->timer) host_.timers().cancel(*deadline_->timer);
    // The timeout of an attempt that is under way is still counted: its thread may be stuck for good.
    for (const auto& call : active_) {
        if (call->loop.state == CallState::Paused) host_.steps().is_over(*call);
        if (call->kind == belay::detail::CallKind::Receive) services_.expected.remove(*call);
    }
}

void Resident::go() {
    if (!may_go_on()) return after_turn();
    if (std::exchange(is_unadmitted_, false)) {
        try {
            admit_input(workflow_, shared_->organization_id, *input_);
        } catch (...) {
            return push_end(RunStatus::Failed, std::nullopt,
                            read_run_failure(std::current_exception()));
        }
    }
    try {
        invocation_ = workflow_.call(context_, *input_);
    } catch (...) {
        model::Failure failure = read_run_failure(std::current_exception());
        failure.message = input_fault(workflow_.key, failure.message);
        if (!undoing_) return end_badly(RunStatus::Failed, std::move(failure));
        diverge(std::move(failure));
        return after_turn();
    }
    input_.reset();
    invocation_->resume();
    undoing_ ? visited() : after_turn();
}

void Resident::arm_deadline() {
    if (!deadline_) return;
    if (deadline_->timer) host_.timers().cancel(*deadline_->timer);
    deadline_->timer.reset();
    if (deadline_->at <= services_.now()) {
        return stop(Stop::Overdue,
                    fmt::format("its deadline, {}, has passed", base::format_time(deadline_->at)));
    }
    deadline_->timer = host_.timers().at(deadline_->at, [&host = host_, lease = lease_] {
        Resident* run = host.find(lease);
        if (run == nullptr) return;
        run->deadline_->timer.reset();
        run->arm_deadline();
        run->nudge();
    });
}

void Resident::nudge() { after_turn(); }

void Resident::resume(std::coroutine_handle<> waiter) {
    base::failpoint("loop.resume");
    waiter.resume();
    after_turn();
}

void Resident::after_turn() {
    if (!undoing_) tell_fans();
    if (state_ != State::Live) return;
    if (undoing_) return stop_ == Stop::None ? consider_waiting() : give_up();
    if (sayings_) say();
    replay_.trim();
    if (stop_ != Stop::None) return give_up();
    if ((continue_with_ || invocation_->done()) && has_seen_off())
        return continue_with_ ? begin_anew() : finish();
    if (state_ != State::Live) return;
    if (stop_ != Stop::None) return give_up();
    ask_recorded();
    consider_waiting();
}

bool Resident::has_seen_off() {
    if (!epilogue_) return true;
    if (!epilogue_->has_begun()) epilogue_->failed = std::move(failed_);
    try {
        if (!epilogue_->is_over(context_)) return false;
    } catch (...) {
        // It cannot wait for them: its history is full.
        end_badly(RunStatus::Failed, read_run_failure(std::current_exception()));
        return false;
    }
    failed_ = std::move(epilogue_->failed);
    return true;
}

void Resident::note_started(Call& call) {
    if (call.kind != belay::detail::CallKind::Transaction || call.loop.error) return;
    const belay::detail::StartedChild* child = call.started_child();
    if (child == nullptr) return;
    if (!epilogue_) epilogue_ = std::make_unique<Epilogue>();
    epilogue_->add(*child);
}

void Resident::finish() {
    base::failpoint("end.before");
    std::string result;
    try {
        result = invocation_->take();
        if (result.size() > base::kPayloadBytesMax) {
            throw Error(
                ErrorCode::PayloadTooLarge,
                fmt::format(
                    "the workflow returned {} bytes of JSON; a run's result takes at most {}",
                    result.size(), base::kPayloadBytesMax));
        }
    } catch (...) {
        model::Failure failure = read_run_failure(std::current_exception());
        if (has_diverged_at_end()) return give_up();
        // Code that catches a step's failure and throws one of its own instead: the step is at fault.
        if (failure.path.empty() && failed_) std::tie(failure.stage, failure.path) = *failed_;
        return end_badly(RunStatus::Failed, std::move(failure));
    }
    if (has_diverged_at_end()) return give_up();
    push_end(RunStatus::Succeeded, std::move(result), std::nullopt);
}

void Resident::diverge(model::Failure why) {
    stop_ = Stop::Diverged;
    stop_failure_ = std::make_unique<model::Failure>(std::move(why));
}

bool Resident::has_diverged_at_end(std::string_view inside) {
    auto diverged = replay_.left_over(inside);
    if (!diverged) return false;
    diverge(std::move(*diverged));
    return true;
}

void Resident::take_back_pause() {
    if (undoing_) undoing_->pause.reset();
    if (stop_ != Stop::Paused || state_ != State::Live) return;
    stop_ = Stop::None;
    stop_failure_.reset();
}

void Resident::heed(const model::Run& run) {
    undo_ = run.undo;
    const bool leaves = run.undo == model::UndoState::Left;
    if (run.cancel_requested) stop(leaves ? Stop::Left : Stop::Canceled, run.request_reason);
    if (run.pause_requested) stop(Stop::Paused, run.request_reason);
}

void Resident::stop(Stop why, std::string reason) {
    if (why == Stop::Left) undo_ = model::UndoState::Left;
    // It ends that way already, or in another that is settled.
    if (undoing_ && (why == Stop::Canceled || why == Stop::Overdue)) return;
    if (undoing_ && why == Stop::Paused && !undoing_->is_committed) {
        undoing_->pause = std::move(reason);
        return;
    }
    // Somebody who does not want it undone is heard while a cancel waits for what is under way.
    if (why == Stop::Left && stop_ == Stop::Canceled && !undoing_) stop_ = Stop::None;
    if (stop_ != Stop::None || state_ == State::Ending) return;
    stop_ = why;
    const bool is_cancel = why == Stop::Canceled || why == Stop::Left;
    const ErrorCode code = is_cancel              ? ErrorCode::RunCanceled
                           : why == Stop::Overdue ? ErrorCode::DeadlineExceeded
                                                  : ErrorCode::RunPaused;
    stop_failure_ = std::make_unique<model::Failure>(
        model::Failure{std::string(to_string(code)), std::move(reason), "", ""});
    for (const auto& call : active_) {
        if (Work* work = call->work()) work->loop.stop.request_stop();
    }
}

// Records why the run stops. Calls under way are waited for first: their records are worth having, and
// one may refer to the coroutine's frame.
void Resident::give_up() {
    const std::size_t under_way = active_.size() - paused_;
    if (under_way > 0 && stop_ != Stop::Diverged) return;
    if (frame_users_ > 0) return;
    switch (stop_) {
        case Stop::Canceled:
            return end_badly(RunStatus::Canceled, *stop_failure_);
        case Stop::Overdue:
            return end_badly(RunStatus::Failed, *stop_failure_);
        case Stop::Left:
            if (undoing_) return push_end(undoing_->plan.end, std::nullopt, undoing_->plan.failure);
            return push_end(RunStatus::Canceled, std::nullopt, *stop_failure_);
        case Stop::Diverged:
            if (undoing_ && undoing_->plan.end == RunStatus::Canceled && !undoing_->is_committed) {
                stop_failure_->message +=
                    " It was being canceled: cancel it again then, or with undo = false, which "
                    "leaves what it did as it is.";
            }
            [[fallthrough]];
        case Stop::Paused:
        case Stop::OverBudget:
            return push_end(RunStatus::Paused, std::nullopt, *stop_failure_);
        case Stop::Released: {
            state_ = State::Ending;
            services_.writer.push(store::Release{lease_, {}},
                                  [&host = host_, lease = lease_](store::Verb&) {
                                      if (Resident* run = host.find(lease))
                                          host.is_lost(*run, false);
                                  });
            return;
        }
        case Stop::None:
            return;
    }
}

void Resident::drop() {
    for (const auto& call : active_) {
        Work* work = call->work();
        if (work == nullptr) continue;
        work->gate.withdraw();
        work->loop.stop.request_stop();
    }
    if (frame_users_ > 0) return;
    epilogue_.reset();
    invocation_.reset();
}

}  // namespace belay::engine
