// simulated_process.hpp — one process of a simulation: an engine on a disk that it may share, which can be
// killed, frozen and asked to stop.
#pragma once

#include <memory>
#include <utility>

#include "core/engine/core.hpp"
#include "core/env/simulation.hpp"
#include "core/store/memory/memory_disk.hpp"
#include "core/store/memory/memory_store.hpp"
#include "simulation/hooked_store.hpp"
#include "simulation/interpreter.hpp"

namespace belay::test {

class SimulatedProcess {
public:
    SimulatedProcess(env::Simulation& simulation, const std::shared_ptr<store::MemoryDisk>& disk,
                     HookedStore::Hooks hooks, engine::AttemptObserver on_attempt)
        : executor_(simulation.make_executor()),
          core_(std::make_unique<engine::Core>(
              engine::Parts{std::make_unique<HookedStore>(
                                std::make_unique<store::MemoryStore>(disk), std::move(hooks)),
                            {simulation.clock(), simulation.random(), *executor_},
                            options(),
                            {},
                            nullptr,
                            std::move(on_attempt)})) {
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
        core_->start();
    }

    // Nothing of it ever runs again. May be called inside one of its own jobs.
    void kill() {
        executor_->kill();
        is_dead_ = true;
    }
    void freeze() { executor_->freeze(); }
    void thaw() { executor_->thaw(); }
    bool is_dead() const { return is_dead_; }

    engine::Core& core() { return *core_; }

private:
    // What failed or was canceled goes soon: a retry may come too late, but once it is accepted the run stays.
    static WorkflowOptions workflow_options() {
        WorkflowOptions options;
        options.retention.keep_failed_for = std::chrono::seconds{1};
        return options;
    }
    static EngineOptions options() {
        EngineOptions options;
        options.runs_in_memory_max = 4;  // small, so that runs leave memory and come back
        options.waiting_in_memory_max = 1;
        options.crash_loop_deaths_max = 0;  // the simulation kills more often than any machine
        return options;
    }

    bool is_dead_ = false;
    std::unique_ptr<env::SimulatedExecutor> executor_;  // outlives the engine
    std::unique_ptr<engine::Core> core_;
};

}  // namespace belay::test
