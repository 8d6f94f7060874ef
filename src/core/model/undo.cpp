#include "core/model/undo.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <boost/describe.hpp>

#include <belay/codec.hpp>
#include <belay/error.hpp>

namespace belay::model {

namespace {

constexpr std::string_view kPrefix = "undo:";

struct StepForm {
    std::string path;
    std::string key;
};
BOOST_DESCRIBE_STRUCT(StepForm, (), (path, key))

struct FailureForm {
    std::string code;
    std::string message;
    std::string stage;
    std::string path;
};
BOOST_DESCRIBE_STRUCT(FailureForm, (), (code, message, stage, path))

struct PlanForm {
    std::string end;
    FailureForm failure;
    std::vector<StepForm> steps;
};
BOOST_DESCRIBE_STRUCT(PlanForm, (), (end, failure, steps))

}  // namespace

std::string to_json(const UndoPlan& plan) {
    PlanForm form;
    form.end = to_string(plan.end);
    form.failure = {plan.failure.code, plan.failure.message, plan.failure.stage, plan.failure.path};
    for (const UndoneStep& step : plan.steps) form.steps.push_back({step.path, step.key});
    return belay::to_json(form);
}

UndoPlan read_undo_plan(std::string_view json) {
    auto form = from_json<PlanForm>(json);
    const auto end = run_status(form.end);
    if (!end) throw Error(ErrorCode::BadValue, fmt::format("no run ends as `{}`", form.end));
    UndoPlan plan;
    plan.end = *end;
    plan.failure = {std::move(form.failure.code), std::move(form.failure.message),
                    std::move(form.failure.stage), std::move(form.failure.path)};
    for (StepForm& step : form.steps)
        plan.steps.push_back({std::move(step.path), std::move(step.key)});
    return plan;
}

std::string undo_path(std::string_view path) { return fmt::format("{}{}", kPrefix, path); }

bool is_undo(const Stage& stage) { return stage.path.starts_with(kPrefix); }
std::string undone_path(const Stage& undo) { return undo.path.substr(kPrefix.size()); }

bool is_to_be_undone(const Stage& step, bool of_begun) {
    if (step.status == StageStatus::Succeeded) return true;
    return of_begun && step.started_at.has_value();
}

std::optional<UndoProgress> undo_progress(const Run& run, const std::vector<Stage>& stages) {
    if (!run.undo_plan || is_finished(run.status)) return std::nullopt;
    const UndoPlan plan = read_undo_plan(*run.undo_plan);
    UndoProgress progress;
    progress.end = plan.end;
    progress.of = plan.steps.size();
    for (const UndoneStep& step : plan.steps) {
        const auto stage = std::find_if(
            stages.begin(), stages.end(),
            [path = undo_path(step.path)](const Stage& each) { return each.path == path; });
        const bool is_there = stage != stages.end();
        if (is_there && stage->status == StageStatus::Succeeded) {
            ++progress.done;
            continue;
        }
        progress.next = step;
        if (is_there) progress.stage = &*stage;
        break;
    }
    return progress;
}

const Stage* first_undone(const std::vector<Stage>& stages) {
    const Stage* first = nullptr;
    for (const Stage& step : stages) {
        if (is_mark(step) || (first != nullptr && step.position > first->position)) continue;
        const bool is_undone = std::any_of(
            stages.begin(), stages.end(),
            [path = undo_path(step.path)](const Stage& each) { return each.path == path; });
        if (is_undone) first = &step;
    }
    return first;
}

std::string why_no_retry(const std::vector<Stage>& stages) {
    const Stage* first = first_undone(stages);
    if (first == nullptr) return "it was to be undone: fork it instead of trying it again";
    return fmt::format(
        "what it did was undone: fork it from before `{}`, the first step that was "
        "undone",
        first->stage_key);
}

}  // namespace belay::model
