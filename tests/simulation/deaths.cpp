#include "simulation/deaths.hpp"

#include <utility>

#include <fmt/format.h>

#include <belay/belay.hpp>

#include "core/env/random.hpp"
#include "simulation/simulate.hpp"

namespace belay::test {
namespace {

const int kDeathsMax = EngineOptions{}.crash_loop_deaths_max;

void make_deadly(std::vector<Op>& ops, env::Random& random) {
    for (Op& op : ops) {
        if (op.kind == OpKind::Step && random.below(2) == 0) {
            op.kind = OpKind::Deadly;
            // None at all is one that executes while others die; eight is found out, and goes on when it is resumed.
            op.count = static_cast<int>(random.below(9));
        }
        make_deadly(op.inside, random);
    }
}

bool any_deadly(const std::vector<Op>& ops) {
    for (const Op& op : ops) {
        if (op.kind == OpKind::Deadly || any_deadly(op.inside)) return true;
    }
    return false;
}

}  // namespace

// From a sequence of its own: what was drawn without deaths stays what it was.
void draw_deaths(Plan& plan) {
    env::SeededRandom random{plan.seed * 0x9e3779b97f4a7c15U + 3};
    if (random.below(3) != 0) return;
    for (PlannedRun& run : plan.runs) make_deadly(run.program.ops, random);
}

bool has_deaths(const Plan& plan) {
    for (const PlannedRun& run : plan.runs) {
        if (any_deadly(run.program.ops)) return true;
    }
    return false;
}

void Deaths::broken(std::string sentence) { verdict_.broken.push_back(std::move(sentence)); }

void Deaths::dies(const void* process, const std::string& worker, bool by_signal, bool is_newest) {
    std::vector<std::string> runs;
    for (const Executing& one : inside_) {
        if (one.process == process) runs.push_back(one.run);
    }
    if (runs.empty()) return;
    ++verdict_.reached.died_inside;
    if (by_signal) {
        // The others were only there.
        executed_[worker].insert(runs.back());
        ++deaths_[runs.back()];
        if (is_newest) crashed(runs.back());
        return;
    }
    for (const std::string& run : runs) {
        if (!executed_[worker].insert(run).second) continue;
        ++deaths_[run];
        crashes_.erase(
            run);  // it may have been the other one: one that sits a death out is cleared
    }
}

void Deaths::crashed(const std::string& run) {
    const auto now = disk_.find_run(run);
    if (!now) return;
    Crashes& crashes = crashes_[run];
    // A retry clears it, and one of its parent's is one of its own.
    if (std::exchange(crashes.retries, now->attempts) != now->attempts) crashes.in_a_row = 0;
    // One that is asked to cancel gets twice as many, to clean up.
    const int allowed = now->cancel_requested ? 2 * kDeathsMax : kDeathsMax;
    if (++crashes.in_a_row <= allowed) return;
    broken(fmt::format("{} has crashed its process {} times in a row and is not paused", run,
                       crashes.in_a_row));
}

void Deaths::is_cleared(const std::string& run) {
    deaths_.erase(run);
    crashes_.erase(run);
}

void Deaths::charged(const store::NoteDeath& death) {
    for (const model::RunNo no : death.charged) {
        const auto run = disk_.find_run(no);
        if (!run) continue;
        ++verdict_.reached.charged;
        if (!executed_[death.worker].contains(run->id)) {
            broken(fmt::format("{} is charged with the death of {} and was not executing", run->id,
                               death.worker));
        }
    }
}

void Deaths::committed(const store::Batch& batch) {
    for (const store::Verb& verb : batch.verbs) {
        if (const auto* death = std::get_if<store::NoteDeath>(&verb)) {
            charged(*death);
        } else if (const auto* record = std::get_if<store::Record>(&verb)) {
            if (!record->clear_recoveries ||
                !std::holds_alternative<store::Applied>(record->outcome))
                continue;
            if (const auto run = disk_.find_run(record->lease.run)) is_cleared(run->id);
        } else if (const auto* control = std::get_if<store::Control>(&verb)) {
            const bool clears = control->kind == store::ControlKind::Resume ||
                                control->kind == store::ControlKind::Retry;
            if (clears && control->outcome == store::ControlResult::Done)
                is_cleared(control->run_id);
        } else if (const auto* claim = std::get_if<store::Claim>(&verb)) {
            for (const model::Run& run : claim->outcome.ended) {
                if (!run.failure || run.failure->code != "CrashLoop") continue;
                ++verdict_.reached.found_out;
                if (deaths_[run.id] >= kDeathsMax) continue;
                broken(fmt::format("{} is paused as a crash loop after {} deaths in its code",
                                   run.id, deaths_[run.id]));
            }
        }
    }
}

}  // namespace belay::test
