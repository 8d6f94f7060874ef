// disk_bench.hpp — a machine whose disks can fail: an engine on SQLite, objects in files, and work that goes through both.
//
// Everything happens in one thread in an order drawn from a seed, so the n-th call is the same call in every run. What
// the machine acknowledged is noted outside of it; check() looks whether all of that is there.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include <belay/belay.hpp>

#include "core/engine/core.hpp"
#include "core/env/memory_files.hpp"
#include "core/env/simulation.hpp"
#include "disk/virtual_disk.hpp"
#include "ingestion/ingest/object_rows.hpp"
#include "ingestion/ingest/uploads.hpp"
#include "ingestion/objects/filesystem_store.hpp"
#include "support/temp_dir.hpp"

namespace belay::test {

// Thrown out of the work when its machine has died.
struct MachineDied {};

class DiskBench {
public:
    explicit DiskBench(std::uint64_t seed);
    ~DiskBench();

    // A process on the disks. Throws MachineDied; StoreUnavailable if a disk refuses it.
    void boot();

    // Does what is left of the work: runs, and uploads small and large, one after another, then waits for their ends.
    // What fails is tried again, as a client would. Throws MachineDied.
    void work();

    // The machine is off; what was synced, and by chance more, is what the next one finds.
    void lose_power();

    // What is wrong with what is there; empty if nothing is. Needs a machine that runs on healthy disks.
    std::string check();

    // Told of everything that failed and is tried again.
    std::function<void()> after_failure;

    VirtualDisk database;
    env::MemoryFiles files;

private:
    struct Process;

    std::string upload(const std::string& name, const std::string& bytes);
    void die();
    std::unique_ptr<env::SimulatedExecutor> make_executor();
    void kill();

    TempDir dir_;  // only for the lock: what is in the database is in memory
    env::Simulation simulation_;
    env::SeededRandom dice_;
    env::SimulatedExecutor* executor_ = nullptr;  // of the process that runs, or is just being made
    std::unique_ptr<Process> process_;
    std::set<std::string> runs_;                  // acknowledged, by id
    std::map<std::string, std::string> uploads_;  // acknowledged: the run, by name
    std::set<std::string> ended_;                 // whose result was handed out
};

}  // namespace belay::test
