#include "model/why.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "base/text.hpp"
#include "model/awaited.hpp"
#include "model/words.hpp"

namespace belay::model {

namespace {

constexpr std::array kWaitsForWords{
    Word<WaitsFor>{WaitsFor::Executor, "executor"}, Word<WaitsFor>{WaitsFor::Worker, "worker"},
    Word<WaitsFor>{WaitsFor::Code, "code"},         Word<WaitsFor>{WaitsFor::Step, "step"},
    Word<WaitsFor>{WaitsFor::Retry, "retry"},       Word<WaitsFor>{WaitsFor::Timer, "timer"},
    Word<WaitsFor>{WaitsFor::Message, "message"},   Word<WaitsFor>{WaitsFor::Child, "child"},
    Word<WaitsFor>{WaitsFor::Queue, "queue"},       Word<WaitsFor>{WaitsFor::Person, "person"},
    Word<WaitsFor>{WaitsFor::Nothing, "nothing"},
};

// "since 2026-11-15T20:00:00.000Z (3 min 20 s)". Clocks differ: what seems to come is now.
std::string since_text(Time since, Time now) {
    return fmt::format("since {} ({})", base::format_time(since),
                       base::format_duration(std::max(now - since, Duration{0})));
}

std::string until_text(Time until, Time now) {
    if (until <= now) {
        return fmt::format("until {}, which was {} ago", base::format_time(until),
                           base::format_duration(now - until));
    }
    return fmt::format("until {} (in {})", base::format_time(until),
                       base::format_duration(until - now));
}

std::string at_text(Time at, Time now) {
    if (at <= now) return fmt::format("at {} (now)", base::format_time(at));
    return fmt::format("at {} (in {})", base::format_time(at), base::format_duration(at - now));
}

std::string progress_text(const Run& run) {
    if (!run.progress) return {};
    const Progress& p = *run.progress;
    // What a step reports is durable with the next checkpoint: it may be further by now.
    return fmt::format("; at its last checkpoint {} of {}{}{}", p.done, p.total,
                       p.text.empty() ? "" : " ", p.text);
}

const Attempt* last_attempt(const std::vector<Attempt>& attempts, const std::string& path) {
    const Attempt* last = nullptr;
    for (const Attempt& attempt : attempts) {
        if (attempt.path == path && (!last || attempt.attempt >= last->attempt)) last = &attempt;
    }
    return last;
}

// The open stages that something hangs on: a scope only holds others.
struct Open {
    std::vector<const Stage*> running;
    std::vector<const Stage*> timed;  // sleeps and retries, the earliest first
    std::vector<const Stage*> outside;  // waits for messages and other runs
    const Stage* last_done = nullptr;
};

Open open_stages(const std::vector<Stage>& stages) {
    Open open;
    for (const Stage& stage : stages) {
        if (stage.kind == StageKind::Scope || stage.kind == StageKind::Fan) continue;
        if (waits_outside(stage)) {
            open.outside.push_back(&stage);
        } else if (is_finished(stage.status)) {
            if (stage.finished_at && !is_mark(stage.kind) &&
                (!open.last_done || *stage.finished_at >= *open.last_done->finished_at)) {
                open.last_done = &stage;
            }
        } else if (stage.next_attempt_at &&
                   (stage.status == StageStatus::Retrying || stage.kind == StageKind::Sleep)) {
            open.timed.push_back(&stage);
        } else if (stage.status == StageStatus::Running) {
            open.running.push_back(&stage);
        }
    }
    std::stable_sort(open.timed.begin(), open.timed.end(), [](const Stage* a, const Stage* b) {
        return *a->next_attempt_at < *b->next_attempt_at;
    });
    return open;
}

std::string others(std::size_t count, std::string_view what) {
    if (count < 2) return {};
    return fmt::format(", and {} other {}{}", count - 1, what, count == 2 ? "" : "s");
}

// A worker is called host/process/session; the one of another process is gone.
bool is_of(const std::string& worker, const Executor& executor) {
    const auto first = worker.find('/');
    if (first == std::string::npos || !executor.process) return true;
    std::int64_t process = 0;
    const char* begin = worker.data() + first + 1;
    const auto [end, error] = std::from_chars(begin, worker.data() + worker.size(), process);
    return error != std::errc{} || end == begin || process == *executor.process;
}

// The engine ends the reason of a divergence with what to do, for those who see it in a log.
std::string without_advice(const std::string& message) {
    return message.substr(0, message.find(" Put the old way back"));
}

// For a divergence where another name is recorded than the code asked for.
std::string or_use_the_old_name(const Failure& failure, const std::vector<Stage>& stages) {
    const auto recorded = std::find_if(stages.begin(), stages.end(), [&](const Stage& stage) {
        return stage.path == failure.path;
    });
    if (failure.path.empty() || recorded == stages.end() || recorded->stage_key == failure.stage)
        return {};
    return fmt::format(" (or, if `{}` was only renamed, use the old name again)",
                       recorded->stage_key);
}

// Fills one Why; each function is one state of the run.
struct Telling {
    const Run& run;
    const std::vector<Stage>& stages;
    const std::vector<Attempt>& attempts;
    const Around& around;
    const std::optional<Executor>& executor;
    Time now;
    Open open;
    Why out{};

