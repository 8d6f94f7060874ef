// machine.hpp — one simulated computer: a disk that survives, and an engine that does not.
//
// A Machine boots an engine on its disk, and dies at a commit when it is told to: the executor is killed
// there, so nothing of that process ever runs again. What the disk has then is what was committed.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>

#include <belay/options.hpp>
#include <belay/testing.hpp>

#include "core/engine/core.hpp"
#include "core/env/simulation.hpp"
#include "core/store/fault_store.hpp"

namespace belay::store {
class MemoryDisk;
}

namespace belay::testing {

class Machine {
public:
    Machine(std::uint64_t seed, const EngineOptions& options);
    ~Machine();

    // A new process on the same disk, not started. The one before must be gone.
    std::shared_ptr<engine::Core> boot();

    // The process is gone at once. Its Core may be destroyed, and does nothing else any more.
    void cut_power();

    bool has_power() const { return store_ != nullptr; }

    // At the commit of that number, counted from 1 over all boots.
    void fail_commit(std::int64_t number, Fault fault);
    std::int64_t commits() const;

    // Runs one thing; false if nothing can run any more.
    bool run_one() { return simulation_.run_one(); }

    env::Simulation& simulation() { return simulation_; }
    env::SimulatedExecutor& executor() { return *executor_; }

    // The disk as anyone may read it.
    store::Store& disk() { return *reader_; }

    // Told of every commit that reached the disk, and of every step's function that runs.
    std::function<void(std::int64_t number, const store::Batch& batch)> on_commit;
    engine::AttemptObserver on_attempt;

private:
    void arm(std::int64_t number, Fault fault);
    void before_commit(std::int64_t number, const store::Batch& batch);
    void run_and_take_back(store::Batch batch);
    void after_commit(std::int64_t number, const store::Batch& batch);

    env::Simulation simulation_;
    EngineOptions options_;
    // Shared with the stores on it: a Core of a dead process may be destroyed later than the next one boots.
    std::shared_ptr<store::MemoryDisk> disk_;
    std::unique_ptr<store::Store> reader_;
    // Shared with the Core, which must be gone before it.
    std::shared_ptr<env::SimulatedExecutor> executor_;
    store::FaultStore* store_ = nullptr;  // of the process that has power; its Core owns it
    std::map<std::int64_t, Fault> faults_;
    std::int64_t commits_before_ = 0;  // of the processes before
};

}  // namespace belay::testing
