#include "core/store/postgres/columns.hpp"

#include <algorithm>

namespace belay::store::postgres {

void StageColumns::add(RunNo no, const model::Stage& stage,
                       const std::optional<std::string>& result) {
    run_.add(no.value);
    path_.add(std::string_view(stage.path));
    key_.add(std::string_view(stage.stage_key));
    kind_.add(model::to_string(stage.kind));
    status_.add(to_string(stage.status));
    position_.add(stage.position);
    attempt_.add(stage.attempt);
    started_.add(stage.started_at);
    finished_.add(stage.finished_at);
    next_.add(stage.next_attempt_at);
    message_.add_or_null(stage.message);
    error_.add_or_null(stage.error_code);
    output_.add(result);
    cost_.add(stage.cost);
    before_.add(stage.attempts_before);
}

Parameters StageColumns::parameters() const {
    Parameters out;
    run_.give(out);
    path_.give(out);
    key_.give(out);
    kind_.give(out);
    status_.give(out);
    position_.give(out);
    attempt_.give(out);
    started_.give(out);
    finished_.give(out);
    next_.give(out);
    message_.give(out);
    error_.give(out);
    output_.give(out);
    cost_.give(out);
    before_.give(out);
    return out;
}

bool PlainStageColumns::can_hold(const model::Stage& stage) {
    return stage.kind == model::StageKind::Step && stage.status == StageStatus::Succeeded &&
           stage.attempt == 1 && stage.attempts_before == 0 && !stage.next_attempt_at &&
           stage.message.empty() && stage.error_code.empty() && !stage.cost;
}

void PlainStageColumns::add(RunNo no, const model::Stage& stage) {
    run_.add(no.value);
    path_.add(std::string_view(stage.path));
    key_.add(std::string_view(stage.stage_key));
    position_.add(stage.position);
    started_.add(stage.started_at);
    finished_.add(stage.finished_at);
    output_.add(stage.output);
}

Parameters PlainStageColumns::parameters() const {
    Parameters out;
    run_.give(out);
    path_.give(out);
    key_.give(out);
    position_.give(out);
    started_.give(out);
    finished_.give(out);
    output_.give(out);
    return out;
}

void RunColumns::add(const model::Run& run) {
    no_.add(run.no.value);
    id_.add(std::string_view(run.id));
    workflow_key_.add(std::string_view(run.workflow_key));
    input_.add(std::string_view(run.input));
    organization_.add_or_null(run.organization_id);
    source_.add_or_null(run.source_channel);
    file_.add_or_null(run.file_id);
    hash_.add_or_null(run.content_hash);
    version_.add_or_null(run.code_version);
    wake_at_.add(run.wake_at);
    status_.add(to_string(run.status));
    worker_.add(std::string_view(run.worker));
    epoch_.add(run.epoch);
    started_at_.add(run.started_at);
    if (run.parent) {
        parent_.add(run.parent.value);
    } else {
        parent_.add_null();
    }
    parent_path_.add_or_null(run.parent_path);
    deadline_at_.add(run.deadline_at);
    origin_.add_or_null(run.forked_from);
    seed_.add_or_null(run.seed_id);
    queue_.add_or_null(run.queue);
    priority_.add(std::int64_t{run.priority});
    partition_.add(std::string_view(run.partition));
    dedupe_.add_or_null(run.dedupe_id);
    if (run.turn) {
        turn_.add(*run.turn);
    } else {
        turn_.add_null();
    }
    schedule_.add_or_null(run.schedule);
}

Parameters RunColumns::parameters(Time now) const {
    Parameters out;
    no_.give(out);
    id_.give(out);
    workflow_key_.give(out);
    input_.give(out);
    organization_.give(out);
    source_.give(out);
    file_.give(out);
    hash_.give(out);
    version_.give(out);
    wake_at_.give(out);
    status_.give(out);
    worker_.give(out);
    epoch_.give(out);
    started_at_.give(out);
    parent_.give(out);
    parent_path_.give(out);
    out.add(now);
    deadline_at_.give(out);
    origin_.give(out);
    seed_.give(out);
    queue_.give(out);
    priority_.give(out);
    partition_.give(out);
    dedupe_.give(out);
    turn_.give(out);
    schedule_.give(out);
    return out;
}

Parameters attempts_of(const std::vector<std::pair<RunNo, const model::Attempt*>>& attempts) {
    IntegerArray run, number, started, finished;
    TextArray path, error, message, worker;
    for (const auto& [no, attempt] : attempts) {
        run.add(no.value);
        path.add(std::string_view(attempt->path));
        number.add(attempt->attempt);
        started.add(attempt->started_at);
        finished.add(attempt->finished_at);
        error.add_or_null(attempt->error_code);
        message.add_or_null(attempt->message);
        worker.add_or_null(attempt->worker);
    }
    Parameters out;
    run.give(out);
    path.give(out);
    number.give(out);
    started.give(out);
    finished.give(out);
    error.give(out);
    message.give(out);
    worker.give(out);
    return out;
}

Parameters touches_of(const std::map<std::int64_t, Touch>& touches, Time now) {
    IntegerArray run, done, total, innocent;
    TextArray stage, text;
    for (const auto& [no, touch] : touches) {
        run.add(no);
        stage.add(touch.stage);
        if (touch.progress) {
            done.add(touch.progress->done);
            total.add(touch.progress->total);
            text.add(std::string_view(touch.progress->text));
        } else {
            done.add_null();
            total.add_null();
            text.add_null();
        }
        innocent.add(std::int64_t{touch.innocent ? 1 : 0});
    }
    Parameters out;
    run.give(out);
    stage.give(out);
    done.give(out);
    total.give(out);
    text.give(out);
    innocent.give(out);
    out.add(now);
    return out;
}

Parameters ends_of(const std::vector<Lanes::Ending>& ends, Time now) {
    IntegerArray run, epoch, completed;
    TextArray status, stage, result, code, message, error_stage, error_path;
    for (const Lanes::Ending& ending : ends) {
        const End& end = *ending.verb;
        run.add(end.lease.run.value);
        epoch.add(end.lease.epoch);
        status.add(to_string(end.status));
        stage.add_or_null(ending.current_stage);
        result.add(end.result);
        if (end.failure) {
            code.add(std::string_view(end.failure->code));
            message.add(std::string_view(end.failure->message));
            error_stage.add_or_null(end.failure->stage);
            error_path.add_or_null(end.failure->path);
        } else {
            code.add_null();
            message.add_null();
            error_stage.add_null();
            error_path.add_null();
        }
        completed.add(is_finished(end.status) ? std::optional(now) : std::nullopt);
    }
    Parameters out;
    run.give(out);
    epoch.give(out);
    status.give(out);
    stage.give(out);
    result.give(out);
    code.give(out);
    message.give(out);
    error_stage.give(out);
    error_path.give(out);
    completed.give(out);
    out.add(now);
    return out;
}

Parameters waits_of(const std::vector<Lanes::Waiting>& waits, Time now) {
    IntegerArray run, epoch, wake, signals;
    TextArray stage;
    for (const Lanes::Waiting& waiting : waits) {
        run.add(waiting.verb->lease.run.value);
        epoch.add(waiting.verb->lease.epoch);
        wake.add(waiting.verb->wake_at);
        stage.add_or_null(waiting.current_stage);
        signals.add(waiting.verb->signals);
    }
    Parameters out;
    run.give(out);
    epoch.give(out);
    wake.give(out);
    stage.give(out);
    signals.give(out);
    out.add(now);
    return out;
}

Parameters runs_of(std::vector<Submit*> submits, Time now) {
    std::sort(submits.begin(), submits.end(),
              [](const Submit* a, const Submit* b) { return a->run.id < b->run.id; });
    RunColumns columns;
    for (const Submit* submit : submits) columns.add(std::get<SubmitOutcome>(submit->outcome).run);
    return columns.parameters(now);
}

std::vector<Parameters> labels_of(const std::vector<Submit*>& submits) {
    std::vector<Parameters> labels;
    for (const Submit* submit : submits) {
        const RunNo no = std::get<SubmitOutcome>(submit->outcome).run.no;
        for (const auto& [name, value] : submit->run.labels) {
            Parameters& one = labels.emplace_back();
            one.add(no.value);
            one.add(std::string_view(name));
            one.add(std::string_view(value));
        }
    }
    return labels;
}

}  // namespace belay::store::postgres
