// spending.hpp — what may be paid, is reserved and was spent: the same in every store.
//
// A row of what was spent for each run, and for each day by organization and workflow, by organization, by workflow (all
// organizations), and in all: so a budget finds its sum in one row, whenever it was set. What is reserved is a row for each
// call under way, which counts while its run is not over: a run that ends gives back what it has not spent, however it
// ends. A day is UTC.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/model/budget.hpp"
#include "core/store/batch.hpp"

namespace belay::store {

// A row of amounts: `spent` by run ("run 7", "", "") or by day, organization (or "*") and workflow (or ""); `raised` by
// period, who set the budget, and its name.
struct SpendingKey {
    std::string kind{};
    std::string period{};
    std::string owner{};
    std::string name{};

    friend auto operator<=>(const SpendingKey&, const SpendingKey&) = default;
};

// What a store does for it, inside the verb's transaction or in a read.
class SpendingPort {
public:
    virtual ~SpendingPort() = default;

    // Until the commit no other worker reserves, settles or approves.
    virtual void lock() = 0;
    // By who set them and by name.
    virtual std::vector<model::StoredBudget> budgets() = 0;
    virtual void put(const model::StoredBudget& budget) = 0;
    virtual void remove(const model::StoredBudget& budget) = 0;
    // JSON of a Cost, or of Money.
    virtual std::optional<std::string> amount(const SpendingKey& key) = 0;
    virtual void put(const SpendingKey& key, const std::string& json) = 0;
    // Of runs that are not over: that run's, and all of that day.
    virtual std::vector<model::Reservation> reservations(RunNo run, const std::string& day) = 0;
    // Of one stage, whatever has become of its run.
    virtual void put(const model::Reservation& reservation) = 0;
    virtual void remove(RunNo run, const std::string& path) = 0;
};

// Under the run's lease. Gives the verb its outcome.
void reserve(SpendingPort& port, Reserve& verb, Time now);

// After the record was written; only of one that settles.
void settle(SpendingPort& port, const Record& verb, Time now);

void change(SpendingPort& port, ChangeBudget& verb);

// What the run asked is reserved, or the limits in its way are raised. Gives why not; empty: it may be resumed.
std::string approve(SpendingPort& port, const model::Run& run, const model::Approval& approval,
                    Time now);

// As Store::budgets says.
std::vector<BudgetInfo> standings(SpendingPort& port, const model::Run* run, Time now);

}  // namespace belay::store
