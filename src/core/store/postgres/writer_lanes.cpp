// writer_lanes.cpp — what waited in the lanes is written: a statement for each kind, whatever their number.
#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>

#include "core/base/assert.hpp"
#include "core/model/transitions.hpp"
#include "core/store/postgres/columns.hpp"
#include "core/store/postgres/writer.hpp"

namespace belay::store::postgres {

// In order, and waited for once: only what could be refused has to be known before the next is written.
void Writer::flush(Flush how) {
    if (lanes_.empty()) return;
    if (!lanes_.submits.empty()) {
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
    if (others.count() > 0) {
        statements_.record_stage.send(others.parameters());
        const auto results = finish_or_redo();
        check_written(results);
        written = Rows{results.back()};
    }
    const bool all = written.count() == others.count();
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
    // A run may be charged with a death that it has not recovered from, and may end or wait in this very batch: then
    // it is not known here any more.
    if (verb.clear_recoveries) lanes_.touches[no.value].innocent = true;
    HeldRun* run = runs_.find(no);
    if (run == nullptr) return;
    run->current_stage = verb.stage.stage_key;
    if (verb.clear_recoveries) run->recoveries = 0;
}

void Writer::flush_rest() {
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
    if (!lanes_.ends.empty()) {
        send(statements_.end_runs, ends_of(lanes_.ends, now_));
        expect(lanes_.ends.size(), "runs that ended");
    }
}

Stored Writer::store_stage(RunNo run, const model::Stage& stage,
                           const std::optional<std::string>& output) {
    StageColumns columns;
    columns.add(run, stage, output);
    statements_.record_stage.send(columns.parameters());
    if (connection_.finish().back().rows() != 1) return Stored::No;
    note_position(run, stage);
    return Stored::Yes;
}

}  // namespace belay::store::postgres
