#include "core/model/run_json.hpp"

#include <algorithm>
#include <string_view>

#include <boost/json.hpp>

#include "core/base/text.hpp"
#include "core/model/cost.hpp"
#include "core/model/ledger.hpp"
#include "core/model/undo.hpp"

namespace belay::model {

namespace {

namespace json = boost::json;

json::value time_json(const std::optional<Time>& time) {
    if (!time) return nullptr;
    return json::value(base::format_time(*time));
}

json::value text_or_null(const std::string& text) {
    if (text.empty()) return nullptr;
    return json::value(text);
}

// What Belay stored is JSON; what somebody else put there is shown as the text that it is.
json::value stored_json(const std::optional<std::string>& text) {
    if (!text) return nullptr;
    json::error_code error;
    json::value parsed = json::parse(*text, error);
    return error ? json::value(*text) : parsed;
}

json::value error_json(const Run& run) {
    if (!run.failure) return nullptr;
    return json::object{{"code", run.failure->code},
                        {"message", run.failure->message},
                        {"stage_key", text_or_null(run.failure->stage)}};
}

json::value progress_json(const Run& run) {
    if (!run.progress) return nullptr;
    return json::object{
        {"done", run.progress->done}, {"total", run.progress->total}, {"text", run.progress->text}};
}

json::value stall_json(const Run& run) {
    const Stall* stall = stall_of(run);
    if (stall == nullptr) return nullptr;
    return json::object{{"reason", to_string(stall->reason)},
                        {"sentence", stall->sentence},
                        {"since", time_json(stall->at)}};
}

json::object attempt_json(const Attempt& attempt) {
    return {{"attempt", attempt.attempt},
            {"started_at", time_json(attempt.started_at)},
            {"finished_at", time_json(attempt.finished_at)},
            {"error_code", text_or_null(attempt.error_code)},
            {"message", attempt.message},
            {"worker", text_or_null(attempt.worker)}};
}

json::object death_json(const Death& death) {
    return {{"worker", worker_mark(death.worker)},
            {"epoch", death.epoch},
            {"last_seen", time_json(death.last_seen)},
            {"picked_up_by", text_or_null(std::string(worker_mark(death.picked_up_by)))},
            {"picked_up_at", time_json(death.picked_up_at)},
            {"stage", text_or_null(death.stage)},
            {"charged", death.charged},
            {"reason", to_string(death.reason)}};
}

json::value undoing_json(const Run& run, const std::vector<Stage>& stages) {
    const auto progress = undo_progress(run, stages);
    if (!progress) return nullptr;
    return json::object{
        {"done", progress->done},
        {"of", progress->of},
        {"stage_key", progress->next.key.empty() ? json::value(nullptr)
                                                 : json::value("undo/" + progress->next.key)},
        {"end", to_string(progress->end)}};
}

json::object stage_json(const Stage& stage, const std::vector<Attempt>& attempts) {
    json::value duration = nullptr;
    if (stage.started_at && stage.finished_at)
        duration = (*stage.finished_at - *stage.started_at).count();
    json::array failed;
    for (const Attempt& attempt : attempts) {
        if (attempt.path == stage.path) failed.push_back(attempt_json(attempt));
    }
    const bool checkpoint = checkpoint_of(stage) != nullptr;
    return {{"stage_key", stage.stage_key},
            {"position", stage.position},
            {"path", stage.path},
            {"kind", to_string(stage.kind)},
            {"status", to_string(stage.status)},
            {"attempt", stage.attempt},
            {"started_at", time_json(stage.started_at)},
            {"finished_at", time_json(stage.finished_at)},
            {"duration_ms", duration},
            {"next_attempt_at", time_json(stage.next_attempt_at)},
            {"message", text_or_null(stage.message)},
            {"output", checkpoint ? json::value(nullptr) : stored_json(stage.output)},
            {"checkpoint", checkpoint ? stored_json(stage.output) : json::value(nullptr)},
            {"failed_attempts", std::move(failed)}};
}

}  // namespace

json::object run_summary_json(const Run& run, const Labels& labels) {
    json::object labeled;
    for (const auto& [name, value] : labels) labeled[name] = value;
    return {{"id", run.id},
            {"workflow_key", run.workflow_key},
            {"status", to_string(run.status)},
            {"current_stage", run.current_stage},
            {"organization_id", text_or_null(run.organization_id)},
            {"file_id", text_or_null(run.file_id)},
            {"created_at", time_json(run.created_at)},
            {"updated_at", time_json(run.updated_at)},
            {"started_at", time_json(run.started_at)},
            {"completed_at", time_json(run.completed_at)},
            {"wake_at", time_json(run.wake_at)},
            {"deadline_at", time_json(run.deadline_at)},
            {"parent_id", text_or_null(run.parent_id)},
            {"forked_from", text_or_null(run.forked_from)},
            {"code_version", text_or_null(run.code_version)},
            {"generation", run.generation},
            {"stalled", stall_json(run)},
            {"attempts", run.attempts},
            {"error", error_json(run)},
            {"progress", progress_json(run)},
            {"labels", std::move(labeled)}};
}

json::object run_json(const Run& run, const std::vector<Stage>& stages,
                      const std::vector<Attempt>& attempts, const std::vector<Death>& deaths,
                      const Said& said) {
    json::object out = run_summary_json(run, said.labels);
    json::object exposed;
    for (const auto& [name, value] : said.exposed) exposed[name] = stored_json(value);
    out["exposed"] = std::move(exposed);
    out["cost"] = cost_json(cost_of(stages));
    out["parent_path"] = text_or_null(run.parent_path);
    out["signals"] = run.signals;
    out["saved"] = saved_json(saved_of(run));
    out["undoing"] = undoing_json(run, stages);
    out["input"] = stored_json(run.input);
    out["result"] = stored_json(run.result);
    std::vector<const Stage*> sorted;
    for (const Stage& stage : stages) sorted.push_back(&stage);
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const Stage* a, const Stage* b) { return a->position < b->position; });
    json::array rows;
    for (const Stage* stage : sorted) rows.push_back(stage_json(*stage, attempts));
    out["stages"] = std::move(rows);
    json::array died;
    for (const Death& death : deaths) died.push_back(death_json(death));
    out["deaths"] = std::move(died);
    return out;
}

json::object why_json(const Run& run, const Why& why, const std::optional<Executor>& executor) {
    return {{"id", run.id},
            {"workflow_key", run.workflow_key},
            {"status", to_string(run.status)},
            {"sentence", why.sentence},
            {"waits_for", to_string(why.waits_for)},
            {"to_do", text_or_null(why.to_do)},
            {"since", time_json(why.since)},
            {"until", time_json(why.until)},
            {"stage_key", text_or_null(why.stage_key)},
            {"attempt", why.attempt == 0 ? json::value(nullptr) : json::value(why.attempt)},
            {"last_error", text_or_null(why.last_error)},
            {"worker", text_or_null(why.worker)},
            {"topic", text_or_null(why.topic)},
            {"child_id", text_or_null(why.child_id)},
            {"child_status",
             why.child_status ? json::value(to_string(*why.child_status)) : json::value(nullptr)},
            {"open_branches", json::array(why.open_branches.begin(), why.open_branches.end())},
            {"stalled", text_or_null(why.stalled)},
            {"executor", executor ? json::value(executor->who) : json::value(nullptr)}};
}

}  // namespace belay::model
