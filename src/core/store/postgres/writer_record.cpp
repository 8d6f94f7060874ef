// writer_record.cpp — the record of a stage: the write that everything else here exists for.
#include <utility>

#include <fmt/format.h>

#include "core/model/transitions.hpp"
#include "core/store/postgres/writer.hpp"

namespace belay::store::postgres {

void Writer::apply(Record& verb) {
    HeldRun* run = held(verb.lease);
    if (run == nullptr) {
        verb.outcome = Fenced{};
        return;
    }
    const RunNo no = verb.lease.run;
    const bool settles = verb.settles != Record::Settles::Nothing;
    if (verb.body || verb.skip_inside || settles) {
        flush();
        if (verb.body) {
            verb.outcome = record_with_body(verb);
        } else if (store_stage(no, verb.stage, verb.stage.output) == Stored::Yes) {
            verb.outcome = Applied{};
        } else {
            verb.outcome = refused(no, verb.stage);
        }
        if (!std::holds_alternative<Applied>(verb.outcome)) return;
        if (verb.skip_inside) skip_inside(verb);
        if (settles) settle_spending(verb);
        return note_record(verb);
    }
    if (gather(verb, *run)) return;
    flush();
    apply(verb);
}

// Into its lane; false if what is there of its stage has to be written first.
bool Writer::gather(Record& verb, HeldRun& run) {
    const Lanes::StageKey key{verb.lease.run.value, verb.stage.path};
    const auto known = lanes_.stage_at.find(key);
    if (known == lanes_.stage_at.end()) {
        lanes_.stage_at.emplace(key, lanes_.stages.size());
        lanes_.stages.push_back({.last = &verb});
    } else {
        Lanes::StageRow& row = lanes_.stages[known->second];
        const StageStatus before = row.last->stage.status;
        // What the row before it will be is not certain until it is written.
        if (!model::may_follow(before, verb.stage.status)) return false;
        // A row that exists is not queued again, but may well be run.
        if (before == StageStatus::Queued) return false;
        row.before.push_back(std::exchange(row.last, &verb));
    }
    verb.outcome = Applied{};
    // As far as anyone in this batch can ask; if it is refused, an older one is the last.
    run.current_stage = verb.stage.stage_key;
    return true;
}

void Writer::skip_inside(const Record& verb) {
    const RunNo no = verb.lease.run;
    statements_.skip_inside.run(no.value, verb.stage.path, now_);
    // Refused for those that have a row: they have just been closed, or had ended.
    for (const model::Stage& stage : verb.skipped) store_stage(no, stage, stage.output);
    if (const HeldRun* run = runs_.find(no); run == nullptr || run->may_have_children) {
        cancel_children(no, verb.stage.path);
    }
}

WriteOutcome Writer::record_with_body(Record& verb) {
    const RunNo no = verb.lease.run;
    // What could not be recorded is not run.
    const auto before = status_of(no, verb.stage.path);
    if (before && !model::may_follow(*before, verb.stage.status)) return refused(no, verb.stage);

    std::optional<std::string> output{std::in_place};
    savepoint();
    if (const BodyResult failed = run_body(verb.body, *output)) {
        undo_savepoint();
        return outcome_of<WriteOutcome>(*failed);
    }
    if (store_stage(no, verb.stage, output) == Stored::No) {
        undo_savepoint();
        return refused(no, verb.stage);
    }
    release();
    verb.stage.output = std::move(output);
    return Applied{};
}

Refused Writer::refused(RunNo run, const model::Stage& stage) {
    return refused(stage, status_of(run, stage.path));
}

Refused Writer::refused(const model::Stage& stage, std::optional<StageStatus> before) {
    return {fmt::format("stage {} ({}) is {} and cannot become {}", stage.path, stage.stage_key,
                        before ? to_string(*before) : "not there", to_string(stage.status))};
}

std::optional<StageStatus> Writer::status_of(RunNo run, std::string_view path) {
    Rows row{statements_.stage_status, run.value, path};
    return row.next() ? stage_status(row.text(0)) : std::nullopt;
}

void Writer::store_progress(RunNo run, const std::optional<model::Progress>& progress) {
    if (progress) lanes_.touches[run.value].progress = progress;
}

}  // namespace belay::store::postgres
