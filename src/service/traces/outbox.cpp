#include "service/traces/outbox.hpp"

#include <belay/error.hpp>

#include "core/base/saturate.hpp"

namespace belay::traces {

namespace {

// A run has a row for each of its ends: `turn` 1, 2, ….
constexpr std::string_view kTable = R"sql(
CREATE TABLE trace_outbox (
    workflow_run_id TEXT NOT NULL,
    turn BIGINT NOT NULL,
    ended_at BIGINT NOT NULL,
    told_at BIGINT,
    holder TEXT NOT NULL DEFAULT '',
    held_until BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (workflow_run_id, turn)
);
CREATE INDEX idx_trace_outbox_waiting ON trace_outbox (ended_at, workflow_run_id) WHERE told_at IS NULL;
CREATE INDEX idx_trace_outbox_told ON trace_outbox (told_at) WHERE told_at IS NOT NULL;
)sql";

constexpr std::string_view kWaiting =
    "SELECT count(*), min(ended_at) FROM trace_outbox WHERE told_at IS NULL";

Outbox::Waiting waiting_from(const SqlRows& rows) {
    return {rows[0].get<std::int64_t>(0), rows[0].get<std::optional<Time>>(1)};
}

}  // namespace

std::vector<std::string> outbox_migrations() { return {std::string(kTable)}; }

void note_end(Tx& tx, const RunInfo& run) {
    tx.exec(
        "INSERT INTO trace_outbox (workflow_run_id, turn, ended_at) VALUES (?, "
        "(SELECT coalesce(max(turn), 0) + 1 FROM trace_outbox WHERE workflow_run_id = ?), ?)",
        run.id, run.id, tx.now());
}

std::vector<Ended> Outbox::take(int limit, Time now, Time until) {
    std::vector<Ended> taken;
    // Where nobody else exports, what is held is held by who is dead.
    const Time free_at = alone_ ? base::kTimeMax : now;
    engine_.transact([&](Tx& tx) {
        taken.clear();
        const SqlRows rows = tx.query(
            "SELECT workflow_run_id, turn FROM trace_outbox WHERE told_at IS NULL AND "
            "(holder = ? OR held_until < ?) ORDER BY ended_at, workflow_run_id LIMIT ?",
            name_, free_at, limit);
        for (const SqlRow row : rows) {
            Ended one{row.get<std::string>(0), row.get<std::int64_t>(1)};
            const auto mine = tx.exec(
                "UPDATE trace_outbox SET holder = ?, held_until = ? WHERE workflow_run_id = ? AND "
                "turn = ? AND told_at IS NULL AND (holder = ? OR held_until < ?)",
                name_, until, one.run_id, one.turn, name_, free_at);
            if (mine == 0) continue;
            one.has_ended_again =
                tx.value<std::int64_t>(
                      "SELECT turn FROM trace_outbox WHERE workflow_run_id = ? AND turn > ?",
                      one.run_id, one.turn)
                    .has_value();
            one.told_until =
                tx.value<std::optional<Time>>(
                      "SELECT max(ended_at) FROM trace_outbox WHERE workflow_run_id = ? "
                      "AND turn < ? AND told_at IS NOT NULL",
                      one.run_id, one.turn)
                    .value_or(std::nullopt);
            taken.push_back(std::move(one));
        }
        return std::string{};
    });
    return taken;
}

void Outbox::done(const std::vector<Ended>& ended, Time now) {
    engine_.transact([&](Tx& tx) {
        for (const Ended& one : ended) {
            if (one.fate == Ended::Fate::Told) {
                tx.exec(
                    "UPDATE trace_outbox SET told_at = ? WHERE workflow_run_id = ? AND turn = ?",
                    now, one.run_id, one.turn);
                continue;
            }
            tx.exec("DELETE FROM trace_outbox WHERE workflow_run_id = ? AND turn = ?", one.run_id,
                    one.turn);
        }
        return std::string{};
    });
}

Outbox::Waiting Outbox::waiting() { return waiting_from(SqlRows{engine_.query(kWaiting, {})}); }

std::int64_t Outbox::trim(std::int64_t most) {
    std::int64_t gone = 0;
    engine_.transact([&](Tx& tx) {
        gone = tx.exec(
            "DELETE FROM trace_outbox WHERE told_at IS NULL AND ended_at < (SELECT "
            "min(newest.ended_at) "
            "FROM (SELECT ended_at FROM trace_outbox WHERE told_at IS NULL "
            "ORDER BY ended_at DESC, workflow_run_id DESC LIMIT ?) AS newest)",
            most);
        return std::string{};
    });
    return gone;
}

void Outbox::forget(Time before) {
    engine_.transact([&](Tx& tx) {
        tx.exec("DELETE FROM trace_outbox WHERE told_at IS NOT NULL AND told_at < ?", before);
        return std::string{};
    });
}

std::optional<Outbox::Waiting> waiting_in(store::Store& store) {
    try {
        return waiting_from(SqlRows{store.query(kWaiting, {})});
    } catch (const Error&) {
        return std::nullopt;  // the table is made by the first that exports
    }
}

}  // namespace belay::traces
