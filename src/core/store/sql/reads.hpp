// reads.hpp — the answers that a reader makes of its rows, for every store that speaks SQL.
//
// `Rows` are those of the store, not yet stepped; its columns are those of the .sql file that each says. `Db` is as in
// writer.hpp.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <belay/codec.hpp>

#include "core/model/death.hpp"
#include "core/model/ledger.hpp"
#include "core/model/message.hpp"
#include "core/model/worker.hpp"
#include "core/store/sql/rows.hpp"
#include "core/store/store.hpp"

namespace belay::store {

// Of select_run.sql, one more than `limit`, to know whether there is more.
template <class Rows>
RunPage page_in(Rows& rows, int limit) {
    RunPage page;
    while (rows.next()) {
        if (static_cast<int>(page.runs.size()) == limit) {
            if (limit > 0) page.next = page.runs.back().no;
            break;
        }
        page.runs.push_back(run_in(*rows));
    }
    return page;
}

// Null for what is not a status.
inline std::int64_t* count_of(RunCounts& counts, std::string_view status) {
    const auto known = run_status(status);
    if (!known) return nullptr;
    switch (*known) {
        case RunStatus::Queued:
            return &counts.queued;
        case RunStatus::Running:
            return &counts.running;
        case RunStatus::Waiting:
            return &counts.waiting;
        case RunStatus::Paused:
            return &counts.paused;
        case RunStatus::Succeeded:
            return &counts.succeeded;
        case RunStatus::Failed:
            return &counts.failed;
        case RunStatus::Canceled:
            return &counts.canceled;
    }
    return nullptr;
}

// Of count_runs.sql, which counts the few states that have indexes, and all.
template <class Rows>
RunCounts counts_in(Rows& rows) {
    RunCounts counts;
    std::int64_t all = 0;
    std::int64_t others = 0;
    while (rows.next()) {
        if (std::int64_t* count = count_of(counts, rows->text(0))) {
            *count = rows->integer(1);
            others += *count;
        } else if (rows->text(0) == "stalled") {
            counts.stalled = rows->integer(1);
        } else {
            all = rows->integer(1);
        }
    }
    counts.succeeded = all - others;
    return counts;
}

// Of list_deaths.sql.
template <class Rows>
std::vector<model::Death> deaths_in(Rows& rows) {
    std::vector<model::Death> deaths;
    while (rows.next()) {
        model::Death& death = deaths.emplace_back();
        death.epoch = rows->integer(0);
        death.worker = rows->text(1);
        death.last_seen = rows->time(2);
        death.picked_up_by = rows->text(3);
        death.picked_up_at = rows->optional_time(4);
        death.stage = rows->text(5);
        death.charged = rows->integer(6) != 0;
        const auto reason = model::death_reason(rows->text(7));
        if (!reason) unknown_word_in_row("reason of a death", rows->text(7));
        death.reason = *reason;
    }
    return deaths;
}

// Of list_messages.sql.
template <class Rows>
std::vector<model::Message> messages_in(Rows& rows) {
    std::vector<model::Message> messages;
    while (rows.next()) {
        model::Message& message = messages.emplace_back();
        message.id = rows->integer(0);
        message.topic = rows->text(1);
        message.payload = rows->optional_text(2);
        message.created_at = rows->time(3);
        message.expires_at = rows->optional_time(4);
        message.read_at = rows->optional_time(5);
        message.misfit = rows->text(6);
        if (message.read_at && message.misfit.empty()) message.payload.reset();
    }
    return messages;
}

// Of list_workers.sql, or list_known_workers.sql where others are listed too.
template <class Rows>
std::vector<model::Worker> workers_in(Rows& rows) {
    std::vector<model::Worker> workers;
    while (rows.next()) {
        model::Worker& worker = workers.emplace_back();
        worker.name = rows->text(0);
        worker.workflow_keys = from_json<std::vector<std::string>>(rows->text(1));
        worker.versions.own = rows->text(2);
        worker.versions.compatible = from_json<std::vector<std::string>>(rows->text(3));
        worker.since = rows->time(4);
    }
    return workers;
}

// The first column of each.
template <class Rows>
std::vector<std::string> texts_in(Rows& rows) {
    std::vector<std::string> texts;
    while (rows.next()) texts.emplace_back(rows->text(0));
    return texts;
}

// As Store::ledger: what is there, and what those that were deleted have left.
template <class Db>
std::vector<model::LedgerRow> ledger_in(typename Db::Connection& db,
                                        const model::LedgerFilter& filter) {
    model::LedgerSums sums;
    const Time since = filter.since ? model::day_of(*filter.since) : Time{};
    const Time until =
        filter.until.value_or(Time{Duration{std::numeric_limits<std::int64_t>::max()}});
    const auto read = [&](std::string_view text, const auto& add) {
        typename Db::Statement statement{db, text};
        typename Db::Rows rows{statement, since, until, filter.workflow_key,
                               filter.organization_id};
        while (rows.next()) {
            add(*rows, model::row_of(sums, rows->time(0), std::string(rows->text(1)),
                                     std::string(rows->text(2))));
        }
    };
    read(Db::ledger_runs, [](const auto& row, model::LedgerRow& sum) {
        const auto status = run_status(row.text(3));
        if (status == RunStatus::Succeeded) sum.succeeded += row.integer(4);
        if (status == RunStatus::Failed) sum.failed += row.integer(4);
        if (status == RunStatus::Canceled) sum.canceled += row.integer(4);
    });
    read(Db::ledger_steps, [](const auto& row, model::LedgerRow& sum) {
        sum.steps += row.integer(3);
        sum.time += Duration{row.integer(4)};
    });
    read(Db::ledger_costs, [](const auto& row, model::LedgerRow& sum) {
        model::Stage stage;
        stage.cost = row.optional_text(3);
        model::add_stage_cost(sum, stage);
        model::Run run;
        run.saved = row.optional_text(4);
        model::add_to(sum.saved, model::saved_of(run));
    });
    read(Db::ledger_deleted, [](const auto& row, model::LedgerRow& sum) {
        model::LedgerRow deleted;
        model::read_ledger_text(deleted, row.text(3));
        model::add_to(sum, deleted);
    });
    return model::rows_of(sums);
}

}  // namespace belay::store
