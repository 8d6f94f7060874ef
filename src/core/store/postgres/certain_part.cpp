#include "core/store/postgres/certain_part.hpp"

#include "core/store/postgres/columns.hpp"

namespace belay::store::postgres {

void CertainPart::send(const Lanes& lanes, const std::string& worker, const std::string& mark,
                       Time now) {
    // All of it is made before the first byte leaves: a process that is frozen between two statements would hold its
    // worker's row until it wakes up, because the server's patience with a transaction begins when it has answered.
    std::vector<std::pair<Statement*, Parameters>> statements;
    Parameters untouched;
    untouched.add(worker);
    untouched.add(mark);
    statements.emplace_back(&statements_.is_untouched, std::move(untouched));
    add_stages(lanes, statements);
    if (!lanes.attempts.empty())
        statements.emplace_back(&statements_.insert_attempts, attempts_of(lanes.attempts));
    if (!lanes.touches.empty())
        statements.emplace_back(&statements_.touch_runs, touches_of(lanes.touches, now));
    if (!lanes.ends.empty()) {
        Parameters ends = ends_of(lanes.ends, now);
        ends.add(static_cast<std::int64_t>(lanes.ends.size()));
        statements.emplace_back(&statements_.end_certain_runs, std::move(ends));
    }
    if (!lanes.submits.empty()) {
        TextArray ids;
        for (const Submit* submit : lanes.submits) ids.add(std::string_view(submit->run.id));
        Parameters used;
        ids.give(used);
        statements.emplace_back(&statements_.insert_runs, runs_of(lanes.submits, now));
        for (Parameters& label : labels_of(lanes.submits))
            statements.emplace_back(&statements_.put_label, std::move(label));
        // Last: an insert may have waited for a transaction that deleted the run of that id, and left a tombstone.
        statements.emplace_back(&statements_.no_tombstones, std::move(used));
    }
    try {
        connection_.send("BEGIN");
        for (const auto& [statement, parameters] : statements) statement->send(parameters);
        connection_.send("COMMIT");
        connection_.sync();
    } catch (const PgError& error) {
        lost_ = error;
    }
}

// Those that cannot have a row yet, and the others, of which none may be refused.
void CertainPart::add_stages(const Lanes& lanes,
                             std::vector<std::pair<Statement*, Parameters>>& statements) {
    PlainStageColumns plain;
    StageColumns fresh;
    StageColumns others;
    for (const Lanes::StageRow& row : lanes.stages) {
        const RunNo run = row.last->lease.run;
        const model::Stage& stage = row.last->stage;
        if (row.is_new && PlainStageColumns::can_hold(stage)) {
            plain.add(run, stage);
        } else {
            (row.is_new ? fresh : others).add(run, stage, stage.output);
        }
    }
    if (plain.count() > 0)
        statements.emplace_back(&statements_.insert_plain_stages, plain.parameters());
    if (fresh.count() > 0) statements.emplace_back(&statements_.insert_stages, fresh.parameters());
    if (others.count() > 0) {
        Parameters parameters = others.parameters();
        parameters.add(others.count());
        statements.emplace_back(&statements_.record_certain_stages, std::move(parameters));
    }
}

std::optional<PgError> CertainPart::finish() {
    if (lost_) return lost_;
    try {
        connection_.finish();
        return std::nullopt;
    } catch (const PgError& error) {
        try {
            if (!connection_.lost()) connection_.run("ROLLBACK");
        } catch (const PgError&) {
            // Then the connection is lost, and the server rolls back.
        }
        return error;
    }
}

bool may_be_looked_at(const PgError& error) {
    if (error.connection_lost()) return false;
    return error.wants_retry() || error.state() == kUniqueViolation ||
           error.state() == kDivisionByZero;
}

SharedLanes share(Lanes lanes) {
    SharedLanes out;
    const auto half = [&](RunNo run) -> Lanes& {
        return SharedLanes::is_second(run) ? out.second : out.first;
    };
    for (Lanes::StageRow& row : lanes.stages)
        half(row.last->lease.run).stages.push_back(std::move(row));
    for (const auto& one : lanes.attempts) half(one.first).attempts.push_back(one);
    for (auto& [run, touch] : lanes.touches)
        half(RunNo{run}).touches.emplace(run, std::move(touch));
    for (Lanes::Ending& ending : lanes.ends)
        half(ending.verb->lease.run).ends.push_back(std::move(ending));
    out.first.submits = std::move(lanes.submits);
    return out;
}

}  // namespace belay::store::postgres
