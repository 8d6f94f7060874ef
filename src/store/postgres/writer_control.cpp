// writer_control.cpp — what people and other processes ask of a run, and reading inside the batch.
#include <algorithm>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include <belay/error.hpp>

#include "model/transitions.hpp"
#include "store/control_answer.hpp"
#include "store/failure_of.hpp"
#include "store/postgres/writer.hpp"

namespace belay::store::postgres {

void Writer::apply(Control& verb) {
    flush();
    verb.outcome = ControlResult::NotFound;
    verb.run.reset();
    verb.why.clear();
    verb.lost.reset();
    const auto found = find_run(verb.run_id);
    if (!found) return;
    switch (verb.kind) {
        case ControlKind::Cancel:
            cancel(verb, *found);
            break;
        case ControlKind::Pause:
            pause(verb, *found);
            break;
        case ControlKind::Resume:
            resume(verb, *found);
            break;
        case ControlKind::Retry:
            retry(verb, *found);
            break;
    }
    verb.run = find_run(found->no);
}

void Writer::cancel(Control& verb, model::Run run) {
    if (!model::may_follow(run.status, RunStatus::Canceled)) {
        return refuse(verb, cannot_become(run, RunStatus::Canceled));
    }
    if (run.status == RunStatus::Running) {
        note_for_others(run.worker, to_string(run.status));
        statements_.request_cancel.run(run.no.value, now_, verb.reason);
        if (HeldRun* held = runs_.find(run.no)) held->cancel_requested = true;
        cancel_children(run.no, "");
        verb.outcome = ControlResult::Requested;
        return;
    }
    savepoint();
    run.cancel_requested = run.pause_requested = false;
    stop(run, RunStatus::Canceled, on_request(ErrorCode::RunCanceled, verb.reason));
    statements_.cancel_open_stages.run(run.no.value, now_);
    if (const TxBody hook = verb.on_end ? verb.on_end(run) : TxBody{}) {
        std::string ignored;
        if (const BodyResult failed = run_body(hook, ignored)) {
            undo_savepoint();
            return hook_failed(verb, *failed);
        }
    }
    release();
    if (run.is_awaited) tell_waiters(run.no);
    cancel_children(run.no, "");
    verb.outcome = ControlResult::Done;
}

void Writer::pause(Control& verb, model::Run run) {
    if (!model::may_follow(run.status, RunStatus::Paused)) {
        return refuse(verb, cannot_become(run, RunStatus::Paused));
    }
    if (run.status == RunStatus::Running) {
        note_for_others(run.worker, to_string(run.status));
        statements_.request_pause.run(run.no.value, now_, verb.reason);
        if (HeldRun* held = runs_.find(run.no)) held->pause_requested = true;
        verb.outcome = ControlResult::Requested;
        return;
    }
    stop(run, RunStatus::Paused, on_request(ErrorCode::RunPaused, verb.reason));
    verb.outcome = ControlResult::Done;
}

void Writer::resume(Control& verb, const model::Run& run) {
    const bool pausing = run.status == RunStatus::Running && run.pause_requested;
    if (pausing) {
        note_for_others(run.worker, to_string(run.status));
        statements_.resume_running.run(run.no.value, now_);
        if (HeldRun* held = runs_.find(run.no)) held->pause_requested = false;
    } else if (run.status == RunStatus::Paused) {
        news_.due = true;
        statements_.resume_run.run(run.no.value, now_);
    } else {
        return refuse(verb, fmt::format("the run is {}, not paused", to_string(run.status)));
    }
    verb.outcome = ControlResult::Done;
}

void Writer::retry(Control& verb, const model::Run& run) {
    if (run.status != RunStatus::Failed && run.status != RunStatus::Canceled) {
        return refuse(verb,
                      fmt::format("the run is {}: only one that failed or was canceled is retried",
                                  to_string(run.status)));
    }
    if (run.epoch != verb.expected_epoch) {
        return refuse(verb, "the run changed since its stages were read");
    }
    retry_run(run.no, verb.reset_paths, verb.forget_paths);
    verb.outcome = ControlResult::Done;
}

void Writer::retry_run(RunNo run, const std::vector<std::string>& reset_paths,
                       const std::vector<std::string>& forget_paths) {
    for (const std::string& path : forget_paths) {
        statements_.forget_stage.run(run.value, path);
        statements_.forget_attempts.run(run.value, path);
    }
    for (const std::string& path : reset_paths) statements_.reset_stage.run(run.value, path);
    statements_.retry_run.run(run.value, now_);
    news_.due = true;
}

// Changes the row and `run` alike.
void Writer::stop(model::Run& run, RunStatus status, model::Failure failure) {
    run.status = status;
    run.failure = std::move(failure);
    run.updated_at = now_;
    if (is_finished(status)) run.completed_at = now_;
    news_.ended = true;
    run.wake_at.reset();
    if (status != RunStatus::Paused) run.turn.reset();
    if (!run.cancel_requested && !run.pause_requested) run.request_reason.clear();

    Statement& update = statements_.stop_run;
    update.bind(1, run.no.value);
    update.bind(2, to_string(status));
    update.bind(3, run.current_stage);
    update.bind(4, run.failure->code);
    update.bind(5, run.failure->message);
    update.bind_or_null(6, run.failure->stage);
    update.bind_or_null(7, run.failure->path);
    update.bind(8, run.completed_at);
    update.bind(9, now_);
    update.bind(10, std::int64_t{run.cancel_requested ? 1 : 0});
    update.bind(11, std::int64_t{run.pause_requested ? 1 : 0});
    update.step_to_end();
    runs_.forget(run.no);
}

std::optional<model::Run> Writer::find_run(std::string_view id) {
    Rows row{statements_.run_by_id, id};
    return row.next() ? std::optional(read_run(row)) : std::nullopt;
}

std::optional<model::Run> Writer::find_run(RunNo no) {
    Rows row{statements_.run_by_no, no.value};
    return row.next() ? std::optional(read_run(row)) : std::nullopt;
}

std::vector<model::Run> Writer::find_runs(const std::vector<RunNo>& runs) {
    if (runs.empty()) return {};
    IntegerArray ids;
    for (const RunNo run : runs) ids.add(run.value);
    Parameters parameters;
    ids.give(parameters);
    statements_.runs_by_no.send(parameters);
    Rows row{connection_.finish().back()};
    std::unordered_map<std::int64_t, model::Run> found;
    while (row.next()) {
        model::Run run = read_run(row);
        const std::int64_t no = run.no.value;
        found.emplace(no, std::move(run));
    }
    std::vector<model::Run> out;
    for (const RunNo no : runs) {
        if (const auto at = found.find(no.value); at != found.end()) out.push_back(at->second);
    }
    return out;
}

void Writer::lock_run(std::string_view id) {
    IntegerArray none;
    TextArray ids;
    ids.add(id);
    Parameters parameters;
    none.give(parameters);
    ids.give(parameters);
    none.give(parameters);
    statements_.lock_runs.send(parameters);
    connection_.finish();
}

std::vector<model::Stage> Writer::stages_of(RunNo run) {
    IntegerArray ids;
    ids.add(run.value);
    Parameters parameters;
    ids.give(parameters);
    statements_.load_stages.send(parameters);
    Rows rows{connection_.finish().back()};
    std::vector<model::Stage> stages;
    while (rows.next()) stages.push_back(read_stage(rows));
    return stages;
}

void Writer::apply(Load& verb) {
    flush();
    verb.outcome.clear();
    verb.outcome.resize(verb.runs.size());
    std::unordered_multimap<std::int64_t, std::size_t> at;
    IntegerArray ids;
    for (std::size_t i = 0; i < verb.runs.size(); ++i) {
        if (!at.contains(verb.runs[i].value)) ids.add(verb.runs[i].value);
        at.emplace(verb.runs[i].value, i);
    }
    Parameters parameters;
    ids.give(parameters);
    statements_.load_stages.send(parameters);
    Rows rows{connection_.finish().back()};
    while (rows.next()) {
        const auto [first, last] = at.equal_range(rows.integer(14));
        for (auto to = first; to != last; ++to)
            verb.outcome[to->second].push_back(read_stage(rows));
    }
}

void Writer::apply(TakeRequests& verb) {
    flush();
    verb.outcome.clear();
    Rows rows{statements_.take_requests, std::int64_t{verb.limit}, worker_};
    while (rows.next()) verb.outcome.push_back(read_request(rows));
    std::sort(verb.outcome.begin(), verb.outcome.end(),
              [](const ControlRequest& a, const ControlRequest& b) { return a.id < b.id; });
}

void Writer::apply(AnswerRequest& verb) {
    flush();
    statements_.answer_request.run(verb.id, now_, std::int64_t{verb.ok ? 1 : 0}, verb.answer);
}

void Writer::apply(Transact& verb) {
    flush();
    std::string output;
    savepoint();
    if (const BodyResult failed = run_body(verb.body, output)) {
        undo_savepoint();
        verb.outcome = BodyFailed{failed->error};
        return;
    }
    release();
    verb.outcome = std::move(output);
}

}  // namespace belay::store::postgres
