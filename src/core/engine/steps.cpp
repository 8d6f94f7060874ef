#include "core/engine/steps.hpp"

#include <fmt/format.h>

#include <belay/error.hpp>
#include <belay/skip.hpp>

#include "core/base/failpoint.hpp"
#include "core/base/limits.hpp"
#include "core/base/saturate.hpp"
#include "core/base/shortage.hpp"
#include "core/base/text.hpp"
#include "core/engine/bodies.hpp"
#include "core/engine/failure.hpp"
#include "core/engine/writer.hpp"
#include "core/model/ledger.hpp"

namespace belay::engine {

namespace {

// Shorter steps leave no note of having been running: nobody could have seen it.
constexpr Duration kNoteAfter{5};

// How often to look whether a thread has taken an attempt whose timeout would be over.
constexpr Duration kLookForThread{1000};

std::exception_ptr timeout_of(const StepCall& call) {
    return std::make_exception_ptr(
        Error(ErrorCode::StepTimeout,
              fmt::format("step `{}` took longer than its timeout of {}", call.name,
                          base::format_duration(call.options.timeout))));
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

// When a thread took the attempt; nothing while it waits for one, which is no work.
std::optional<Time> begun(const StepCall& call) {
    const Time at{Duration{call.begun_at.load()}};
    if (at == Time{}) return std::nullopt;
    return at;
}

// Of what does not change while an attempt is under way.
model::Stage place_of(const StepCall& call, StageStatus status) {
    model::Stage stage;
    stage.path = call.path;
    stage.stage_key = call.name;
    stage.kind = kind_of(call.kind);
    stage.status = status;
    stage.position = call.position;
    stage.attempt = call.attempt;
    stage.attempts_before = call.attempts_before;
    stage.started_at = call.first_started_at ? call.first_started_at : begun(call);
    return stage;
}

}  // namespace

model::Stage stage_of(const StepCall& call, StageStatus status) {
    model::Stage stage = place_of(call, status);
    if (call.cost || call.cache) {
        const bool was_hit = call.cache && call.cache->was_hit;
        stage.cost =
            model::stage_cost_text(call.cost.get(), was_hit ? &call.cache->spared : nullptr);
        if (was_hit) stage.message = "answered from the cache";
    }
    return stage;
}

std::optional<model::Progress> take_progress(belay::detail::RunShared& shared) {
    auto taken = shared.take_progress();
    if (!taken) return std::nullopt;
    return model::Progress{taken->done, taken->total, std::move(taken->text)};
}

void Steps::launch(const store::Lease& lease, std::shared_ptr<StepCall> call) {
    ++services_.counters.steps_started;
    const bool is_slow = call->has_slow_part && !call->slow_part_done;
    // A stage starts when its first attempt is taken by a thread, not when it gets in line for one.
    if (!call->first_started_at) call->first_started_at = begun(*call);
    call->started_at = services_.now();
    if (!is_slow && !call->first_started_at) call->first_started_at = call->started_at;
    if (call->wants_stop_token) call->stop = std::stop_source{};
    call->timed_out = false;
    call->begun_at.store(0);
    const int attempt = call->attempt;
    call->settlement.open(attempt);
    if (is_slow) {
        started_.push_back(
            {lease, call, attempt,
             call->cost ? model::stage_cost_text(call->cost.get(), nullptr) : std::nullopt});
        arm_look();
    }
    // The token is taken here: a thread that is late must not read the next attempt's.
    auto stop = call->stop.get_token();
    if (!is_slow) {
        call->settle(attempt);
        push_record(lease, std::move(call));
    } else if (call->is_async && !call->cache) {
        call->begun_at.store(call->started_at.time_since_epoch().count());
        run_on_io(lease, std::move(call), attempt, std::move(stop));
    } else {
        // Also one that is async if it asks the cache: a store may be slow to read.
        for_pool_.emplace_back(
            [this, lease, call = std::move(call), attempt, stop = std::move(stop)]() mutable {
                run_on_pool(lease, std::move(call), attempt, std::move(stop));
            });
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

void Steps::run_on_pool(const store::Lease& lease, std::shared_ptr<StepCall> call, int attempt,
                        std::stop_token stop) {
    base::failpoint("step.before");
    const auto is_unwanted = [&] {
        return call->given_up || call->timed_out || !call->settlement.is_open(attempt);
    };
    std::optional<store::Store::Cached> answer;
    if (!is_unwanted()) {
        call->begun_at.store(services_.now().time_since_epoch().count());
        if (call->cache) answer = cache_.find(*call, attempt);
    }
    if (answer) {
        const bool settled = call->settle(attempt);
        if (settled) cache_.take(*call, std::move(*answer));
        return finish(lease, std::move(call), attempt, settled, nullptr);
    }
    // Asked again: looking for an answer takes its time, and counts as the step's own.
    if (is_unwanted()) {
        const Error gone(ErrorCode::Stopped, "its run has left memory, or its time is over");
        return finish(lease, std::move(call), attempt, false, std::make_exception_ptr(gone));
    }
    if (call->is_async) return run_on_io(lease, std::move(call), attempt, std::move(stop));
    Attempt handle{*call->run_shared, call->path, call->name, attempt, std::move(stop)};
    if (services_.on_attempt != nullptr) (*services_.on_attempt)(handle, call->path);
    bool settled = false;
    std::exception_ptr error;
    const std::uint64_t shortages = base::shortages_of_thread();
    try {
        const belay::detail::Executing executing(services_.box, lease.run.value, lease.epoch,
                                                 call->name);
        settled = call->run(handle);
    } catch (...) {
        error = seen_with_the_machine(std::current_exception(), shortages);
    }
    base::failpoint("step.after");
    finish(lease, std::move(call), attempt, settled, error, handle.take_cost());
}

void Steps::run_on_io(const store::Lease& lease, std::shared_ptr<StepCall> call, int attempt,
                      std::stop_token stop) {
    auto handle = std::make_shared<Attempt>(*call->run_shared, call->path, call->name, attempt,
                                            std::move(stop));
    if (services_.on_attempt != nullptr) (*services_.on_attempt)(*handle, call->path);
    if (services_.box != nullptr) {
        handle->executes(std::make_shared<const belay::detail::Execution>(
            belay::detail::Execution{services_.box, lease.run.value, lease.epoch, call->name}));
    }
    try {
        const belay::detail::Executing executing(services_.box, lease.run.value, lease.epoch,
                                                 call->name);
        call->run_async(
            handle, services_.world.executor.io(),
            [this, lease, call, attempt, handle](bool settled, std::exception_ptr error) {
                if (error)
                    error = seen_with_the_machine(std::move(error), base::shortages_of_thread());
                finish(lease, call, attempt, settled, error, handle->take_cost());
            });
    } catch (...) {
        finish(lease, call, attempt, false, std::current_exception());
    }
}

void Steps::finish(const store::Lease& lease, std::shared_ptr<StepCall> call, int attempt,
                   bool settled, std::exception_ptr error, std::unique_ptr<Cost> cost) {
    if (!error && settled && call->output.size() > base::kPayloadBytesMax) {
        error = std::make_exception_ptr(Error(
            ErrorCode::PayloadTooLarge,
            fmt::format(
                "step `{}` returned {} bytes of JSON; a checkpoint takes at most {}. Keep large "
                "data in a file or an object and return its name.",
                call->name, call->output.size(), base::kPayloadBytesMax)));
    } else if (error) {
        settled = call->settle(attempt);
    }
    if (!settled) {
        ++services_.counters.late_results;
        services_.world.executor.post(env::Lane::Loop,
                                      [this, call] { listener_.left_behind_ended(); });
        return;
    }
    if (cost) {
        try {
            if (call->cost) *cost += *call->cost;
            call->cost = std::move(cost);
        } catch (const Error&) {
            // The sum does not fit any more: what earlier attempts paid stays recorded.
        }
    }
    // Whatever it returned or threw when it was asked to stop, the reason is that its time was over.
    if (call->timed_out) error = timeout_of(*call);
    if (error) {
        services_.world.executor.post(env::Lane::Loop,
                                      [this, lease, call = std::move(call), error] {
                                          listener_.attempt_failed(lease, call, error);
                                          flush();
                                      });
        return;
    }
    push_record(lease, std::move(call));
}

void Steps::push_record(const store::Lease& lease, std::shared_ptr<StepCall> call) {
    store::Record record;
    record.lease = lease;
    record.stage = stage_of(*call, StageStatus::Succeeded);
    record.stage.finished_at = services_.now();
    record.progress = take_progress(*call->run_shared);
    record.clear_recoveries = call->clear_recoveries;
    if (call->cache && !call->cache->was_hit) {
        record.cache = store::CachePut{
            call->cache->stored_key, base::later(*record.stage.finished_at, call->cache->keep_for)};
    }
    if (belay::detail::is_skip(*call)) {
        record.stage.status = StageStatus::Skipped;
        record.stage.message = from_json<std::string>(call->output);
    } else if (call->has_commit_part) {
        record.body = services_.bodies.of_step(call, lease);
    } else {
        record.stage.output = std::move(call->output);
    }
    services_.writer.push(std::move(record),
                          [this, lease, call = std::move(call)](store::Verb& verb) {
                              listener_.step_recorded(lease, call, std::get<store::Record>(verb));
                          });
}

// ---- steps that take their time

void Steps::arm_look() {
    if (look_armed_) return;
    look_armed_ = true;
    timers_.at(started_.front().call->started_at + kNoteAfter, [this] { look_at_started(); });
}

void Steps::look_at_started() {
    look_armed_ = false;
    const Time now = services_.now();
    while (!started_.empty()) {
        const Started& oldest = started_.front();
        const bool over = !oldest.call->settlement.is_open(oldest.attempt);
        if (!over && oldest.call->started_at + kNoteAfter > now) break;
        if (!over) watch(oldest);
        started_.pop_front();
    }
    if (!started_.empty()) arm_look();
}

void Steps::watch(const Started& started) {
    StepCall& call = *started.call;
    note(started);
    if (call.options.timeout > Duration{0}) {
        arm_timeout(started, base::later(call.started_at, call.options.timeout));
    }
}

// Whatever the attempt has come to by now belongs to the thread that settles it, which may be doing so.
void Steps::note(const Started& started) {
    StepCall& call = *started.call;
    const bool is_in_line = !begun(call);
    if (is_in_line) look_again(started);
    // A row that says more than "queued" (it ran before a crash, it waits for its next attempt) keeps saying it.
    if (is_in_line && (call.first_started_at || call.attempt > 1)) return;
    store::Record record;
    record.lease = started.lease;
    record.stage = place_of(call, is_in_line ? StageStatus::Queued : StageStatus::Running);
    record.stage.cost = started.cost;
    record.progress = take_progress(*call.run_shared);
    record.touch_run = true;
    services_.writer.push(std::move(record), {});
}

// One that waits for a thread is noted again when it has one. A short step is over by then, and its record says so.
void Steps::look_again(const Started& started) {
    timers_.at(services_.now() + kLookForThread, [this, started] {
        if (!started.call->settlement.is_open(started.attempt) || started.call->given_up) return;
        if (begun(*started.call)) return note(started);
        look_again(started);
    });
}

void Steps::arm_timeout(const Started& started, Time when) {
    const Timers::Key key = timers_.at(when, [this, started] {
        started.call->watch = 0;
        timeout_due(started);
    });
    started.call->watched_until = key.first;
    started.call->watch = key.second;
}

void Steps::is_over(StepCall& call) {
    if (call.watch == 0) return;
    timers_.cancel({call.watched_until, call.watch});
    call.watch = 0;
}

void Steps::timeout_due(const Started& started) {
    StepCall& call = *started.call;
    if (!call.settlement.is_open(started.attempt)) return;
    const Time now = services_.now();
    const auto began = begun(call);
    // Waiting for a thread is not the step's own time.
    if (!began)
        return arm_timeout(started, now + std::min(call.options.timeout, kLookForThread));
    const Time over = base::later(*began, call.options.timeout);
    if (over > now) return arm_timeout(started, over);
    timed_out(started);
}

void Steps::timed_out(const Started& started) {
    StepCall& call = *started.call;
    if (!call.may_be_abandoned) {
        // Its closure refers to the workflow's frame: the frame waits for it, whatever it returns.
        call.timed_out = true;
        call.stop.request_stop();
        services_.log(
            LogLevel::Warning, "step_overdue",
            fmt::format("step `{}` of run `{}` is past its timeout of {} and was asked to stop; "
                        "its closure refers to the workflow, so the run waits for it.",
                        call.name, call.run_shared->id,
                        base::format_duration(call.options.timeout)),
            about(call));
        return;
    }
    if (!abandon(call)) return;
    listener_.attempt_failed(started.lease, started.call, timeout_of(call));
}

bool Steps::abandon(StepCall& call) {
    if (!call.may_be_abandoned || !call.settle(call.attempt)) return false;
    if (call.cache) call.cache->flight.reset();
    is_over(call);
    call.stop.request_stop();
    ++services_.counters.abandoned_now;
    services_.world.executor.lend_pool_threads(+1);
    return true;
}

}  // namespace belay::engine
