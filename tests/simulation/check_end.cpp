#include "simulation/check_end.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <belay/belay.hpp>

#include "core/model/budget.hpp"
#include "core/model/cost.hpp"
#include "core/model/undo.hpp"
#include "simulation/program.hpp"

namespace belay::test {
namespace {

class EndCheck {
public:
    EndCheck(store::MemoryStore& disk, const Past& past, Verdict& verdict)
        : disk_(disk), past_(past), verdict_(verdict) {}

    void check() {
        std::set<std::string> found;
        for (const model::Run& run : all_runs(disk_)) {
            found.insert(run.id);
            if (run.id.find('/') != std::string::npos) ++verdict_.reached.children;
            check_run(run);
        }
        for (const std::string& id : past_.accepted) {
            if (!found.contains(id) && !past_.gone.contains(id))
                broken(fmt::format("{} was accepted and is gone (P2)", id));
        }
        if (found.empty()) return;  // perhaps not one process lived to make the tables
        const auto twice =
            disk_.query("SELECT run, name FROM rows GROUP BY run, name HAVING count(*) > 1", {});
        for (const auto& row : twice.rows) {
            if (past_.gone.contains(std::get<std::string>(row[0]))) continue;
            broken(fmt::format("row `{}` of {} is there twice (P4)", std::get<std::string>(row[1]),
                               std::get<std::string>(row[0])));
        }
    }

    void check_undo(const model::Run& run);

private:
    void broken(std::string sentence) { verdict_.broken.push_back(std::move(sentence)); }

    bool may_be_canceled(const std::string& id) const {
        return std::any_of(
            past_.canceled.begin(), past_.canceled.end(),
            [&](const std::string& root) { return id == root || id.starts_with(root + "/"); });
    }

    std::vector<std::string> open_stages(const model::Run& run) {
        std::vector<std::string> open;
        for (const model::Stage& stage : disk_.stages(run.no)) {
            if (is_finished(stage.status)) continue;
            open.push_back(
                fmt::format("{} `{}` {}", stage.path, stage.stage_key, to_string(stage.status)));
        }
        if (run.wake_at) open.push_back(fmt::format("wakes at {}", *run.wake_at));
        open.push_back(fmt::format("now {}", past_.now));
        return open;
    }

    void check_run(const model::Run& run) {
        // What was undone is not tried again.
        if (run.status == RunStatus::Failed && run.undo_plan) return;
        if (run.status == RunStatus::Canceled && may_be_canceled(run.id)) return;
        if (run.status != RunStatus::Succeeded) {
            return broken(fmt::format("{} is {}{} although nothing can run any more (P6); open: {}",
                                      run.id, to_string(run.status),
                                      run.failure ? ": " + run.failure->message : "",
                                      fmt::join(open_stages(run), ", ")));
        }
        const auto program = from_json<Program>(run.input);
        const std::string expected = to_json(expected_result(program.ops));
        if (run.result.value_or("nothing") != expected) {
            broken(fmt::format("{} gave {} and not {}", run.id, run.result.value_or("nothing"),
                               expected));
        }
        if (!past_.gone.contains(run.id)) check_rows(run, expected_rows(program.ops));
        check_spent(run);
        const model::Said said = disk_.said(run.no);
        verdict_.reached.said += static_cast<std::int64_t>(said.exposed.size());
        if (!is_as_said(run, said, expected_said(program.ops, run.id))) {
            broken(fmt::format("{} says {} {} of itself, which is not what it said last", run.id,
                               model::labels_text(said.labels), to_json(said.exposed)));
        }
        for (const model::Stage& stage : disk_.stages(run.no)) {
            if (!is_finished(stage.status)) {
                broken(fmt::format("{} has succeeded, and its stage `{}` is {}", run.id,
                                   stage.stage_key, to_string(stage.status)));
            }
        }
    }

