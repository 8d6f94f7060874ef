// budget_test.cpp — two workers on one PostgreSQL pay from one budget at the same time, and never more than there is.
#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <belay/codec.hpp>

#include "core/model/budget.hpp"
#include "postgres/store_bench.hpp"

namespace belay::store {
namespace {

class PostgresBudgetTest : public PostgresStoreTest {
protected:
    void set(Store& store, const std::string& amount) {
        ChangeBudget change;
        change.kind = ChangeKind::Set;
        change.budget = {
            "default", "models", {.money = Money(amount, "USD"), .organization = "*"}, ""};
        ASSERT_EQ(apply(store, change).outcome, ChangeResult::Done);
    }
    static Reserve reserve_of(const model::Run& run, const std::string& path) {
        Reserve verb;
        verb.lease = {run.no, run.epoch};
        verb.path = path;
        verb.stage_key = "ask";
        verb.workflow_key = run.workflow_key;
        verb.at_most.pay(Money("2", "USD"));
        return verb;
    }
    static Record paid(const model::Run& run, const std::string& path) {
        Record record = record_of(run, path);
        Cost cost;
        cost.pay(Money("1", "USD"));
        record.stage.cost = to_json(cost);
        record.settles = Record::Settles::ByCost;
        return record;
    }
    Money left_over(Store& store) {
        const BudgetInfo it = store.budgets(now, nullptr).at(0);
        return model::difference(it.limit, it.spent + it.reserved);
    }
};

TEST_F(PostgresBudgetTest, workers_that_pay_at_the_same_time_never_pay_more_than_there_is) {
    const auto one = open();
    const auto two = open();
    set(*one, "20");
    const std::vector<std::pair<Store*, model::Run>> workers{
        {one.get(), running(*one, "a", "one")}, {two.get(), running(*two, "b", "two")}};
    std::atomic<int> calls = 0;
    std::atomic<bool> over = false;

    std::vector<std::thread> threads;
    for (const auto& worker : workers) {
        threads.emplace_back([&, worker] {
            auto& [store, run] = worker;
            for (int i = 1; i <= 40; ++i) {
                const std::string path = std::to_string(i);
                const Reserve asked = apply(*store, reserve_of(run, path));
                if (!std::holds_alternative<Applied>(asked.outcome)) continue;
                ++calls;
                if (model::is_negative(left_over(*store))) over = true;
                apply(*store, paid(run, path));
            }
        });
    }
    for (std::thread& thread : threads) thread.join();

    EXPECT_FALSE(over);
    // Each cost one and had to have two free: the last stands before the limit, or at it.
    EXPECT_GE(calls, 18);
    EXPECT_LE(calls, 20);
    const BudgetInfo it = one->budgets(now, nullptr).at(0);
    EXPECT_EQ(it.spent, Money(std::to_string(calls.load()), "USD"));
    EXPECT_TRUE(it.reserved.is_zero());
}

TEST_F(PostgresBudgetTest, what_a_worker_that_is_gone_has_reserved_is_kept_until_its_run_is_over) {
    auto dies = open_silent();
    set(*dies, "3");
    const auto run = running(*dies, "a", "one");
    ASSERT_TRUE(std::holds_alternative<Applied>(apply(*dies, reserve_of(run, "1")).outcome));
    dies.reset();
    const auto other = open();
    const auto second = running(*other, "b", "two");

    EXPECT_TRUE(std::holds_alternative<Refused>(apply(*other, reserve_of(second, "1")).outcome));
    apply(*other, claim_of("two"));
    End end;
    end.lease = {run.no, other->find_run("a")->epoch};
    end.status = RunStatus::Failed;
    end.failure = model::Failure{"StepFailed", "it fails", "step", "1"};
    ASSERT_TRUE(std::holds_alternative<Applied>(apply(*other, end).outcome));
    EXPECT_TRUE(std::holds_alternative<Applied>(apply(*other, reserve_of(second, "1")).outcome));
}

}  // namespace
}  // namespace belay::store
