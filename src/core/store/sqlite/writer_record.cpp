// writer_record.cpp — the record of a stage: the write that everything else here exists for.
#include <utility>

#include <fmt/format.h>

#include "core/model/transitions.hpp"
#include "core/store/sqlite/writer.hpp"

namespace belay::store::sqlite {

void Writer::apply(Record& verb) {
    HeldRun* run = held(verb.lease);
    if (run == nullptr) {
        verb.outcome = Fenced{};
        return;
    }
    const RunNo no = verb.lease.run;
    if (verb.body) {
        verb.outcome = record_with_body(verb);
        if (!std::holds_alternative<Applied>(verb.outcome)) return;
        run = runs_.find(no);
    } else {
        if (store_stage(no, verb.stage, verb.stage.output) == Stored::No) {
            verb.outcome = refused(no, verb.stage);
            return;
        }
        verb.outcome = Applied{};
    }
    if (verb.skip_inside) skip_inside(verb);
    if (verb.cache && verb.stage.output) put_cached(verb);
    if (verb.settles != Record::Settles::Nothing) settle_spending(verb);
    store_attempts(no, verb.attempts);
    store_progress(no, verb.progress);
    run->current_stage = verb.stage.stage_key;
    if (verb.touch_run) statements_.touch_run.run(no.value, verb.stage.stage_key, now_);
    if (verb.clear_recoveries) {  // a run may be charged with a death that it has not recovered from
        statements_.clear_recoveries.run(no.value);
        run->recoveries = 0;
    }
}

void Writer::skip_inside(const Record& verb) {
    const RunNo no = verb.lease.run;
    statements_.skip_inside.run(no.value, verb.stage.path, now_);
    // Refused for those that have a row: they have just been closed, or had ended.
    for (const model::Stage& stage : verb.skipped) store_stage(no, stage, stage.output);
    if (runs_.find(no)->may_have_children) cancel_children(no, verb.stage.path);
}

WriteOutcome Writer::record_with_body(Record& verb) {
    const RunNo no = verb.lease.run;
    if (const BodyResult failed = offence()) return outcome_of<WriteOutcome>(*failed);

    // What could not be recorded is not run.
    const auto before = status_of(no, verb.stage.path);
    if (before && !model::may_follow(*before, verb.stage.status)) return refused(no, verb.stage);

    std::optional<std::string> output{std::in_place};
    statements_.savepoint.run();
    if (const BodyResult failed = run_body(verb.body, *output)) {
        undo_savepoint();
        return outcome_of<WriteOutcome>(*failed);
    }
    if (store_stage(no, verb.stage, output) == Stored::No) {
        undo_savepoint();
        return refused(no, verb.stage);
    }
    statements_.release.run();
    verb.stage.output = std::move(output);
    return Applied{};
}

Stored Writer::store_stage(RunNo run, const model::Stage& stage,
                           const std::optional<std::string>& output) {
    bind_stage(statements_.record_stage, run, stage, output);
    return statements_.record_stage.step_to_end() == 1 ? Stored::Yes : Stored::No;
}

Refused Writer::refused(RunNo run, const model::Stage& stage) {
    const auto before = status_of(run, stage.path);
    return {fmt::format("stage {} ({}) is {} and cannot become {}", stage.path, stage.stage_key,
                        before ? to_string(*before) : "not there", to_string(stage.status))};
}

std::optional<StageStatus> Writer::status_of(RunNo run, std::string_view path) {
    Rows row{statements_.stage_status, run.value, path};
    return row.next() ? stage_status(row->text(0)) : std::nullopt;
}

void Writer::store_attempts(RunNo run, const std::vector<model::Attempt>& attempts) {
    Statement& insert = statements_.insert_attempt;
    for (const model::Attempt& attempt : attempts) {
        insert.bind(1, run.value);
        insert.bind(2, attempt.path);
        insert.bind(3, attempt.attempt);
        insert.bind(4, attempt.started_at);
        insert.bind(5, attempt.finished_at);
        insert.bind_or_null(6, attempt.error_code);
        insert.bind_or_null(7, attempt.message);
        insert.bind_or_null(8, attempt.worker);
        insert.step_to_end();
    }
}

void Writer::store_progress(RunNo run, const std::optional<model::Progress>& progress) {
    if (!progress) return;
    statements_.set_progress.run(run.value, progress->done, progress->total, progress->text, now_);
}

}  // namespace belay::store::sqlite
