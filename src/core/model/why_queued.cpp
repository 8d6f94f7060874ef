// why_queued.cpp — a run that has not begun, or stands in line.
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/text.hpp"
#include "core/model/why_telling.hpp"

namespace belay::model {

std::string Telling::start_a_program() const {
    return fmt::format("Start a program that defines workflow {} on this store.", run.workflow_key);
}

void Telling::queued() {
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
    out.sentence =
        fmt::format("{}: it waits for its turn; {} executes on this store.", head, executor->who);
    out.to_do = fmt::format(
        "If it stays queued, that program does not define workflow {}, or it has as "
        "many runs in memory as it may.",
        run.workflow_key);
}

void Telling::in_line(const std::string& head) {
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

bool Telling::nobody_defines_it() const {
    return !around.workers.empty() &&
           worker_for(around.workers, run.workflow_key, run.code_version) == nullptr;
}

std::string Telling::what_is_defined() const {
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

void Telling::nobody_will_wake_it() {
    out.to_do =
        "No process executes on this store, so nothing will wake it then. " + start_a_program();
}

}  // namespace belay::model