    std::string start_a_program() const {
        return fmt::format("Start a program that defines workflow {} on this store.",
                           run.workflow_key);
    }

    void about(const Stage& stage) {
        out.stage_key = stage.stage_key;
        out.path = stage.path;
        out.attempt = stage.attempt;
        if (const Attempt* failed = last_attempt(attempts, stage.path)) {
            out.last_error = failed->message;
        } else {
            out.last_error = stage.message;
        }
    }

    void queued() {
        const Time due = run.wake_at.value_or(run.created_at);
        out.since = run.updated_at;  // when it was submitted, resumed or retried
        if (due > now) {
            out.waits_for = WaitsFor::Timer;
            out.until = due;
            out.sentence =
                fmt::format("Queued {}: it was submitted to begin then.", until_text(due, now));
            if (!executor) nobody_will_wake_it();
            return;
        }
        const std::string again = run.attempts > 1
                                      ? fmt::format(" again (attempt {} of the run)", run.attempts)
                                      : std::string();
        const std::string head = fmt::format("Queued{} {}", again, since_text(*out.since, now));
        if (around.place) return in_line(head);
        if (!executor) {
            out.waits_for = WaitsFor::Executor;
            out.stalled = to_string(StallReason::ExecutorGone);
            out.sentence = head + ": no process executes on this store, so nothing runs it.";
            out.to_do = start_a_program();
            return;
        }
        out.waits_for = WaitsFor::Worker;
        if (nobody_defines_it()) {
            out.sentence = fmt::format("{}: {} executes on this store, but {}.", head, executor->who,
                                       what_is_defined());
            out.to_do = start_a_program();
            return;
        }
        out.sentence = fmt::format("{}: it waits for its turn; {} executes on this store.", head,
                                   executor->who);
        out.to_do = fmt::format(
            "If it stays queued, that program does not define workflow {}, or it has as "
            "many runs in memory as it may.",
            run.workflow_key);
    }

    // It stands in line, having begun or not.
    void in_line(const std::string& head) {
        out.waits_for = WaitsFor::Queue;
        const QueueSentence told = sentence_of(*around.place, now);
        out.sentence = fmt::format("{}: {}", head, told.text);
        out.to_do = told.to_do;
        out.until = around.place->next_token;
        if (executor) return;
        out.stalled = to_string(StallReason::ExecutorGone);
        out.sentence += " No process executes on this store.";
        out.to_do = out.to_do.empty() ? start_a_program() : out.to_do + ". " + start_a_program();
    }

    bool nobody_defines_it() const {
        return !around.workers.empty() &&
               worker_for(around.workers, run.workflow_key, run.code_version) == nullptr;
    }

    std::string what_is_defined() const {
        if (worker_for(around.workers, run.workflow_key) != nullptr) {
            return fmt::format("no worker takes runs of code version `{}`", run.code_version);
        }
        std::vector<std::string> keys;
        for (const Worker& worker : around.workers) {
            keys.insert(keys.end(), worker.workflow_keys.begin(), worker.workflow_keys.end());
        }
        return fmt::format("nobody defines workflow {} (defined: {})", run.workflow_key,
                           keys.empty() ? "none" : fmt::format("{}", fmt::join(keys, ", ")));
    }

