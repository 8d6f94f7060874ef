// history_json.cpp — writing; history_reader.cpp reads.
#include "core/model/history_json.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <boost/json.hpp>

#include "core/base/text.hpp"

namespace belay::model {

namespace {

namespace json = boost::json;

json::value time_json(const std::optional<Time>& time) {
    return time ? json::value(base::format_time(*time)) : json::value(nullptr);
}

json::value text_json(const std::optional<std::string>& text) {
    return text ? json::value(*text) : json::value(nullptr);
}

json::value failure_json(const std::optional<Failure>& failure) {
    if (!failure) return nullptr;
    return json::object{{"code", failure->code},
                        {"message", failure->message},
                        {"stage", failure->stage},
                        {"path", failure->path}};
}

json::value progress_json(const std::optional<Progress>& progress) {
    if (!progress) return nullptr;
    return json::object{
        {"done", progress->done}, {"total", progress->total}, {"text", progress->text}};
}

json::object to_object(const Run& run) {
    return {{"id", run.id},
            {"workflow_key", run.workflow_key},
            {"status", to_string(run.status)},
            {"current_stage", run.current_stage},
            {"input", run.input},
            {"result", text_json(run.result)},
            {"failure", failure_json(run.failure)},
            {"progress", progress_json(run.progress)},
            {"organization_id", run.organization_id},
            {"source_channel", run.source_channel},
            {"file_id", run.file_id},
            {"content_hash", run.content_hash},
            {"code_version", run.code_version},
            {"worker", run.worker},
            {"epoch", run.epoch},
            {"attempts", run.attempts},
            {"recoveries", run.recoveries},
            {"cancel_requested", run.cancel_requested},
            {"pause_requested", run.pause_requested},
            {"wake_at", time_json(run.wake_at)},
            {"created_at", time_json(run.created_at)},
            {"updated_at", time_json(run.updated_at)},
            {"started_at", time_json(run.started_at)},
            {"completed_at", time_json(run.completed_at)},
            {"parent_id", run.parent_id},
            {"parent_path", run.parent_path},
            {"deadline_at", time_json(run.deadline_at)},
            {"signals", run.signals},
            {"forked_from", run.forked_from},
            {"seed_id", run.seed_id},
            {"generation", run.generation},
            {"continued_input", text_json(run.continued_input)}};
}

json::object to_object(const Stage& stage) {
    return {{"position", stage.position},
            {"path", stage.path},
            {"stage_key", stage.stage_key},
            {"kind", to_string(stage.kind)},
            {"status", to_string(stage.status)},
            {"attempt", stage.attempt},
            {"attempts_before", stage.attempts_before},
            {"started_at", time_json(stage.started_at)},
            {"finished_at", time_json(stage.finished_at)},
            {"next_attempt_at", time_json(stage.next_attempt_at)},
            {"message", stage.message},
            {"error_code", stage.error_code},
            {"output", text_json(stage.output)},
            {"cost", text_json(stage.cost)}};
}

json::object to_object(const Attempt& attempt) {
    return {{"path", attempt.path},
            {"attempt", attempt.attempt},
            {"started_at", time_json(attempt.started_at)},
            {"finished_at", time_json(attempt.finished_at)},
            {"error_code", attempt.error_code},
            {"message", attempt.message},
            {"worker", attempt.worker}};
}

// Each on a line of its own.
template <class T>
std::string lines(const std::vector<T>& rows) {
    std::string out;
    for (const T& row : rows) {
        out += out.empty() ? "\n    " : ",\n    ";
        out += json::serialize(to_object(row));
    }
    return out.empty() ? out : out + "\n  ";
}

}  // namespace

std::string history_json(const History& history) {
    std::vector<Stage> stages = history.stages;
    std::stable_sort(stages.begin(), stages.end(),
                     [](const Stage& a, const Stage& b) { return a.position < b.position; });
    return fmt::format(
        "{{\n  \"belay_history\": {},\n  \"run\": {},\n  \"stages\": [{}],\n  \"attempts\": "
        "[{}]\n}}\n",
        kHistoryVersion, json::serialize(to_object(history.run)), lines(stages),
        lines(history.attempts));
}

}  // namespace belay::model
