// prune.cpp — the memory store's Prune and NoteSaved: runs that go, and what is left of them.
#include <algorithm>

#include <fmt/format.h>

#include <belay/codec.hpp>

#include "core/store/memory/batch_pass.hpp"

namespace belay::store::memory {

std::vector<RunNo> Tables::all_runs() const {
    std::vector<RunNo> runs;
    runs.reserve(rows_.size());
    for (const auto& [no, row] : rows_) runs.push_back(no);
    return runs;
}

const Tombstone* Tables::tombstone(std::string_view id) const {
    const auto found = tombstones_.find(id);
    return found == tombstones_.end() ? nullptr : &found->second;
}

const CachedAnswer* Tables::cached(std::string_view key) const {
    const auto found = cached_.find(key);
    return found == cached_.end() ? nullptr : &found->second;
}

void Tables::remove_run(RunNo no) {
    Row row = rows_.at(no);
    std::map<std::int64_t, Message> messages;
    for (const auto& [id, message] : messages_) {
        if (message.sent.run_id == row.run.id) messages.emplace(id, message);
    }
    const auto waiters = waiters_;
    const auto came = came_;
    for (const auto& [id, message] : messages) messages_.erase(id);
    waiters_.erase(no);
    for (auto& [run, waiting] : waiters_) {
        std::erase_if(waiting, [&](const auto& waiter) { return waiter.first == no; });
    }
    came_.erase(no);
    for (auto& [waiter, ended] : came_) {
        std::erase_if(ended, [&](const auto& run) { return run.first == no; });
    }
    if (row.run.parent) children_[row.run.parent].erase(no);
    unindex(row.run);
    by_id_.erase(row.run.id);
    rows_.erase(no);
    undo_.emplace_back(
        [this, no, row = std::move(row), messages = std::move(messages), waiters, came] {
            rows_[no] = row;
            by_id_.emplace(row.run.id, no);
            index(row.run);
            if (row.run.parent) children_[row.run.parent].insert(no);
            for (const auto& [id, message] : messages) messages_.emplace(id, message);
            waiters_ = waiters;
            came_ = came;
        });
}

void Tables::put_tombstone(Tombstone tombstone) {
    undo_.emplace_back([this, id = tombstone.run.id] { tombstones_.erase(id); });
    tombstones_.emplace(tombstone.run.id, std::move(tombstone));
}

void Tables::remove_tombstone(const std::string& id) {
    undo_.emplace_back(
        [this, before = tombstones_.at(id)] { tombstones_.emplace(before.run.id, before); });
    tombstones_.erase(id);
}

void Tables::put_cached(const std::string& key, CachedAnswer answer) {
    undo_.emplace_back([this, before = cached_] { cached_ = before; });
    cached_[key] = std::move(answer);
}

void Tables::remove_expired(Time now) {
    undo_.emplace_back([this, before = cached_] { cached_ = before; });
    std::erase_if(cached_, [&](const auto& one) { return one.second.expires_at <= now; });
}

void Tables::add_to_ledger(const model::LedgerRow& row) {
    undo_.emplace_back([this, before = ledger_] { ledger_ = before; });
    model::add_to(model::row_of(ledger_, row.day, row.workflow_key, row.organization_id), row);
}

void BatchPass::apply(NoteSaved& verb) {
    const model::Run* found = held(verb.lease);
    if (found == nullptr) {
        verb.outcome = Fenced{};
        return;
    }
    model::Run run = *found;
    run.saved = verb.saved;
    tables_.put_run(run);
    verb.outcome = Applied{};
}

// Who still needs the run; empty: nobody.
std::string BatchPass::needed_by(const model::Run& run) const {
    const model::Run* parent = run.parent ? tables_.run(run.parent) : nullptr;
    if (parent != nullptr && !is_finished(parent->status)) return parent->id;
    if (!run.is_awaited) return {};
    const std::string named = to_json(run.id);
    for (const RunNo no : tables_.all_runs()) {
        const model::Run& other = *tables_.run(no);
        if (is_finished(other.status)) continue;
        for (const model::Stage& stage : tables_.stages(no)) {
            const bool awaits = stage.kind == model::StageKind::Child &&
                                !is_finished(stage.status) && stage.output == named;
            if (awaits) return other.id;
        }
    }
    return {};
}

std::string BatchPass::refuses_to_go(const model::Run* run, const std::string& id) const {
    if (run == nullptr) return fmt::format("there is no run with id `{}`", id);
    if (!is_finished(run->status)) {
        return fmt::format(
            "run `{}` is {}: only a run that is over can be deleted. Cancel it first.", id,
            to_string(run->status));
    }
    const std::string needed = needed_by(*run);
    if (needed.empty()) return {};
    return fmt::format("run `{}` is needed by run `{}`, which is not over", id, needed);
}

void BatchPass::apply(Prune& verb) {
    verb.outcome = {};
    for (const std::string& id : verb.run_ids) {
        const model::Run* run = tables_.run(id);
        if (std::string why = refuses_to_go(run, id); !why.empty()) {
            verb.outcome.refused.emplace_back(id, std::move(why));
        } else {
            remove(verb, *run);
        }
    }
    for (const RunNo no : verb.rules.empty() ? std::vector<RunNo>{} : tables_.all_runs()) {
        const model::Run run = *tables_.run(no);
        const auto rule = std::find_if(
            verb.rules.begin(), verb.rules.end(),
            [&](const Prune::Rule& one) { return one.workflow_key == run.workflow_key; });
        if (rule == verb.rules.end() || !run.completed_at || !refuses_to_go(&run, run.id).empty())
            continue;
        const Time before =
            run.status == RunStatus::Succeeded ? rule->succeeded_before : rule->others_before;
        if (*run.completed_at >= before) continue;
        if (static_cast<int>(verb.outcome.deleted.size()) >= verb.limit) {
            verb.outcome.more = true;
            break;
        }
        remove(verb, run);
    }
    tables_.remove_expired(now_);
}

void BatchPass::remove(Prune& verb, model::Run run) {
    model::LedgerRow row = model::ledger_row_of(run);
    for (const model::Stage& stage : tables_.stages(run.no)) model::add_stage(row, stage);
    tables_.add_to_ledger(row);
    forget_spending(tables_.change_spending(), run.no);
    tables_.remove_run(run.no);
    Tombstone left;
    left.run.id = run.id;
    left.run.workflow_key = run.workflow_key;
    left.run.organization_id = run.organization_id;
    left.run.status = run.status;
    left.run.completed_at = run.completed_at;
    left.input = run.input;
    tables_.put_tombstone(left);
    verb.outcome.deleted.push_back(std::move(left.run));
}

}  // namespace belay::store::memory
