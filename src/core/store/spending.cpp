#include "core/store/spending.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <belay/codec.hpp>
#include <belay/error.hpp>

#include "core/base/limits.hpp"
#include "core/model/cost.hpp"

namespace belay::store {

namespace {

using model::Reached;
using model::Reservation;
using model::StoredBudget;

// Whose money, and in which time.
struct Place {
    RunNo run{};
    std::string organization{};
    std::string workflow{};
    std::string day{};
};

SpendingKey spent_key(const Budget& budget, const Place& place) {
    const std::string period = model::period_of(budget, place.run, place.day);
    if (budget.per == BudgetPer::Run) return {"spent", period, "", ""};
    return {"spent", period, budget.organization, budget.workflow};
}

SpendingKey raised_key(const StoredBudget& budget, const Place& place) {
    return {"raised", model::period_of(budget.budget, place.run, place.day), budget.set_by,
            budget.name};
}

Cost cost_at(SpendingPort& port, const SpendingKey& key) {
    const auto found = port.amount(key);
    return found ? from_json<Cost>(*found) : Cost{};
}

Money raised_at(SpendingPort& port, const SpendingKey& key) {
    const auto found = port.amount(key);
    return found ? from_json<Money>(*found) : Money{};
}

void spend(SpendingPort& port, const Reservation& of, const Cost& cost) {
    if (cost.empty()) return;
    const std::string all(model::kAllOrganizations);
    const std::string& day = of.day;
    for (const SpendingKey& key :
         {SpendingKey{"spent", fmt::format("run {}", of.run.value), "", ""},
          SpendingKey{"spent", day, of.organization_id, of.workflow_key},
          SpendingKey{"spent", day, of.organization_id, ""},
          SpendingKey{"spent", day, all, of.workflow_key}, SpendingKey{"spent", day, all, ""}}) {
        Cost sum = cost_at(port, key);
        try {
            sum += cost;
        } catch (const Error&) {
            continue;  // above what an amount can hold; what is there is far above any limit
        }
        port.put(key, to_json(sum));
    }
}

Money reserved_of(const Budget& budget, const Place& place, const std::vector<Reservation>& rows,
                  const std::string& but_path) {
    Money sum = model::difference(model::limit_of(budget), model::limit_of(budget));
    for (const Reservation& row : rows) {
        if (row.asked || (row.run == place.run && row.path == but_path)) continue;
        const bool counted = budget.per == BudgetPer::Run
                                 ? row.run == place.run
                                 : row.day == place.day &&
                                       model::counts(budget, row.organization_id, row.workflow_key);
        if (counted) sum += model::counted(row.at_most, budget);
    }
    return sum;
}

// How it stands for a call at that place. `asked` is nothing yet.
Reached standing(SpendingPort& port, const StoredBudget& budget, const Place& place,
                 const std::vector<Reservation>& rows, const std::string& but_path) {
    Reached out;
    out.budget = budget;
    out.period = model::period_of(budget.budget, place.run, place.day);
    out.limit = model::limit_of(budget.budget) + raised_at(port, raised_key(budget, place));
    out.spent = model::counted(cost_at(port, spent_key(budget.budget, place)), budget.budget);
    out.reserved = reserved_of(budget.budget, place, rows, but_path);
    return out;
}

bool goes_over(const Reached& it) {
    try {
        const Money sum = it.spent + it.reserved + it.asked;
        return model::is_negative(model::difference(it.limit, sum));
    } catch (const Error&) {
        return true;  // it does not even fit
    }
}

// All that are in the way of `at_most` at that stage.
std::vector<Reached> in_the_way(SpendingPort& port, const Place& place, const std::string& path,
                                const Cost& at_most, const std::vector<Reservation>& rows) {
    std::vector<Reached> out;
    for (const StoredBudget& budget : port.budgets()) {
        if (!model::counts(budget.budget, place.organization, place.workflow)) continue;
        const Money asked = model::counted(at_most, budget.budget);
        if (asked.is_zero()) continue;
        Reached it = standing(port, budget, place, rows, path);
        it.asked = asked;
        if (goes_over(it)) out.push_back(std::move(it));
    }
    return out;
}

// Why that person may not let it through so; empty: they may.
std::string refuses(const model::Approval& approval, const Reached& it) {
    if (!approval.is_own && it.budget.set_by != approval.by) {
        return fmt::format(
            "budget `{}` was set by `{}`: only a token of that organization may approve what goes "
            "over it",
            it.budget.name, it.budget.set_by);
    }
    if (approval.limit.currency().empty()) return {};
    if (approval.limit.currency() != it.limit.currency()) {
        return fmt::format(
            "budget `{}` is in {}, and the new limit is {}", it.budget.name,
            it.limit.currency() == kTokenUnit ? std::string("tokens") : it.limit.currency(),
            model::amount_text(approval.limit));
    }
    Reached under = it;
    under.limit = approval.limit;
    if (!goes_over(under)) return {};
    return fmt::format(
        "under a limit of {} the call would not be made either: it may cost {}, and budget `{}` "
        "has {} spent and {} reserved",
        model::amount_text(approval.limit), model::amount_text(it.asked), it.budget.name,
        model::amount_text(it.spent), model::amount_text(it.reserved));
}

bool covers(const Cost& kept, const Cost& wanted) {
    const Cost left = model::difference(kept, wanted);
    return left.tokens_in + left.tokens_out >= 0 &&
           std::none_of(left.money.begin(), left.money.end(),
                        [](const auto& one) { return model::is_negative(one.second); });
}

}  // namespace

void reserve(SpendingPort& port, Reserve& verb, Time now) {
    port.lock();
    verb.reached.reset();
    const Place place{verb.lease.run, verb.organization_id, verb.workflow_key,
                      model::day_text(now)};
    const std::vector<Reservation> rows = port.reservations(place.run, place.day);
    Reservation made{place.run,      verb.path,    place.day,   place.organization,
                     place.workflow, verb.at_most, verb.before, false};
    const auto own = std::find_if(rows.begin(), rows.end(), [&](const Reservation& row) {
        return row.run == place.run && row.path == verb.path;
    });
    const bool stands = own != rows.end() && !own->asked && covers(own->at_most, verb.at_most);
    if (stands) made.day = own->day;
    auto reached =
        stands ? std::vector<Reached>{} : in_the_way(port, place, verb.path, verb.at_most, rows);
    made.asked = !reached.empty();
    port.put(made);
    if (!made.asked) {
        verb.outcome = Applied{};
        return;
    }
    verb.outcome = Refused{model::sentence_of(reached.front(), verb.stage_key)};
    verb.reached = std::move(reached.front());
}

void settle(SpendingPort& port, const Record& verb, Time now) {
    port.lock();
    const RunNo run = verb.lease.run;
    for (const Reservation& row : port.reservations(run, model::day_text(now))) {
        if (row.run != run || row.path != verb.stage.path || row.asked) continue;
        Cost cost = model::difference(model::cost_of(verb.stage), row.before);
        if (verb.settles == Record::Settles::Whole) cost += row.at_most;
        spend(port, row, cost);
        port.remove(run, row.path);
        return;
    }
}

void change(SpendingPort& port, ChangeBudget& verb) {
    port.lock();
    verb.outcome = ChangeResult::Done;
    verb.why.clear();
    const std::vector<StoredBudget> all = port.budgets();
    const auto found = std::find_if(all.begin(), all.end(), [&](const StoredBudget& one) {
        return one.set_by == verb.budget.set_by && one.name == verb.budget.name;
    });
    if (verb.kind == ChangeKind::Declare || verb.kind == ChangeKind::Set) {
        if (found == all.end() && all.size() >= base::kBudgetsMax) {
            verb.outcome = ChangeResult::Refused;
            verb.why = fmt::format("there are {} budgets, which is the most", all.size());
            return;
        }
        StoredBudget row = verb.budget;
        if (verb.kind == ChangeKind::Declare) {
            if (found != all.end() && found->declared == row.declared) return;
        } else {
            row.declared = found != all.end() ? found->declared : "";
        }
        port.put(row);
        return;
    }
    if (verb.kind != ChangeKind::Remove) {
        verb.outcome = ChangeResult::Refused;
        verb.why = "a budget is not paused: remove it, or set another limit";
        return;
    }
    if (found == all.end()) {
        verb.outcome = ChangeResult::NotFound;
        return;
    }
    port.remove(*found);
}

std::string approve(SpendingPort& port, const model::Run& run, const model::Approval& approval,
                    Time now) {
    const bool is_for_this = run.status == RunStatus::Paused && run.failure &&
                             run.failure->code == to_string(ErrorCode::BudgetReached);
    if (!is_for_this)
        return fmt::format("run `{}` is not paused by a budget: there is nothing to approve",
                           run.id);
    port.lock();
    const bool is_once = approval.limit.currency().empty();
    const Place place{run.no, run.organization_id, run.workflow_key, model::day_text(now)};
    std::vector<Reservation> rows = port.reservations(place.run, place.day);
    std::vector<StoredBudget> raised;
    std::vector<std::string> paths;
    for (Reservation& row : rows) {
        if (row.run != run.no || !row.asked) continue;
        for (const Reached& it : in_the_way(port, place, row.path, row.at_most, rows)) {
            if (std::string why = refuses(approval, it); !why.empty()) return why;
            if (!is_once) raised.push_back(it.budget);
        }
        // Branches that asked at once are let through one after the other: each has to have room beside those before it.
        row.asked = false;
        row.day = place.day;
        paths.push_back(row.path);
    }
    // Nothing is written before all may be. Under a new limit the replay asks again; what is approved once is kept for it.
    for (const Reservation& row : rows) {
        if (row.run != run.no || std::ranges::find(paths, row.path) == paths.end()) continue;
        if (is_once) {
            port.put(row);
        } else {
            port.remove(run.no, row.path);
        }
    }
    for (const StoredBudget& budget : raised) {
        port.put(raised_key(budget, place),
                 to_json(model::difference(approval.limit, model::limit_of(budget.budget))));
    }
    return {};
}

std::vector<BudgetInfo> standings(SpendingPort& port, const model::Run* run, Time now) {
    std::vector<BudgetInfo> out;
    Place place;
    place.day = model::day_text(now);
    if (run != nullptr) {
        place.run = run->no;
        place.organization = run->organization_id;
        place.workflow = run->workflow_key;
    }
    const std::vector<Reservation> rows = port.reservations(place.run, place.day);
    for (const StoredBudget& budget : port.budgets()) {
        if (run != nullptr && !model::counts(budget.budget, place.organization, place.workflow))
            continue;
        const Reached it = standing(port, budget, place, rows, "");
        BudgetInfo& info = out.emplace_back();
        info.name = budget.name;
        info.set_by = budget.set_by;
        info.budget = budget.budget;
        if (run != nullptr || budget.budget.per == BudgetPer::Day) info.period = it.period;
        if (run != nullptr && budget.budget.per == BudgetPer::Run) info.period = run->id;
        info.limit = it.limit;
        info.spent = it.spent;
        info.reserved = it.reserved;
    }
    return out;
}

}  // namespace belay::store
