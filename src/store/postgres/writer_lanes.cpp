// writer_lanes.cpp — what waited in the lanes is written: a statement for each kind, whatever their number.
#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>

#include "base/assert.hpp"
#include "model/transitions.hpp"
#include "store/postgres/writer.hpp"

namespace belay::store::postgres {

namespace {

// The columns of record_stage.sql and insert_stages.sql.
struct StageColumns {
    IntegerArray run, position, attempt, started, finished, next, before;
    TextArray path, key, kind, status, message, error, output, cost;

    void add(RunNo no, const model::Stage& stage, const std::optional<std::string>& result) {
        run.add(no.value);
        path.add(std::string_view(stage.path));
        key.add(std::string_view(stage.stage_key));
        kind.add(model::to_string(stage.kind));
        status.add(to_string(stage.status));
        position.add(stage.position);
        attempt.add(stage.attempt);
        started.add(stage.started_at);
        finished.add(stage.finished_at);
        next.add(stage.next_attempt_at);
        message.add_or_null(stage.message);
        error.add_or_null(stage.error_code);
        output.add(result);
        cost.add(stage.cost);
        before.add(stage.attempts_before);
    }
    std::int64_t count() const { return run.count(); }
    Parameters parameters() const {
        Parameters out;
        run.give(out);
        path.give(out);
        key.give(out);
        kind.give(out);
        status.give(out);
        position.give(out);
        attempt.give(out);
        started.give(out);
        finished.give(out);
        next.give(out);
        message.give(out);
        error.give(out);
        output.give(out);
        cost.give(out);
        before.give(out);
        return out;
    }
};

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

}  // namespace

// In order, and waited for once: only what could be refused has to be known before the next is written.
void Writer::flush(Flush how) {
    if (lanes_.empty()) return;
    if (!lanes_.submits.empty() && !certain_) {
        find_joins();
        // One that joins a run must see it as it stood at that point of the batch.
        if (!joins_.empty() && (!lanes_.ends.empty() || !lanes_.waits.empty())) {
            careful_ = true;
            throw Redo{"a submission joins a run in a batch that ends some"};
        }
    }
    if (!lanes_.stages.empty()) flush_stages();
    flush_rest();
    if (!lanes_.submits.empty() || !joins_.empty()) flush_submits();
    lanes_ = {};
    if (how == Flush::AndWait) finish_written();
}

// What was written without waiting is there. The counts are of rows that were locked and read at their epoch: nothing can
// have come between.
void Writer::finish_written() {
    if (!is_writing_) return;
    check_written(finish_or_redo());
}

std::vector<Result> Writer::finish_or_redo() {
    is_writing_ = false;
    try {
        return connection_.finish();
    } catch (const PgError& error) {
        // A stage or a run that was new has a row: another worker was faster, or what was known was wrong. Nothing of
        // it is known the next time, and every row is looked for.
        if (error.state() != kUniqueViolation) throw;
        throw Redo{"a row was there"};
    }
}

void Writer::check_written(const std::vector<Result>& results) {
    for (const Expected& expected : std::exchange(expected_, {})) {
        const Result& result = results.at(expected.statement);
        const auto rows = std::max<std::int64_t>(result.rows(), result.changed());
        BELAY_ASSERT(rows == expected.rows, "{} of {} rows of {} were written", rows, expected.rows,
                     expected.what);
    }
}

// Those that cannot have a row yet, and the others, of which some may be refused.
void Writer::flush_stages() {
    StageColumns fresh;
    StageColumns others;
    for (Lanes::StageRow& row : lanes_.stages) {
        const Record& record = *row.last;
        row.is_new = has_no_row(record.lease.run, record.stage);
        (row.is_new ? fresh : others).add(record.lease.run, record.stage, record.stage.output);
    }
    if (fresh.count() > 0) {
        statements_.insert_stages.send(fresh.parameters());
        is_writing_ = true;
    }
    Rows written;
    if (others.count() > 0 && certain_) {
        Parameters parameters = others.parameters();
        parameters.add(others.count());
        statements_.record_certain_stages.send(parameters);
        is_writing_ = true;
    } else if (others.count() > 0) {
        statements_.record_stage.send(others.parameters());
        const auto results = finish_or_redo();
        check_written(results);
        written = Rows{results.back()};
    }
    const bool all = certain_ || written.count() == others.count();
    std::unordered_set<Lanes::StageKey, Lanes::StageKeyHash> stored;
    if (!all) {
        while (written.next()) stored.insert({written.integer(0), std::string(written.text(1))});
    }
    for (const Lanes::StageRow& row : lanes_.stages) {
        const RunNo run = row.last->lease.run;
        if (all || row.is_new || stored.contains({run.value, row.last->stage.path})) {
            note_position(run, row.last->stage);
            for (Record* before : row.before) note_record(*before);
            note_record(*row.last);
            continue;
        }
        const auto status = status_of(run, row.last->stage.path);
        for (Record* before : row.before) before->outcome = refused(before->stage, status);
        row.last->outcome = refused(row.last->stage, status);
    }
}

bool Writer::has_no_row(RunNo run, const model::Stage& stage) {
    const HeldRun* known = runs_.find(run);
    return known != nullptr && known->last_position && stage.position > *known->last_position;
}

void Writer::note_position(RunNo run, const model::Stage& stage) {
    HeldRun* known = runs_.find(run);
    if (known == nullptr || !known->last_position) return;
    known->last_position = std::max(*known->last_position, stage.position);
}

// It is stored; so is what it says of its run.
void Writer::note_record(Record& verb) {
    const RunNo no = verb.lease.run;
    if (verb.cache && verb.stage.output) put_cached(verb);
    for (const model::Attempt& attempt : verb.attempts) lanes_.attempts.emplace_back(no, &attempt);
    store_progress(no, verb.progress);
    if (verb.touch_run) lanes_.touches[no.value].stage = verb.stage.stage_key;
    HeldRun* run = runs_.find(no);
    if (run == nullptr) return;
    run->current_stage = verb.stage.stage_key;
    if (verb.clear_recoveries && run->recoveries != 0) {
        lanes_.touches[no.value].innocent = true;
        run->recoveries = 0;
    }
}

void Writer::flush_rest() {
    // Rows are locked in the order of their numbers by everyone.
    std::sort(lanes_.ends.begin(), lanes_.ends.end(),
              [](const auto& a, const auto& b) { return a.verb->lease.run < b.verb->lease.run; });
    const auto send = [&](Statement& statement, Parameters parameters) {
        statement.send(parameters);
        is_writing_ = true;
    };
    const auto expect = [&](std::size_t rows, const char* what) {
        expected_.push_back({connection_.sent() - 1, static_cast<std::int64_t>(rows), what});
    };
    if (!lanes_.attempts.empty()) send(statements_.insert_attempts, attempts_of(lanes_.attempts));
    if (!lanes_.touches.empty()) send(statements_.touch_runs, touches_of(lanes_.touches, now_));
    if (!lanes_.waits.empty()) {
        send(statements_.wait_run, waits_of(lanes_.waits, now_));
        expect(lanes_.waits.size(), "runs that wait");
    }
    if (!lanes_.ends.empty() && certain_) {
        Parameters parameters = ends_of(lanes_.ends, now_);
        parameters.add(static_cast<std::int64_t>(lanes_.ends.size()));
        send(statements_.end_certain_runs, std::move(parameters));
    } else if (!lanes_.ends.empty()) {
        send(statements_.end_runs, ends_of(lanes_.ends, now_));
        expect(lanes_.ends.size(), "runs that ended");
    }
}

Writer::Stored Writer::store_stage(RunNo run, const model::Stage& stage,
                                   const std::optional<std::string>& output) {
    StageColumns columns;
    columns.add(run, stage, output);
    statements_.record_stage.send(columns.parameters());
    if (connection_.finish().back().rows() != 1) return Stored::No;
    note_position(run, stage);
    return Stored::Yes;
}

}  // namespace belay::store::postgres