    void nobody_will_wake_it() {
        out.to_do =
            "No process executes on this store, so nothing will wake it then. " + start_a_program();
    }

    void timed(const Stage& stage) {
        about(stage);
        const Time until = *stage.next_attempt_at;
        out.until = until;
        if (stage.kind == StageKind::Sleep) {
            out.waits_for = WaitsFor::Timer;
            out.since = stage.started_at;
            out.attempt = 0;
            out.sentence = fmt::format("Sleeping in `{}` {}{}.", stage.stage_key,
                                       until_text(until, now), others(open.timed.size(), "timer"));
        } else {
            out.waits_for = WaitsFor::Retry;
            const Attempt* failed = last_attempt(attempts, stage.path);
            if (failed) out.since = failed->finished_at;
            out.sentence =
                fmt::format("Retrying step `{}` {}{}: attempt {} failed: {}", stage.stage_key,
                            at_text(until, now), others(open.timed.size(), "timer"), stage.attempt,
                            out.last_error);
        }
        if (!executor) nobody_will_wake_it();
    }

    // The fan that the stage in question is in, before the sentence about it.
    void in_a_fan(const Stage& stage) {
        const auto fan = fan_around(stages, stage);
        if (!fan) return;
        out.open_branches = fan->open;
        const auto left = std::max<std::int64_t>(fan->size - fan->ended, 0);
        out.sentence = fmt::format("In fan `{}`, {} of {} branches {} not ended ({}{}). {}", fan->fan->stage_key,
                                   left, fan->size, left == 1 ? "has" : "have", fmt::join(fan->open, ", "),
                                   left > static_cast<std::int64_t>(fan->open.size()) ? ", …" : "",
                                   out.sentence);
    }

    void message_awaited(const Stage& stage) {
        out.waits_for = WaitsFor::Message;
        out.topic = stage.stage_key;
        out.since = stage.started_at;
        const Time since = stage.started_at.value_or(run.updated_at);
        if (stage.next_attempt_at && *stage.next_attempt_at != kNever) out.until = stage.next_attempt_at;
        out.sentence = fmt::format("Waiting for a message of topic `{}` {}, {}{}.", out.topic,
                                   since_text(since, now),
                                   out.until ? until_text(*out.until, now) : "without a timeout",
                                   others(open.outside.size(), "wait"));
        out.to_do = fmt::format("`belay runs send {} {} JSON` sends it one.", run.id, out.topic);
    }

    void child_awaited(const Stage& stage) {
        out.waits_for = WaitsFor::Child;
        out.child_id = awaited_child(stage);
        out.since = stage.started_at;
        const Time since = stage.started_at.value_or(run.updated_at);
        const auto child = std::find_if(around.children.begin(), around.children.end(),
                                        [&](const Run& other) { return other.id == out.child_id; });
        std::string state;
        if (child != around.children.end()) {
            out.child_status = child->status;
            state = fmt::format(", which is {} since {}", to_string(child->status),
                                base::format_time(child->updated_at));
            if (child->failure && !child->failure->message.empty()) {
                state += fmt::format(" ({})", child->failure->message);
            }
            if (const Stall* stall = stall_of(*child)) state += fmt::format(" and stalled: {}", stall->sentence);
        } else if (around.knows_children && around.children.size() < around_children_read()) {
            state = ", which does not exist any more";
        }
        out.sentence = fmt::format("Waiting in `{}` for run `{}`{}; {}{}.", stage.stage_key, out.child_id, state,
                                   since_text(since, now), others(open.outside.size(), "wait"));
        out.to_do = out.child_id.empty() ? "" : fmt::format("`belay runs why {}` says what that one waits for.",
                                                            out.child_id);
    }

    // Only as many as were read can be missing.
    std::size_t around_children_read() const { return std::min<std::size_t>(open.outside.size(), 20); }

