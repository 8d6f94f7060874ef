// why_running.cpp — a run that a worker holds, or whose worker is gone.
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "core/base/text.hpp"
#include "core/model/why_telling.hpp"

namespace belay::model {

namespace {

// A worker is called host/process/session; the one of another process is gone.
bool is_of(const std::string& worker, const Executor& executor) {
    const auto first = worker.find('/');
    if (first == std::string::npos || !executor.process) return true;
    std::int64_t process = 0;
    const char* begin = worker.data() + first + 1;
    const auto [end, error] = std::from_chars(begin, worker.data() + worker.size(), process);
    return error != std::errc{} || end == begin || process == *executor.process;
}

}  // namespace

void Telling::running() {
    out.worker = run.worker;
    if (!executor || !is_of(run.worker, *executor)) return left_running();
    if (!open.running.empty()) {
        step_under_way(*open.running.front());
        in_a_fan(*open.running.front());
    } else if (!open.in_line.empty()) {
        step_in_line(*open.in_line.front());
        in_a_fan(*open.in_line.front());
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

void Telling::step_under_way(const Stage& stage) {
    about(stage);
    out.waits_for = WaitsFor::Step;
    // A stage's start is that of its first attempt; a later one began after the last failed.
    const Attempt* failed = last_attempt(attempts, stage.path);
    out.since = failed && failed->attempt < stage.attempt ? failed->finished_at : stage.started_at;
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
    out.sentence +=
        out.last_error.empty() ? "." : fmt::format("; the last attempt failed: {}", out.last_error);
}

void Telling::step_in_line(const Stage& stage) {
    about(stage);
    out.waits_for = WaitsFor::Worker;
    out.since = open.last_done ? open.last_done->finished_at : run.started_at;
    out.sentence = fmt::format(
        "Step `{}` waits for its turn {}{}: every thread for steps of {} is at work{}.",
        stage.stage_key, since_text(out.since.value_or(run.updated_at), now),
        others(open.in_line.size(), "step"), run.worker, progress_text(run));
}

void Telling::between_steps() {
    out.waits_for = WaitsFor::Code;
    out.since = run.started_at.value_or(run.updated_at);
    std::string after;
    if (open.last_done) {
        out.since = std::max(*out.since, *open.last_done->finished_at);
        after = fmt::format(" after step `{}`", open.last_done->stage_key);
    }
    out.sentence = fmt::format("Running {} on {}, in the workflow's code{}{}.",
                               since_text(*out.since, now), run.worker, after, progress_text(run));
}

void Telling::left_running() {
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
        out.sentence = fmt::format("{}; no process executes on this store now.{}", where, asked);
        out.to_do = start_a_program() + " It goes on from its last recorded step.";
        return;
    }
    out.sentence = fmt::format("{}; {} executes on this store now and has not taken it up.{}",
                               where, executor->who, asked);
    out.to_do = fmt::format(
        "If it stays so, that program does not define workflow {}: start one that does.",
        run.workflow_key);
}

}  // namespace belay::model
