// writer_submit.cpp — a run comes to be, or the one that has its id is found.
#include <utility>

#include "core/store/new_run.hpp"
#include "core/store/sqlite/writer.hpp"

namespace belay::store::sqlite {

void Writer::apply(Submit& verb) {
    if (const BodyResult failed = offence()) {
        verb.outcome = outcome_of<decltype(verb.outcome)>(*failed);
        return;
    }
    // Only a run that starts now has a hook to run, and only then can anything have to be undone.
    const bool has_history = !verb.stages.empty();
    const bool may_start = verb.on_start && !verb.claim_as.empty() && !has_history;
    if (may_start) statements_.savepoint.run();

    SubmitOutcome submitted = submit(verb.run, has_history ? "" : verb.claim_as, verb.retry_failed);
    if (has_history && submitted.kind == SubmitKind::Created) give_history(submitted.run, verb);
    const bool starts =
        submitted.kind == SubmitKind::Created && submitted.run.status == RunStatus::Running;
    if (may_start && starts) {
        std::string ignored;
        if (const BodyResult failed = run_body(verb.on_start, ignored)) {
            undo_savepoint();
            verb.outcome = outcome_of<decltype(verb.outcome)>(*failed);
            return;
        }
    }
    if (may_start) statements_.release.run();
    if (starts)
        runs_.put(submitted.run.no, {.epoch = 1, .may_have_children = false, .current_stage = {}});
    verb.outcome = std::move(submitted);
}

SubmitOutcome Writer::submit(const model::NewRun& run, const std::string& claim_as,
                             bool retry_failed) {
    std::optional<std::int64_t> turn;
    if (!run.queue.empty() || !run.dedupe_id.empty()) {
        if (auto found = find_run(run.id)) return join(run, *std::move(found), retry_failed);
        if (!run.queue.empty() && !find_queue(run.queue)) return {SubmitKind::UnknownQueue, {}};
        if (auto found = find_dedupe(run)) return join(run, *std::move(found), retry_failed);
        const bool in_line = !run.queue.empty() && run.available_at <= now_;
        if (in_line) turn = turn_of(run.queue, run.priority, run.partition);
    }
    if (auto left = tombstone_of(run, retry_failed)) return *std::move(left);
    SubmitOutcome created{SubmitKind::Created, as_created(run, claim_as, now_)};
    created.run.turn = turn;

    Statement& insert = statements_.insert_run;
    insert.bind(1, run.id);
    insert.bind(2, run.workflow_key);
    insert.bind_value(3, std::string_view(run.input));
    insert.bind_or_null(4, run.organization_id);
    insert.bind_or_null(5, run.source_channel);
    insert.bind_or_null(6, run.file_id);
    insert.bind_or_null(7, run.content_hash);
    insert.bind_or_null(8, run.code_version);
    insert.bind(9, now_);
    insert.bind(10, created.run.wake_at);
    insert.bind(11, to_string(created.run.status));
    insert.bind(12, created.run.worker);
    insert.bind(13, created.run.epoch);
    insert.bind(14, created.run.started_at);
    insert.bind(15, run.parent ? std::optional(run.parent.value) : std::nullopt);
    insert.bind_or_null(16, run.parent_path);
    insert.bind(17, run.deadline_at);
    insert.bind_or_null(18, run.forked_from);
    insert.bind_or_null(19, run.seed_id);
    insert.bind(20, next_run_no());
    insert.bind_or_null(21, run.queue);
    insert.bind(22, run.priority);
    insert.bind(23, run.partition);
    insert.bind_or_null(24, run.dedupe_id);
    insert.bind(25, turn);
    insert.bind_or_null(26, run.schedule);
    if (insert.step_to_end() == 0) return join(run, retry_failed);
    created.run.no = RunNo{connection_->last_row_id()};
    put_labels(created.run.no, run.labels);
    return created;
}

// A fork begins with what its origin had recorded.
void Writer::give_history(model::Run& run, const Submit& verb) {
    statements_.begin_at_epoch.run(run.no.value, std::int64_t{1});
    if (verb.may_be_undone) statements_.may_be_undone.run(run.no.value);
    run.epoch = 1;
    for (const model::Stage& stage : verb.stages) store_stage(run.no, stage, stage.output);
    store_attempts(run.no, verb.attempts);
}

// The id is taken: joins that run, or opens it again if it failed and a retry was asked for (P3).
SubmitOutcome Writer::join(const model::NewRun& run, bool retry_failed) {
    return join(run, find_run(run.id).value(), retry_failed);
}

}  // namespace belay::store::sqlite