    void outside() {
        const Stage& stage = *open.outside.front();
        about(stage);
        out.attempt = 0;
        out.last_error.clear();
        if (stage.kind == StageKind::Receive) {
            message_awaited(stage);
        } else {
            child_awaited(stage);
        }
        in_a_fan(stage);
        if (!executor) nobody_will_wake_it();
    }

    void waiting() {
        if (around.place) {
            out.since = run.updated_at;
            return in_line(fmt::format("What it waited for has come; it waits {}", since_text(run.updated_at, now)));
        }
        const bool is_timed = !open.timed.empty();
        if (is_timed && (open.outside.empty() || *open.timed.front()->next_attempt_at <= now)) {
            timed(*open.timed.front());
            return in_a_fan(*open.timed.front());
        }
        if (!open.outside.empty()) return outside();
        out.waits_for = WaitsFor::Timer;
        out.since = run.updated_at;
        out.until = run.wake_at;
        out.sentence = run.wake_at ? fmt::format("Waiting {}.", until_text(*run.wake_at, now))
                                   : fmt::format("Waiting {}.", since_text(run.updated_at, now));
        if (!executor) nobody_will_wake_it();
    }

    void running() {
        out.worker = run.worker;
        if (!executor || !is_of(run.worker, *executor)) return left_running();
        if (!open.running.empty()) {
            step_under_way(*open.running.front());
            in_a_fan(*open.running.front());
        } else if (!open.timed.empty()) {
            timed(*open.timed.front());
            in_a_fan(*open.timed.front());
        } else if (!open.outside.empty()) {
            outside();
        } else {
            between_steps();
        }
        if (run.cancel_requested || run.pause_requested) {
            out.sentence = fmt::format("Asked to {}; it stops when what is under way has ended. {}",
                                       run.cancel_requested ? "cancel" : "pause", out.sentence);
        }
    }

    void step_under_way(const Stage& stage) {
        about(stage);
        out.waits_for = WaitsFor::Step;
        // A stage's start is that of its first attempt; a later one began after the last failed.
        const Attempt* failed = last_attempt(attempts, stage.path);
        out.since =
            failed && failed->attempt < stage.attempt ? failed->finished_at : stage.started_at;
        const Time since = out.since.value_or(run.updated_at);
        // A run that was picked up again began its step anew, and only the first time is recorded.
        const bool began_anew = run.epoch > 1 && !(failed && failed->attempt < stage.attempt);
        out.sentence = fmt::format(
            "Running step `{}`{} {}{} on {}{}", stage.stage_key,
            stage.attempt > 1 ? fmt::format(", attempt {},", stage.attempt) : "",
            began_anew ? fmt::format("(first begun {}, {} ago)", base::format_time(since),
                                     base::format_duration(std::max(now - since, Duration{0})))
                       : since_text(since, now),
            others(open.running.size(), "step"), run.worker, progress_text(run));
        out.sentence += out.last_error.empty()
                            ? "."
                            : fmt::format("; the last attempt failed: {}", out.last_error);
    }

    void between_steps() {
        out.waits_for = WaitsFor::Code;
        out.since = run.started_at.value_or(run.updated_at);
        std::string after;
        if (open.last_done) {
            out.since = std::max(*out.since, *open.last_done->finished_at);
            after = fmt::format(" after step `{}`", open.last_done->stage_key);
        }
        out.sentence =
            fmt::format("Running {} on {}, in the workflow's code{}{}.",
                        since_text(*out.since, now), run.worker, after, progress_text(run));
    }

    void left_running() {
        out.waits_for = WaitsFor::Executor;
        out.since = run.updated_at;
        std::string where = "Its process ended while it was running";
        if (!open.running.empty()) {
            about(*open.running.front());
            where += fmt::format(" step `{}`", out.stage_key);
        } else if (open.last_done) {
            where += fmt::format(", after step `{}`", open.last_done->stage_key);
        }
        const std::string_view asked =
            run.cancel_requested  ? " It is asked to cancel, and will when it is taken up."
            : run.pause_requested ? " It is asked to pause, and will when it is taken up."
                                  : "";
        if (!executor) {
            out.stalled = to_string(StallReason::ExecutorGone);
            out.sentence =
                fmt::format("{}; no process executes on this store now.{}", where, asked);
            out.to_do = start_a_program() + " It goes on from its last recorded step.";
            return;
        }
        out.sentence = fmt::format("{}; {} executes on this store now and has not taken it up.{}",
                                   where, executor->who, asked);
        out.to_do = fmt::format(
            "If it stays so, that program does not define workflow {}: start one that does.",
            run.workflow_key);
    }

