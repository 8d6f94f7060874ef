// spending.cpp — the memory store's budgets: what may be paid, is kept free and was spent.
#include <fmt/format.h>

#include "core/store/memory/batch_pass.hpp"
#include "core/store/memory/memory_disk.hpp"
#include "core/store/memory/memory_store.hpp"

namespace belay::store {

namespace {

class Port final : public SpendingPort {
public:
    explicit Port(memory::Tables& tables) : tables_(tables) {}

    void lock() override {}

    std::vector<model::StoredBudget> budgets() override {
        std::vector<model::StoredBudget> out;
        for (const auto& [key, budget] : tables_.spending().budgets) out.push_back(budget);
        return out;
    }
    void put(const model::StoredBudget& budget) override {
        tables_.change_spending().budgets.insert_or_assign({budget.set_by, budget.name}, budget);
    }
    void remove(const model::StoredBudget& budget) override {
        tables_.change_spending().budgets.erase({budget.set_by, budget.name});
    }

    std::optional<std::string> amount(const SpendingKey& key) override {
        const auto& amounts = tables_.spending().amounts;
        const auto found = amounts.find(key);
        return found == amounts.end() ? std::nullopt : std::optional(found->second);
    }
    void put(const SpendingKey& key, const std::string& json) override {
        tables_.change_spending().amounts.insert_or_assign(key, json);
    }

    std::vector<model::Reservation> reservations(RunNo run, const std::string& day) override {
        std::vector<model::Reservation> out;
        for (const auto& [key, one] : tables_.spending().reservations) {
            const model::Run* of = tables_.run(one.run);
            const bool counts = of != nullptr && !is_finished(of->status);
            if (counts && (one.run == run || one.day == day)) out.push_back(one);
        }
        return out;
    }
    void put(const model::Reservation& of) override {
        tables_.change_spending().reservations.insert_or_assign({of.run, of.path}, of);
    }
    void remove(RunNo run, const std::string& path) override {
        tables_.change_spending().reservations.erase({run, path});
    }

private:
    memory::Tables& tables_;
};

}  // namespace

namespace memory {

Spending& Tables::change_spending() {
    undo_.emplace_back([this, before = spending_] { spending_ = before; });
    return spending_;
}

void forget_spending(Spending& spending, RunNo run) {
    const std::string period = fmt::format("run {}", run.value);
    std::erase_if(spending.amounts, [&](const auto& one) { return one.first.period == period; });
    std::erase_if(spending.reservations, [&](const auto& one) { return one.first.first == run; });
}

void BatchPass::apply(Reserve& verb) {
    if (held(verb.lease) == nullptr) {
        verb.outcome = Fenced{};
        return;
    }
    Port port{tables_};
    reserve(port, verb, now_);
}

void BatchPass::apply(ChangeBudget& verb) {
    Port port{tables_};
    change(port, verb);
}

void BatchPass::settle_spending(const Record& verb) {
    Port port{tables_};
    settle(port, verb, now_);
}

std::string BatchPass::approve_spending(const model::Run& run, const model::Approval& approval) {
    Port port{tables_};
    return approve(port, run, approval, now_);
}

}  // namespace memory

std::vector<BudgetInfo> MemoryStore::budgets(Time now, const model::Run* run) {
    const std::lock_guard lock{disk_->mutex};
    Port port{disk_->tables};
    return standings(port, run, now);
}

}  // namespace belay::store
