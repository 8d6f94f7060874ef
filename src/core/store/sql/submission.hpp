// submission.hpp — what a submission may find instead of making a run, for every store that speaks SQL: the run
// that has its id or its dedupe id, or what is left of one that was deleted (P3).
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "core/base/hash.hpp"
#include "core/model/rewind.hpp"
#include "core/store/new_run.hpp"
#include "core/store/sealed_text.hpp"
#include "core/store/sql/writer.hpp"

namespace belay::store {

template <class Db>
SubmitOutcome SqlWriter<Db>::join(const model::NewRun& run, model::Run taken, bool retry_failed) {
    SubmitOutcome found{SubmitKind::Joined, std::move(taken)};
    if (found.run.workflow_key != run.workflow_key ||
        known_by(found.run.input) != known_by(run.input)) {
        found.kind = SubmitKind::Mismatch;
    } else if (retry_failed && may_be_retried(found.run.status) && !found.run.undo_plan) {
        const model::Rewind rewind = model::rewind(stages_of(found.run.no), found.run.failure);
        retry_run(found.run.no, rewind.reset_paths, rewind.forget_paths);
        found = {SubmitKind::Retried, find_run(found.run.no).value()};
    }
    return found;
}

template <class Db>
std::optional<model::Run> SqlWriter<Db>::find_dedupe(const model::NewRun& run) {
    if (run.dedupe_id.empty()) return std::nullopt;
    const auto or_null = [](const std::string& text) {
        return text.empty() ? std::optional<std::string>() : std::optional(text);
    };
    // Kept while the statement runs: bound text is borrowed.
    const auto queue = or_null(run.queue);
    const auto organization = or_null(run.organization_id);
    // Two workers with the same dedupe id: the second finds the first's run.
    lock_dedupe(run);
    RunNo found{};
    {
        Rows row{self().statements_.find_dedupe, run.dedupe_id, queue, organization};
        if (!row.next()) return std::nullopt;
        found = RunNo{row->integer(0)};
    }
    return find_run(found);
}

template <class Db>
std::optional<SubmitOutcome> SqlWriter<Db>::tombstone_of(const model::NewRun& run,
                                                         bool retry_failed) {
    if (!may_have_tombstones()) return std::nullopt;
    SubmitOutcome left{SubmitKind::Deleted, {}};
    {
        Rows row{self().statements_.find_tombstone, run.id};
        if (!row.next()) return std::nullopt;
        left.run.id = run.id;
        left.run.workflow_key = row->text(0);
        left.run.organization_id = row->text(1);
        left.run.status = run_status(row->text(2)).value_or(RunStatus::Failed);
        left.run.completed_at = row->optional_time(4);
        const bool same = left.run.workflow_key == run.workflow_key &&
                          row->text(3) == base::sha256_hex(known_by(run.input));
        if (!same) left.kind = SubmitKind::Mismatch;
    }
    const bool may_begin_anew =
        left.kind == SubmitKind::Deleted && retry_failed && left.run.status != RunStatus::Succeeded;
    if (!may_begin_anew) return left;
    self().statements_.forget_tombstone.run(run.id);
    return std::nullopt;
}

}  // namespace belay::store
