#include "core/engine/steps.hpp"

#include <fmt/format.h>

#include <belay/error.hpp>
#include <belay/skip.hpp>

#include "core/base/failpoint.hpp"
#include "core/base/limits.hpp"
#include "core/base/saturate.hpp"
#include "core/base/shortage.hpp"
#include "core/base/text.hpp"
#include "core/engine/attempt_trace.hpp"
#include "core/engine/bodies.hpp"
#include "core/engine/failure.hpp"
#include "core/engine/step_checkpoints.hpp"
#include "core/engine/writer.hpp"
#include "core/model/ledger.hpp"

namespace belay::engine {

namespace {

// Shorter steps leave no note of having been running: nobody could have seen it.
constexpr Duration kNoteAfter{5};

// How often to look whether a thread has taken an attempt whose timeout would be over.
constexpr Duration kLookForThread{1000};

std::exception_ptr timeout_of(const Work& work) {
    return std::make_exception_ptr(
        Error(ErrorCode::StepTimeout,
              fmt::format("step `{}` took longer than its timeout of {}", work.call.name,
                          base::format_duration(work.options.timeout))));
}

}  // namespace

model::StageKind kind_of(belay::detail::CallKind kind) {
    switch (kind) {
        case belay::detail::CallKind::Step:
            return model::StageKind::Step;
        case belay::detail::CallKind::Transaction:
            return model::StageKind::Transaction;
        case belay::detail::CallKind::Sleep:
            return model::StageKind::Sleep;
        case belay::detail::CallKind::Scope:
            return model::StageKind::Scope;
        case belay::detail::CallKind::Fan:
            return model::StageKind::Fan;
        case belay::detail::CallKind::Child:
            return model::StageKind::Child;
        case belay::detail::CallKind::Receive:
            return model::StageKind::Receive;
    }
    return model::StageKind::Step;
}

namespace {

// Of what does not change while an attempt is under way.
model::Stage place_of(const Call& call, StageStatus status) {
    model::Stage stage;
    stage.path = call.path;
    stage.stage_key = call.name;
    stage.kind = kind_of(call.kind);
    stage.status = status;
    stage.position = call.entry.position;
    stage.attempt = call.entry.attempt;
    stage.attempts_before = call.entry.attempts_before;
    stage.started_at = call.entry.first_started_at;
    if (const Work* work = call.work(); work && !stage.started_at)
        stage.started_at = work->gate.begun();
    return stage;
}

}  // namespace

model::Stage stage_of(const Call& call, StageStatus status) {
    model::Stage stage = place_of(call, status);
    const Work* work = call.work();
    if (work == nullptr) return stage;
    const belay::detail::Found& found = work->found;
    if (found.cost || found.spared)
        stage.cost = model::stage_cost_text(found.cost.get(), found.spared.get());
    if (found.spared) stage.message = "answered from the cache";
    return stage;
}

model::Stage open_stage_of(const Call& call, StageStatus status) {
    model::Stage stage = stage_of(call, status);
    if (const Work* work = call.work(); work && work->loop.checkpoint)
        stage.output = *work->loop.checkpoint;
    return stage;
}

store::Record::Settles settles_of(const Work& work) {
    if (!work.has_slow_part || !work.options.costs_at_most.is_said())
        return store::Record::Settles::Nothing;
    return work.loop.cost_is_unknown ? store::Record::Settles::Whole
                                     : store::Record::Settles::ByCost;
}

std::optional<model::Progress> take_progress(belay::detail::RunShared& shared) {
    auto taken = shared.take_progress();
    if (!taken) return std::nullopt;
    return model::Progress{taken->done, taken->total, std::move(taken->text)};
}

std::shared_ptr<const Steps::Before> Steps::before_of(const Work& work) {
    const Cost* cost = work.found.cost.get();
    if (cost == nullptr && !work.loop.checkpoint) return nullptr;
    return std::make_shared<const Before>(
        Before{cost ? model::stage_cost_text(cost, nullptr) : std::nullopt, work.loop.checkpoint});
}

// What the attempt itself has come to belongs to the thread that settles it, which may be doing so.
model::Stage Steps::under_way(const Work& work, const std::shared_ptr<const Before>& before,
                              StageStatus status) {
    model::Stage stage = place_of(work.call, status);
    if (before) stage.cost = before->cost;
    if (work.loop.checkpoint) stage.output = *work.loop.checkpoint;
    return stage;
}

void Steps::launch(const store::Lease& lease, std::shared_ptr<Work> work, bool clears_recoveries) {
    ++services_.counters.steps_started;
    const bool is_slow = work->has_slow_part && !work->loop.slow_part_done;
    belay::detail::HistoryEntry& entry = work->call.entry;
    const Time now = services_.now();
    // A stage starts when its first attempt is taken by a thread, not when it gets in line for one.
    if (!entry.first_started_at) entry.first_started_at = work->gate.begun();
    if (!is_slow && !entry.first_started_at) entry.first_started_at = now;
    work->loop.started_at = now;
    work->loop.cost_is_unknown = false;
    if (work->wants_stop_token) work->loop.stop = std::stop_source{};
    const int attempt = entry.attempt;
    work->gate.open(attempt);
    std::shared_ptr<const Before> before;
    if (is_slow) {
        before = before_of(*work);
        started_.push_back({lease, work, attempt, before});
        arm_look();
    }
    // The token is taken here: a thread that is late must not read the next attempt's.
    std::stop_token stop = work->loop.stop.get_token();
    Going going{lease,           std::move(work),  attempt, clears_recoveries,
                std::move(stop), std::move(before)};
    if (!is_slow) {
        going.work->gate.settle(attempt);
        push_record(std::move(going));
    } else if (going.work->is_async && !going.work->cache) {
        going.work->gate.begin(now);
        run_on_io(std::move(going));
    } else {
        // Also one that is async if it asks the cache: a store may be slow to read.
        for_pool_.emplace_back(
            [this, going = std::move(going)]() mutable { run_on_pool(std::move(going)); });
    }
}

void Steps::flush() {
    if (for_pool_.empty() || is_held_up()) return;
    services_.world.executor.post_all(env::Lane::Pool, std::exchange(for_pool_, {}));
}

// Each thread that was left behind keeps what it holds: at the bound no further attempt takes one. Those
// that are due wait for a thread to come back, as they wait for a thread of the pool.
bool Steps::is_held_up() {
    const bool held_up =
        services_.counters.abandoned_now >= static_cast<std::int64_t>(base::kAbandonedThreadsMax);
    if (held_up && !told_held_up_) {
        services_.log(
            LogLevel::Warning, "threads_used_up",
            fmt::format(
                "{} threads are stuck in steps that overran their timeout; no further step is "
                "started until one of them returns.",
                base::kAbandonedThreadsMax));
    }
    told_held_up_ = held_up;
    return held_up;
}

void Steps::run_on_pool(Going going) {
    base::failpoint("step.before");
    Work& work = *going.work;
    const std::string& name = work.call.name;
    std::optional<store::Store::Cached> answer;
    if (!work.gate.is_unwanted(going.attempt)) {
        work.gate.begin(services_.now());
        if (work.cache) answer = cache_.find(work, going.attempt);
    }
    if (answer) {
        const bool settled = work.gate.settle(going.attempt);
        if (settled) cache_.take(work, std::move(*answer));
        return finish(std::move(going), settled, nullptr);
    }
    // Asked again: looking for an answer takes its time, and counts as the step's own.
    if (work.gate.is_unwanted(going.attempt)) {
        const Error gone(ErrorCode::Stopped, "its run has left memory, or its time is over");
        return finish(std::move(going), false, std::make_exception_ptr(gone));
    }
    if (work.is_async) return run_on_io(std::move(going));
    Attempt handle{*work.call.run_shared, work.call.path, name, going.attempt, going.stop};
    Keeper keeper{*this, going, true};
    handle.keeps(going.before ? going.before->checkpoint : nullptr, keeper);
    if (services_.on_attempt != nullptr) (*services_.on_attempt)(handle, work.call.path);
    bool settled = false;
    std::exception_ptr error;
    const std::uint64_t shortages = base::shortages_of_thread();
    const AttemptTrace trace(services_.store, going.lease.run, handle);
    try {
        const belay::detail::Executing executing(services_.box, going.lease.run.value,
                                                 going.lease.epoch, name);
        const base::TraceScope traced(trace);
        settled = work.run(handle);
    } catch (...) {
        error = seen_with_the_machine(std::current_exception(), shortages);
    }
    base::failpoint("step.after");
    finish(std::move(going), settled, error, handle.take_cost());
}

void Steps::run_on_io(Going going) {
    Work& work = *going.work;
    const std::string& name = work.call.name;
    // With what keeps for it: its code may go on when this function has returned.
    struct Lasting : Attempt {
        Lasting(Steps& steps, const Going& whose)
            : Attempt(*whose.work->call.run_shared, whose.work->call.path, whose.work->call.name,
                      whose.attempt, whose.stop),
              going(whose), keeper(steps, going, false) {
            keeps(going.before ? going.before->checkpoint : nullptr, keeper);
        }
        const Going going;
        Keeper keeper;
    };
    const std::shared_ptr<Attempt> handle = std::make_shared<Lasting>(*this, going);
    if (services_.on_attempt != nullptr) (*services_.on_attempt)(*handle, work.call.path);
    const auto whose = std::make_shared<const TracedExecution>(
        belay::detail::Execution{services_.box, going.lease.run.value, going.lease.epoch, name},
        services_.store, *handle);
    handle->executes(whose);
    try {
        const belay::detail::Executing executing(*whose);
        const base::TraceScope traced(whose->trace);
        work.run_async(handle, services_.world.executor.io(),
                       [this, going, handle](bool settled, std::exception_ptr error) {
                           if (error)
                               error = seen_with_the_machine(std::move(error),
                                                             base::shortages_of_thread());
                           finish(going, settled, error, handle->take_cost());
                       });
    } catch (...) {
        finish(std::move(going), false, std::current_exception());
    }
}

void Steps::finish(Going going, bool settled, std::exception_ptr error,
                   std::unique_ptr<Cost> cost) {
    Work& work = *going.work;
    if (!error && settled && work.found.output.size() > base::kPayloadBytesMax) {
        error = std::make_exception_ptr(Error(
            ErrorCode::PayloadTooLarge,
            fmt::format(
                "step `{}` returned {} bytes of JSON; a checkpoint takes at most {}. Keep large "
                "data in a file or an object and return its name.",
                work.call.name, work.found.output.size(), base::kPayloadBytesMax)));
    } else if (error) {
        settled = work.gate.settle(going.attempt);
    }
    if (!settled) {
        ++services_.counters.late_results;
        services_.world.executor.post(env::Lane::Loop,
                                      [this, work = going.work] { listener_.left_behind_ended(); });
        return;
    }
    if (cost) {
        try {
            if (work.found.cost) *cost += *work.found.cost;
            work.found.cost = std::move(cost);
        } catch (const Error&) {
            // The sum does not fit any more: what earlier attempts paid stays recorded.
        }
    }
    // Whatever it returned or threw when it was asked to stop, the reason is that its time was over.
    if (work.gate.is_overdue()) error = timeout_of(work);
    if (error) {
        services_.world.executor.post(
            env::Lane::Loop, [this, lease = going.lease, work = std::move(going.work), error] {
                listener_.attempt_failed(lease, work, error);
                flush();
            });
        return;
    }
    push_record(std::move(going));
}

void Steps::push_record(Going going) {
    Work& work = *going.work;
    store::Record record;
    record.lease = going.lease;
    record.stage = stage_of(work.call, StageStatus::Succeeded);
    record.stage.finished_at = services_.now();
    record.progress = take_progress(*work.call.run_shared);
    record.clear_recoveries = going.clears_recoveries;
    record.settles = settles_of(work);
    if (work.cache && !work.found.spared) {
        record.cache = store::CachePut{
            work.cache->stored_key, base::later(*record.stage.finished_at, work.cache->keep_for)};
    }
    if (belay::detail::is_skip(work.call)) {
        record.stage.status = StageStatus::Skipped;
        record.stage.message = from_json<std::string>(work.found.output);
    } else if (work.has_commit_part) {
        record.body = services_.bodies.of_step(going.work, going.lease);
    } else {
        record.stage.output = std::move(work.found.output);
    }
    services_.writer.push(std::move(record), [this, lease = going.lease,
                                              work = std::move(going.work)](store::Verb& verb) {
        listener_.step_recorded(lease, work, std::get<store::Record>(verb));
    });
}

// ---- steps that take their time

void Steps::arm_look() {
    if (look_armed_) return;
    look_armed_ = true;
    timers_.at(started_.front().work->loop.started_at + kNoteAfter, [this] { look_at_started(); });
}

void Steps::look_at_started() {
    look_armed_ = false;
    const Time now = services_.now();
    while (!started_.empty()) {
        const Started& oldest = started_.front();
        const bool over = !oldest.work->gate.is_open(oldest.attempt);
        if (!over && oldest.work->loop.started_at + kNoteAfter > now) break;
        if (!over) watch(oldest);
        started_.pop_front();
    }
    if (!started_.empty()) arm_look();
}

void Steps::watch(const Started& started) {
    Work& work = *started.work;
    note(started);
    if (work.options.timeout > Duration{0}) {
        arm_timeout(started, base::later(work.loop.started_at, work.options.timeout));
    }
}

void Steps::note(const Started& started) {
    Work& work = *started.work;
    const belay::detail::HistoryEntry& entry = work.call.entry;
    const bool is_in_line = !work.gate.begun();
    if (is_in_line) look_again(started);
    // A row that says more than "queued" (it ran before a crash, it waits for its next attempt) keeps saying it.
    if (is_in_line && (entry.first_started_at || entry.attempt > 1)) return;
    store::Record record;
    record.lease = started.lease;
    record.stage =
        under_way(work, started.before, is_in_line ? StageStatus::Queued : StageStatus::Running);
    record.progress = take_progress(*work.call.run_shared);
    record.touch_run = true;
    services_.writer.push(std::move(record), {});
}

// One that waits for a thread is noted again when it has one. A short step is over by then, and its record says so.
void Steps::look_again(const Started& started) {
    timers_.at(services_.now() + kLookForThread, [this, started] {
        const belay::detail::Gate& gate = started.work->gate;
        if (!gate.is_open(started.attempt) || gate.is_withdrawn()) return;
        if (gate.begun()) return note(started);
        look_again(started);
    });
}

void Steps::arm_timeout(const Started& started, Time when) {
    const Timers::Key key = timers_.at(when, [this, started] {
        started.work->call.loop.watch = 0;
        timeout_due(started);
    });
    belay::detail::LoopNotes& loop = started.work->call.loop;
    loop.watched_until = key.first;
    loop.watch = key.second;
}

void Steps::is_over(Call& call) {
    if (call.loop.watch == 0) return;
    timers_.cancel({call.loop.watched_until, call.loop.watch});
    call.loop.watch = 0;
}

void Steps::timeout_due(const Started& started) {
    Work& work = *started.work;
    if (!work.gate.is_open(started.attempt)) return;
    const Time now = services_.now();
    const auto began = work.gate.begun();
    // Waiting for a thread is not the step's own time.
    if (!began) return arm_timeout(started, now + std::min(work.options.timeout, kLookForThread));
    const Time over = base::later(*began, work.options.timeout);
    if (over > now) return arm_timeout(started, over);
    timed_out(started);
}

void Steps::timed_out(const Started& started) {
    Work& work = *started.work;
    if (!work.may_be_abandoned) {
        // Its closure refers to the workflow's frame: the frame waits for it, whatever it returns.
        work.gate.set_overdue();
        work.loop.stop.request_stop();
        services_.log(
            LogLevel::Warning, "step_overdue",
            fmt::format("step `{}` of run `{}` is past its timeout of {} and was asked to stop; "
                        "its closure refers to the workflow, so the run waits for it.",
                        work.call.name, work.call.run_shared->id,
                        base::format_duration(work.options.timeout)),
            about(work.call));
        return;
    }
    if (!abandon(work)) return;
    listener_.attempt_failed(started.lease, started.work, timeout_of(work));
}

bool Steps::abandon(Work& work) {
    if (!work.may_be_abandoned || !work.gate.settle(work.call.entry.attempt)) return false;
    if (work.cache) work.cache->flight.reset();
    is_over(work.call);
    work.loop.stop.request_stop();
    work.loop.cost_is_unknown = true;
    ++services_.counters.abandoned_now;
    services_.world.executor.lend_pool_threads(+1);
    return true;
}

}  // namespace belay::engine
