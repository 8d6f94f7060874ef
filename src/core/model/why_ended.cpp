// why_ended.cpp — a run that is over, paused or stalled.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "core/base/text.hpp"
#include "core/model/undo.hpp"
#include "core/model/why_telling.hpp"

namespace belay::model {

namespace {

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

}  // namespace

void Telling::stalled() {
    const Stall* stall = stall_of(run);
    if (stall == nullptr) return;
    out.stalled = to_string(stall->reason);
    out.sentence += fmt::format("\nStalled {}: {}", since_text(stall->at, now), stall->sentence);
}

// Before what it says of its state: "Undoing: 2 of 5, `undo/charge` since …; then it ends as failed."
void Telling::undoing() {
    const auto progress = undo_progress(run, stages);
    if (!progress) return;
    std::string head = fmt::format("Undoing: all {} steps are undone", progress->of);
    if (!progress->next.key.empty()) {
        const Stage* stage = progress->stage;
        head = fmt::format(
            "Undoing: {} of {}, `undo/{}`{}", progress->done + 1, progress->of, progress->next.key,
            stage != nullptr && stage->started_at ? " " + since_text(*stage->started_at, now) : "");
        if (out.stage_key.empty()) out.stage_key = "undo/" + progress->next.key;
    }
    out.sentence =
        fmt::format("{}; then it ends as {}. {}", head, to_string(progress->end), out.sentence);
}

void Telling::paused() {
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
    if (failure.code == to_string(ErrorCode::BudgetReached)) {
        out.to_do = fmt::format(
            "Let the call be paid once with `belay budgets approve {0}`, or raise the limit with "
            "`--limit AMOUNT`; a resume without that comes to the same point. Or cancel it.",
            run.id);
        return;
    }
    out.to_do =
        has_diverged ? fmt::format(
                           "Put the old way back behind ctx.patch(\"…\"){}, then resume the "
                           "run; or cancel it.",
                           or_use_the_old_name(failure, stages))
        : run.undo_plan ? "Put the cause right, then resume the run: it goes on with this undo; or "
                          "cancel it with undo = false (--no-undo), which leaves the rest as it is."
                        : "Put the cause right if there is one, then resume the run; or cancel it.";
}

void Telling::ended() {
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
    const std::string where = failure.stage.empty() ? ", in the workflow's own code"
                              : failure.message.starts_with(fmt::format("step `{}`", failure.stage))
                                  ? ""
                                  : fmt::format(" in step `{}`", failure.stage);
    out.sentence = fmt::format("Failed {}{}: {}", when, where, failure.message);
    if (run.undo_plan) {
        const Stage* first = first_undone(stages);
        out.to_do = first == nullptr
                        ? "Put the cause right, then fork the run."
                        : fmt::format(
                              "Put the cause right, then fork the run from `{}`: what it "
                              "did from there on was undone.",
                              first->stage_key);
        return;
    }
    out.to_do = fmt::format(
        "Put the cause right, then retry the run: it goes on {}.",
        failure.stage.empty() ? "after its last recorded step" : "from the step that failed");
}

}  // namespace belay::model