    // Whatever died in between, each record is paid for once. What a fork keeps it has not paid.
    void check_spent(const model::Run& run) {
        if (past_.forks.contains(run.id)) return;
        const Cost cost = model::cost_of(disk_.stages(run.no));
        for (const BudgetInfo& it : disk_.budgets(past_.now, &run)) {
            if (it.budget.per != BudgetPer::Run) continue;
            if (it.spent != model::counted(cost, it.budget)) {
                broken(fmt::format("{} has cost {} by its records, and {} by its budget", run.id,
                                   to_string(cost), it.spent.amount()));
            }
        }
    }

    // A fork does not call again what is inside the scopes that it keeps, so it may have said less.
    bool is_as_said(const model::Run& run, const model::Said& said, const model::Said& expected) {
        if (!past_.forks.contains(run.id)) return said == expected;
        return said.labels == expected.labels &&
               std::includes(expected.exposed.begin(), expected.exposed.end(), said.exposed.begin(),
                             said.exposed.end());
    }

    void check_rows(const model::Run& run, std::int64_t expected) {
        const std::vector<SqlValue> id{SqlValue{run.id}};
        const auto rows = disk_.query("SELECT count(*) FROM rows WHERE run = ?", id);
        const auto count = std::get<std::int64_t>(rows.rows.at(0).at(0));
        verdict_.reached.rows += count;
        // What a fork keeps it does not write again.
        const bool is_right = past_.forks.contains(run.id) ? count <= expected : count == expected;
        if (!is_right)
            broken(fmt::format("{} left {} rows and not {} (P4)", run.id, count, expected));
    }

    store::MemoryStore& disk_;
    const Past& past_;
    Verdict& verdict_;
};

void EndCheck::check_undo(const model::Run& run) {
    const std::vector<model::Stage> stages = disk_.stages(run.no);
    const auto stage_at = [&](const std::string& path) {
        const auto found =
            std::find_if(stages.begin(), stages.end(),
                         [&](const model::Stage& stage) { return stage.path == path; });
        return found == stages.end() ? model::Stage{} : *found;
    };
    if (!run.undo_plan) {
        if (std::any_of(stages.begin(), stages.end(), model::is_undo))
            broken(fmt::format("{} was undone, and there is no plan of it", run.id));
    } else {
        ++verdict_.reached.undone;
        const model::UndoPlan plan = model::read_undo_plan(*run.undo_plan);
        std::int64_t before = std::numeric_limits<std::int64_t>::max();
        std::int64_t undone_before = 0;
        for (const model::UndoneStep& step : plan.steps) {
            const std::int64_t position = stage_at(step.path).position;
            if (position >= before)
                broken(
                    fmt::format("{} undoes `{}` too late: it began after what is undone "
                                "before it",
                                run.id, step.key));
            before = position;
            const model::Stage undo = stage_at(model::undo_path(step.path));
            if (past_.left.contains(run.id)) continue;
            if (undo.status != StageStatus::Succeeded || undo.position <= undone_before)
                broken(fmt::format("{} is over, and `{}` was not undone in its turn", run.id,
                                   step.key));
            undone_before = undo.position;
        }
        if (run.status != plan.end)
            broken(fmt::format("{} is {} and was to end as {}", run.id, to_string(run.status),
                               to_string(plan.end)));
    }
    if (run.status == RunStatus::Succeeded || past_.froze || past_.left.contains(run.id) ||
        past_.forks.contains(run.id) || past_.gone.contains(run.id))
        return;
    for (const auto& [id, name] : past_.taken) {
        if (id == run.id)
            broken(fmt::format("{} is {} and has not given back what `{}` took", id,
                               to_string(run.status), name));
    }
}

}  // namespace

void check_undo(store::MemoryStore& disk, const model::Run& run, const Past& past,
                Verdict& verdict) {
    EndCheck{disk, past, verdict}.check_undo(run);
}

void check_the_end(store::MemoryStore& disk, const Past& past, Verdict& verdict) {
    EndCheck{disk, past, verdict}.check();
}

std::vector<model::Run> all_runs(store::MemoryStore& disk) {
    store::RunFilter filter;
    filter.limit = 1000;
    return disk.list_runs(filter).runs;
}

}  // namespace belay::test
