// spending.hpp — budgets, reservations and what was spent, for every store that speaks SQL (store/spending.hpp).
//
// Only paid steps come here, and what they wait for is a call over the network: these statements are not kept prepared.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <belay/codec.hpp>

#include "core/store/spending.hpp"
#include "core/store/sql/writer.hpp"

namespace belay::store {

// `Connection` may be const. `lock` is what keeps other workers out; nothing for a read.
template <class Db, class Connection, class Lock>
class SpendingRows final : public SpendingPort {
    using Statement = typename Db::Statement;
    using Rows = typename Db::Rows;

public:
    SpendingRows(Connection& db, Lock lock) : db_(db), lock_(lock) {}

    void lock() override { lock_(); }

    std::vector<model::StoredBudget> budgets() override {
        std::vector<model::StoredBudget> out;
        Statement list{db_, Db::list_budgets};
        for (Rows row{list}; row.next();) {
            out.push_back({std::string(row->text(0)), std::string(row->text(1)),
                           model::read_budget(row->text(2)), std::string(row->text(3))});
        }
        return out;
    }
    void put(const model::StoredBudget& budget) override {
        const std::string text = model::budget_text(budget.budget);
        Statement{db_, Db::put_budget}.run(budget.set_by, budget.name, text, budget.declared);
    }
    void remove(const model::StoredBudget& budget) override {
        Statement{db_, Db::remove_budget}.run(budget.set_by, budget.name);
    }

    std::optional<std::string> amount(const SpendingKey& key) override {
        Statement find{db_, Db::find_spending};
        Rows row{find, key.kind, key.period, key.owner, key.name};
        return row.next() ? std::optional(std::string(row->text(0))) : std::nullopt;
    }
    void put(const SpendingKey& key, const std::string& json) override {
        Statement{db_, Db::put_spending}.run(key.kind, key.period, key.owner, key.name, json);
    }

    std::vector<model::Reservation> reservations(RunNo run, const std::string& day) override {
        std::vector<model::Reservation> out;
        Statement list{db_, Db::list_reservations};
        for (Rows row{list, run.value, day}; row.next();) {
            out.push_back({RunNo{row->integer(0)}, std::string(row->text(1)),
                           std::string(row->text(2)), std::string(row->text(3)),
                           std::string(row->text(4)), from_json<Cost>(row->text(5)),
                           from_json<Cost>(row->text(6)), row->integer(7) != 0});
        }
        return out;
    }
    void put(const model::Reservation& of) override {
        const std::string at_most = to_json(of.at_most);
        const std::string before = to_json(of.before);
        Statement{db_, Db::put_reservation}.run(of.run.value, of.path, of.day, of.organization_id,
                                                of.workflow_key, at_most, before,
                                                std::int64_t{of.asked ? 1 : 0});
    }
    void remove(RunNo run, const std::string& path) override {
        Statement{db_, Db::remove_reservation}.run(run.value, path);
    }

private:
    Connection& db_;
    Lock lock_;
};

template <class Db, class Connection, class Lock>
SpendingRows<Db, Connection, Lock> spending_rows(Connection& db, Lock lock) {
    return {db, lock};
}

template <class Db, class Connection>
std::vector<BudgetInfo> all_budgets(Connection& db, Time now, const model::Run* run) {
    auto rows = spending_rows<Db>(db, [] {});
    return standings(rows, run, now);
}

template <class Db>
void SqlWriter<Db>::apply(Reserve& verb) {
    flush();
    if (held(verb.lease) == nullptr) {
        verb.outcome = Fenced{};
        return;
    }
    auto rows = spending_rows<Db>(self().db(), [this] { this->lock_budgets(); });
    reserve(rows, verb, now_);
}

template <class Db>
void SqlWriter<Db>::apply(ChangeBudget& verb) {
    flush();
    auto rows = spending_rows<Db>(self().db(), [this] { this->lock_budgets(); });
    change(rows, verb);
}

template <class Db>
void SqlWriter<Db>::settle_spending(const Record& verb) {
    auto rows = spending_rows<Db>(self().db(), [this] { this->lock_budgets(); });
    settle(rows, verb, now_);
}

template <class Db>
std::string SqlWriter<Db>::approve_spending(const model::Run& run,
                                            const model::Approval& approval) {
    auto rows = spending_rows<Db>(self().db(), [this] { this->lock_budgets(); });
    return approve(rows, run, approval, now_);
}

template <class Db>
void SqlWriter<Db>::forget_spending(RunNo run) {
    const std::string period = fmt::format("run {}", run.value);
    Statement{self().db(), Db::forget_spending}.run(period);
    Statement{self().db(), Db::forget_reservations}.run(run.value);
}

}  // namespace belay::store
