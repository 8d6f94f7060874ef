// simulated_process.hpp — one process of a simulation: an engine on a disk that it may share, which can be
// killed, frozen and asked to stop.
#pragma once

#include <memory>
#include <utility>

#include "core/engine/core.hpp"
#include "core/env/memory_boxes.hpp"
#include "core/env/simulation.hpp"
#include "core/store/memory/memory_disk.hpp"
#include "core/store/memory/memory_store.hpp"
#include "simulation/hooked_store.hpp"
#include "simulation/interpreter.hpp"

namespace belay::test {

class SimulatedProcess {
public:
    SimulatedProcess(env::Simulation& simulation, const std::shared_ptr<store::MemoryDisk>& disk,
                     HookedStore::Hooks hooks, engine::AttemptObserver on_attempt,
                     const std::shared_ptr<env::BoxShelf>& shelf, bool has_budgets)
        : has_budgets_(has_budgets), boxes_(shelf ? new env::MemoryBoxes(shelf) : nullptr),
          executor_(simulation.make_executor()),
          core_(std::make_unique<engine::Core>(
              engine::Parts{std::make_unique<HookedStore>(
                                std::make_unique<store::MemoryStore>(disk), std::move(hooks)),
                            {simulation.clock(), simulation.random(), *executor_},
                            options(shelf != nullptr),
                            {},
                            nullptr,
                            std::move(on_attempt),
                            {},
                            {},
                            {},
                            std::unique_ptr<env::BlackBoxes>(boxes_)})) {
        using W = belay::detail::MakeWorkflow<Task<std::int64_t> (*)(Context&, Program)>::type;
        core_->define(std::make_unique<W>(kProgramWorkflow, workflow_options(), run_program));
        core_->migrate("simulation", {kRowsTable});
    }
    ~SimulatedProcess() { kill(); }
    SimulatedProcess(const SimulatedProcess&) = delete;
    SimulatedProcess& operator=(const SimulatedProcess&) = delete;

    // Throws what the store throws under it.
    void start() {
        core_->change_queue({belay::detail::QueueRequest::What::Declare,
                             kNarrowQueue,
                             {.concurrency = kNarrowQueueLimit},
                             {}});
        if (has_budgets_) {
            using Request = belay::detail::BudgetRequest;
            const Budget of_a_run{.money = Money("2", "USD"), .per = BudgetPer::Run};
            core_->change_budget(Request{Request::What::Declare, kRunBudget, of_a_run, {}});
            const Budget of_a_day{.money = Money("5", "USD"), .per = BudgetPer::Day};
            core_->change_budget(Request{Request::What::Declare, kDayBudget, of_a_day, {}});
        }
        core_->start();
    }

    // Nothing of it ever runs again. May be called inside one of its own jobs; with a signal, by the code that raised it.
    void kill(int signal = 0) {
        if (boxes_ != nullptr) boxes_->die(signal);
        executor_->kill();
        is_dead_ = true;
    }
    void freeze() { executor_->freeze(); }
    void thaw() { executor_->thaw(); }
    bool is_dead() const { return is_dead_; }

    engine::Core& core() { return *core_; }
    // Under which its box is found; empty if it keeps none.
    std::string worker() const { return boxes_ != nullptr ? boxes_->worker() : ""; }

private:
    // What failed or was canceled goes soon: a retry may come too late, but once it is accepted the run stays.
    static WorkflowOptions workflow_options() {
        WorkflowOptions options;
        options.retention.keep_failed_for = std::chrono::seconds{1};
        return options;
    }
    static EngineOptions options(bool keeps_boxes) {
        EngineOptions options;
        options.runs_in_memory_max = 4;  // small, so that runs leave memory and come back
        options.waiting_in_memory_max = 1;
        if (!keeps_boxes) options.crash_loop_deaths_max = 0;
        return options;
    }

    bool is_dead_ = false;
    const bool has_budgets_;
    env::MemoryBoxes* boxes_;                           // the engine's; null if it keeps none
    std::unique_ptr<env::SimulatedExecutor> executor_;  // outlives the engine
    std::unique_ptr<engine::Core> core_;
};

}  // namespace belay::test
