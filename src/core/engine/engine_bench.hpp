// engine_bench.hpp — an engine in a simulated world, for the tests of this room.
//
// One seed, one order of events; time moves by itself when nothing else can happen, so no test waits.
// The disk outlives the processes: crash() is a power cut, start() the next process on the same disk.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <belay/belay.hpp>

#include "core/engine/core.hpp"
#include "core/env/memory_boxes.hpp"
#include "core/env/simulation.hpp"
#include "core/store/fault_store.hpp"
#include "core/store/memory/memory_store.hpp"

namespace belay::engine {

// The seeds a test runs through where order can matter. BELAY_SEEDS=500 in the environment runs through so
// many, for a night; a failure names its seed.
inline const std::vector<std::uint64_t> kSeeds = [] {
    std::vector<std::uint64_t> seeds{1, 2, 3, 5, 8, 13, 21, 34};
    const char* more = std::getenv("BELAY_SEEDS");
    for (int seed = 100; more != nullptr && seed < 100 + std::atoi(more); ++seed) {
        seeds.push_back(static_cast<std::uint64_t>(seed));
    }
    return seeds;
}();

class Bench {
public:
    explicit Bench(std::uint64_t seed = 1,
                   std::shared_ptr<store::MemoryDisk> on = store::make_memory_disk())
        : sim(seed), disk(std::move(on)), reader(disk, false) {
        options.log_to_stderr = false;
    }
    ~Bench() { crash(); }

    env::Simulation sim;
    std::shared_ptr<store::MemoryDisk> disk;
    store::MemoryStore reader;
    std::shared_ptr<env::BoxShelf> shelf = std::make_shared<env::BoxShelf>();  // outlives them, too
    EngineOptions options;
    std::function<void(Engine&)> define;  // what every process defines
    std::vector<std::string> log;         // "event: sentence"
    int ran_again = 0;  // steps that began although their record was committed (P1)

    // A process that has defined its workflows and not started.
    Engine& open() {
        crash();
        auto faulty =
            std::make_unique<store::FaultStore>(std::make_unique<store::MemoryStore>(disk));
        faults_ = faulty.get();
        executor_ = sim.make_executor();
        is_dead_ = false;
        auto boxes = std::make_unique<env::MemoryBoxes>(shelf);
        boxes_ = boxes.get();
        core_ = std::make_shared<Core>(
            Parts{std::move(faulty),
                  {sim.clock(), sim.random(), *executor_},
                  options,
                  [this](const LogEntry& entry) {
                      log.push_back(std::string(entry.event) + ": " + std::string(entry.message));
                  },
                  executor_,
                  [this](const Attempt& attempt, const std::string& path) {
                      if (stage(attempt.run_id(), path).status == StageStatus::Succeeded)
                          ++ran_again;
                  },
                  {},
                  {},
                  {},
                  std::move(boxes)});
        engine_ = std::make_unique<Engine>(core_);
        if (define) define(*engine_);
        return *engine_;
    }
    Engine& start() {
        open();
        engine_->start();
        return *engine_;
    }
    // As if the process was killed here.
    void crash() {
        if (!executor_) return;
        die();
        boxes_ = nullptr;
        engine_.reset();
        core_.reset();
        executor_.reset();
        faults_ = nullptr;
    }
    // The process is killed at this point of its code, which unwinds without effect.
    void die() {
        if (boxes_ != nullptr) boxes_->die();
        executor_->kill();
        is_dead_ = true;
    }
    // Code that goes on after that is nobody's any more.
    bool is_dead() const { return is_dead_; }
    Engine& restart() {
        crash();
        return start();
    }
    // A stop in good order, then the next process.
    Engine& stop_and_start() {
        engine_->stop();
        return start();
    }

    // The Engine is destroyed; whoever holds a Run of it still does.
    void close() { engine_.reset(); }

    Engine& engine() { return *engine_; }
    std::shared_ptr<belay::detail::EnginePort> port() { return core_; }
    Core& core() { return *core_; }
    const Counters& counters() const { return core_->counters(); }
    store::FaultStore& faults() { return *faults_; }
    env::SimulatedExecutor& executor() { return *executor_; }

    // Lets the world run until `what` holds; false if nothing is left to happen before.
    bool run_until(const std::function<bool()>& what) {
        while (!what()) {
            if (!sim.run_one()) return what();
        }
        return true;
    }
    bool run_until(const std::string& id, RunStatus status) {
        return run_until([&] { return reader.find_run(id) && run(id).status == status; });
    }

    model::Run run(std::string_view id) { return reader.find_run(id).value(); }
    std::vector<model::Stage> stages(std::string_view id) { return reader.stages(run(id).no); }
    std::vector<model::Attempt> attempts(std::string_view id) {
        return reader.attempts(run(id).no);
    }
    model::Stage stage(std::string_view id, std::string_view path) {
        for (const model::Stage& stage : stages(id)) {
            if (stage.path == path) return stage;
        }
        return {};
    }
    // "1 split succeeded, 2 ocr retrying"
    std::string history(std::string_view id) {
        std::string text;
        for (const model::Stage& stage : stages(id)) {
            text += (text.empty() ? "" : ", ") + stage.path + " " + stage.stage_key + " " +
                    std::string(to_string(stage.status));
        }
        return text;
    }
    bool has_logged(std::string_view event) const {
        for (const std::string& line : log) {
            if (line.starts_with(event)) return true;
        }
        return false;
    }

private:
    store::FaultStore* faults_ = nullptr;
    bool is_dead_ = false;
    env::MemoryBoxes* boxes_ = nullptr;  // of the process that lives
    // Shared with the engine: a Run that a test holds keeps its engine alive.
    std::shared_ptr<env::SimulatedExecutor> executor_;
    std::shared_ptr<Core> core_;
    std::unique_ptr<Engine> engine_;
};

// The code of the belay::Error that `what` throws; nothing if it throws none.
template <class F>
std::optional<ErrorCode> code_of(F what) {
    try {
        what();
    } catch (const Error& error) {
        return error.code();
    }
    return std::nullopt;
}

// The message of what `what` throws.
template <class F>
std::string message_of(F what) {
    try {
        what();
    } catch (const std::exception& error) {
        return error.what();
    }
    return "";
}

}  // namespace belay::engine