    void stalled() {
        const Stall* stall = stall_of(run);
        if (stall == nullptr) return;
        out.stalled = to_string(stall->reason);
        out.sentence += fmt::format("\nStalled {}: {}", since_text(stall->at, now), stall->sentence);
    }

    void paused() {
        out.waits_for = WaitsFor::Person;
        out.since = run.updated_at;
        const Failure failure = run.failure.value_or(Failure{});
        out.stage_key = failure.stage;
        out.path = failure.path;
        out.last_error = failure.message;
        const bool has_diverged = failure.code == to_string(ErrorCode::Nondeterminism);
        const std::string reason = has_diverged ? without_advice(failure.message) : failure.message;
        out.sentence = fmt::format("Paused {}: {}", since_text(run.updated_at, now),
                                   reason.empty() ? "no reason was recorded." : reason);
        out.to_do = has_diverged
                        ? fmt::format(
                              "Put the old way back behind ctx.patch(\"…\"){}, then resume the "
                              "run; or cancel it.",
                              or_use_the_old_name(failure, stages))
                        : "Put the cause right if there is one, then resume the run; or cancel it.";
    }

    void ended() {
        out.since = run.completed_at.value_or(run.updated_at);
        const Time began = run.started_at.value_or(run.created_at);
        const std::string when =
            fmt::format("at {} after {}", base::format_time(*out.since),
                        base::format_duration(std::max(*out.since - began, Duration{0})));
        if (run.status == RunStatus::Succeeded) {
            out.sentence = fmt::format("Succeeded {}, {} stage{} recorded.", when, stages.size(),
                                       stages.size() == 1 ? "" : "s");
            return;
        }
        const Failure failure = run.failure.value_or(Failure{});
        out.stage_key = failure.stage;
        out.path = failure.path;
        out.last_error = failure.message;
        if (run.status == RunStatus::Canceled) {
            out.sentence =
                fmt::format("Canceled {}: {}", when,
                            failure.message.empty() ? "no reason was given." : failure.message);
            return;
        }
        // A step's failure begins with its name.
        const std::string where =
            failure.stage.empty() ? ", in the workflow's own code"
            : failure.message.starts_with(fmt::format("step `{}`", failure.stage))
                ? ""
                : fmt::format(" in step `{}`", failure.stage);
        out.sentence = fmt::format("Failed {}{}: {}", when, where, failure.message);
        out.to_do = fmt::format(
            "Put the cause right, then retry the run: it goes on {}.",
            failure.stage.empty() ? "after its last recorded step" : "from the step that failed");
    }
};

}  // namespace

std::string_view to_string(WaitsFor what) { return word_of(kWaitsForWords, what); }

Why why(const Run& run, const std::vector<Stage>& stages, const std::vector<Attempt>& attempts,
        const std::optional<Executor>& executor, Time now) {
    Around around;
    around.executor = executor;
    return why(run, stages, attempts, around, now);
}

Why why(const Run& run, const std::vector<Stage>& stages, const std::vector<Attempt>& attempts,
        const Around& around, Time now) {
    Telling telling{run, stages, attempts, around, around.executor, now, open_stages(stages)};
    switch (run.status) {
        case RunStatus::Queued:
            telling.queued();
            break;
        case RunStatus::Running:
            telling.running();
            break;
        case RunStatus::Waiting:
            telling.waiting();
            break;
        case RunStatus::Paused:
            telling.paused();
            break;
        case RunStatus::Succeeded:
        case RunStatus::Failed:
        case RunStatus::Canceled:
            telling.ended();
            break;
    }
    telling.stalled();
    return telling.out;
}

}  // namespace belay::model
