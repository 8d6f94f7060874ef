// pruning.hpp — runs that go, what is left of them, and answers kept for other runs, for every store that speaks
// SQL.
//
// A batch of these is short: so many runs and so many rows of stages at most. The run itself goes in one
// commit with its tombstone and its part of the ledger; stages that are too many follow in later ones.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/hash.hpp"
#include "core/model/ledger.hpp"
#include "core/store/sealed_text.hpp"
#include "core/store/sql/writer.hpp"

namespace belay::store {

// Rows of stages in one batch: some milliseconds of the writer's time.
inline constexpr int kStagesPerBatch = 2000;
inline constexpr std::int64_t kExpiredPerBatch = 500;

inline bool is_old(const model::Run& run, const Prune::Rule& rule) {
    const Time before =
        run.status == RunStatus::Succeeded ? rule.succeeded_before : rule.others_before;
    return is_finished(run.status) && run.completed_at && *run.completed_at < before;
}

template <class Db>
void SqlWriter<Db>::put_cached(const Record& verb) {
    Statement& put = self().statements_.put_cached;
    put.bind(1, verb.cache->key);
    Db::bind_value(put, 2, *verb.stage.output);
    put.bind(3, verb.stage.cost);
    put.bind(4, now_);
    put.bind(5, verb.cache->expires_at);
    put.step_to_end();
}

template <class Db>
void SqlWriter<Db>::apply(NoteSaved& verb) {
    flush();
    if (held(verb.lease) == nullptr) {
        verb.outcome = Fenced{};
        return;
    }
    self().statements_.note_saved.run(verb.lease.run.value, verb.saved);
    verb.outcome = Applied{};
}

template <class Db>
std::string SqlWriter<Db>::refuses_to_go(const std::optional<model::Run>& run,
                                         const std::string& id) {
    if (!run) return fmt::format("there is no run with id `{}`", id);
    if (!is_finished(run->status)) {
        return fmt::format(
            "run `{}` is {}: only a run that is over can be deleted. Cancel it first.", id,
            to_string(run->status));
    }
    Rows row{self().statements_.awaited_by, run->no.value};
    if (!row.next()) return {};
    return fmt::format("run `{}` is needed by run `{}`, which is not over", id, row->text(0));
}

template <class Db>
void SqlWriter<Db>::apply(Prune& verb) {
    flush();
    verb.outcome = {};
    int stages_left = kStagesPerBatch;
    remove_gone(verb, stages_left);
    remove_named(verb, stages_left);
    for (const Prune::Rule& rule : verb.rules) remove_old(verb, rule, stages_left);
    self().statements_.forget_cached.run(now_, kExpiredPerBatch);
}

template <class Db>
void SqlWriter<Db>::remove_named(Prune& verb, int& stages_left) {
    std::vector<std::optional<RunNo>> named;
    std::vector<RunNo> there;
    for (const std::string& id : verb.run_ids) {
        const auto run = find_run(id);
        named.push_back(run ? std::optional(run->no) : std::nullopt);
        if (run) there.push_back(run->no);
    }
    if (!there.empty()) {
        lock_to_remove(there, IfBusy::Wait);
        lock_ledger();
    }
    for (std::size_t i = 0; i < named.size(); ++i) {
        const std::string& id = verb.run_ids[i];
        auto run = named[i] ? find_run(*named[i]) : std::nullopt;
        if (std::string why = refuses_to_go(run, id); !why.empty()) {
            verb.outcome.refused.emplace_back(id, std::move(why));
        } else {
            remove(verb, *std::move(run), stages_left);
        }
    }
}

// What was listed is looked at again under its lock: another worker may have opened it since, or its parent. The ledger
// comes first, because another sweep may hold it for long, and nobody's retry shall wait for that.
template <class Db>
void SqlWriter<Db>::remove_old(Prune& verb, const Prune::Rule& rule, int& stages_left) {
    const auto room = verb.limit - static_cast<int>(verb.outcome.deleted.size());
    std::vector<RunNo> old;
    {
        Rows rows{self().statements_.list_prunable, rule.workflow_key, rule.succeeded_before,
                  rule.others_before, std::int64_t{std::max(room, 0)} + 1};
        while (rows.next()) old.push_back(RunNo{rows->integer(0)});
    }
    if (old.empty()) return;
    lock_ledger();
    for (const RunNo no : lock_to_remove(old, IfBusy::Leave)) {
        if (static_cast<int>(verb.outcome.deleted.size()) >= verb.limit || stages_left <= 0) {
            verb.outcome.more = true;
            return;
        }
        auto run = find_run(no);
        if (run && is_old(*run, rule) && refuses_to_go(run, run->id).empty())
            remove(verb, *std::move(run), stages_left);
    }
}

template <class Db>
void SqlWriter<Db>::remove(Prune& verb, model::Run run, int& stages_left) {
    auto& statements = self().statements_;
    const std::int64_t no = run.no.value;
    std::int64_t stages = 0;
    std::int64_t steps = 0;
    Duration time{0};
    {
        Rows row{statements.count_run_stages, no};
        row.next();
        stages = row->integer(0);
        steps = row->integer(1);
        time = Duration{row->integer(2)};
    }
    add_to_ledger(run, steps, time);

    Statement& tombstone = statements.insert_tombstone;
    tombstone.bind(1, run.id);
    tombstone.bind(2, run.workflow_key);
    tombstone.bind_or_null(3, run.organization_id);
    tombstone.bind(4, to_string(run.status));
    const std::string input_hash = base::sha256_hex(known_by(run.input));
    tombstone.bind(5, input_hash);
    tombstone.bind(6, run.completed_at);
    tombstone.bind(7, now_);
    tombstone.step_to_end();
    statements.forget_run_attempts.run(no);
    statements.forget_run_deaths.run(no);
    statements.forget_run_messages.run(run.id);
    statements.forget_run_labels.run(no);
    statements.forget_run_exposed.run(no);
    statements.forget_run_waiters.run(no);
    forget_spending(run.no);
    statements.forget_run.run(no);
    note_deleted(run.no);
    self().runs_.forget(run.no);
    if (stages <= stages_left) {
        statements.forget_run_stages.run(no, stages);
        stages_left -= static_cast<int>(stages);
    } else {
        statements.put_gone.run(no);
        stages_left = 0;
        verb.outcome.more = true;
    }
    model::Run told;
    told.id = std::move(run.id);
    told.workflow_key = std::move(run.workflow_key);
    told.organization_id = std::move(run.organization_id);
    told.status = run.status;
    told.completed_at = run.completed_at;
    verb.outcome.deleted.push_back(std::move(told));
}

template <class Db>
void SqlWriter<Db>::remove_gone(Prune& verb, int& stages_left) {
    auto& statements = self().statements_;
    while (true) {
        std::optional<std::int64_t> gone;
        {
            Rows row{statements.next_gone};
            if (row.next()) gone = row->integer(0);
        }
        if (!gone) return;
        const int removed = statements.forget_run_stages.run(*gone, std::int64_t{stages_left});
        stages_left -= removed;
        if (stages_left <= 0) {
            verb.outcome.more = true;
            return;
        }
        statements.forget_gone.run(*gone);
    }
}

template <class Db>
void SqlWriter<Db>::add_to_ledger(const model::Run& run, std::int64_t steps, Duration time) {
    auto& statements = self().statements_;
    model::LedgerRow row = model::ledger_row_of(run);
    row.steps = steps;
    row.time = time;
    {
        Rows costs{statements.list_run_costs, run.no.value};
        while (costs.next()) {
            model::Stage stage;
            stage.cost = costs->text(0);
            model::add_stage_cost(row, stage);
        }
    }
    model::LedgerRow sum = row;
    {
        Rows before{statements.read_ledger_row, row.day, row.workflow_key, row.organization_id};
        if (before.next()) {
            model::LedgerRow old;
            model::read_ledger_text(old, before->text(0));
            model::add_to(sum, old);
        }
    }
    statements.put_ledger_row.run(row.day, row.workflow_key, row.organization_id,
                                  model::ledger_text(sum));
}

}  // namespace belay::store
