// deaths.cpp — the memory store's NoteDeath, and who took the runs of the dead.
#include <algorithm>

#include "core/base/limits.hpp"
#include "core/store/memory/batch_pass.hpp"

namespace belay::store::memory {

namespace {

std::optional<model::Death> death_at(const Tables& tables, RunNo run, std::int64_t epoch,
                                     const std::string& worker) {
    for (model::Death& death : tables.deaths(run)) {
        if (death.epoch == epoch && death.worker == worker) return std::move(death);
    }
    return std::nullopt;
}

// Its newest in that worker's hands, not before that epoch.
std::optional<model::Death> death_since(const Tables& tables, RunNo run, std::int64_t epoch,
                                        const std::string& worker) {
    std::optional<model::Death> newest;
    for (model::Death& death : tables.deaths(run)) {
        if (death.worker != worker || death.epoch < epoch) continue;
        if (!newest || death.epoch > newest->epoch) newest = std::move(death);
    }
    return newest;
}

bool is_charged_with(const Tables& tables, RunNo run, const std::string& worker) {
    const auto deaths = tables.deaths(run);
    return std::any_of(deaths.begin(), deaths.end(), [&](const model::Death& death) {
        return death.worker == worker && death.charged;
    });
}

// Its newest charge is a signal that its own thread raised: that others die as well does not clear it.
bool was_seen_crashing(const Tables& tables, RunNo run) {
    const model::Death* newest = nullptr;
    const auto deaths = tables.deaths(run);
    for (const model::Death& death : deaths) {
        if (death.charged && (newest == nullptr || death.epoch >= newest->epoch)) newest = &death;
    }
    return newest != nullptr && newest->reason == model::DeathReason::Signal;
}

bool is_open(const model::Run& run) {
    return run.status == RunStatus::Queued || run.status == RunStatus::Waiting ||
           run.status == RunStatus::Running;
}

}  // namespace

void BatchPass::apply(NoteDeath& verb) {
    verb.charged.clear();
    if (!executes_) return;
    for (const RunNo no : tables_.all_runs()) {
        for (model::Death& death : tables_.deaths(no)) {
            if (death.worker != verb.worker || death.reason != model::DeathReason::Unknown)
                continue;
            death.last_seen = verb.last_seen;
            death.reason = verb.reason;
            tables_.put_death(no, death);
        }
        const model::Run& run = *tables_.run(no);
        const bool was_its = run.status == RunStatus::Running && run.worker == verb.worker;
        if (was_its && !death_at(tables_, no, run.epoch, verb.worker)) {
            tables_.put_death(
                no, {run.epoch, verb.worker, verb.last_seen, {}, {}, {}, false, verb.reason});
        }
    }
    for (const NoteDeath::Executing& one : verb.executing) {
        if (charge(verb, one)) verb.charged.push_back(one.lease.run);
    }
    for (const RunNo no : tables_.all_runs()) {
        model::Run run = *tables_.run(no);
        const bool was_its = run.status == RunStatus::Running && run.worker == verb.worker;
        if (was_its || !is_open(run) || run.charges < base::kSuspectCharges ||
            is_charged_with(tables_, no, verb.worker) || was_seen_crashing(tables_, no)) {
            continue;
        }
        run.charges = 0;
        tables_.put_run(run);
    }
}

bool BatchPass::charge(const NoteDeath& verb, const NoteDeath::Executing& one) {
    const model::Run* const there = tables_.run(one.lease.run);
    if (there == nullptr || !is_open(*there)) return false;
    model::Run run = *there;
    auto death = death_since(tables_, run.no, one.lease.epoch, verb.worker);
    // Also when it had taken it anew meanwhile, and the old code still executed.
    const bool was_its = death && run.epoch == death->epoch;
    const bool taken_since = death && run.epoch > death->epoch && run.recoveries > 0;
    const bool was_nobodys = run.epoch == one.lease.epoch && run.status != RunStatus::Running;
    if ((!was_its && !taken_since && !was_nobodys) || (death && death->charged)) return false;
    if (!death) {
        death = model::Death{one.lease.epoch, verb.worker, verb.last_seen, {}, {}, {}, false, {}};
    }
    death->stage = one.stage;
    death->charged = true;
    death->reason = verb.reason;
    tables_.put_death(run.no, *death);
    run.charges += 1;
    tables_.put_run(run);
    return true;
}

void BatchPass::note_pick_up(const Claim& verb, const model::Run& orphan) {
    auto death = death_at(tables_, orphan.no, orphan.epoch, orphan.worker);
    if (!death) {
        death = model::Death{orphan.epoch, orphan.worker, orphan.updated_at, {}, {}, {}, false, {}};
    }
    death->picked_up_by = verb.worker;
    death->picked_up_at = now_;
    tables_.put_death(orphan.no, *death);
}

}  // namespace belay::store::memory
