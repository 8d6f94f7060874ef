// fence_test.cpp — a process that was believed dead wakes up: the store refuses what it writes.
//
// Two engines on one disk in one simulation. The older one is frozen after every number of jobs, the newer
// one takes over and finishes, the older one goes on where it stood.
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <belay/belay.hpp>

#include "core/engine/core.hpp"
#include "core/env/simulation.hpp"
#include "core/store/memory/memory_disk.hpp"
#include "core/store/memory/memory_store.hpp"

namespace belay::test {
namespace {

using namespace std::chrono_literals;

int add_one(int n) { return n + 1; }
void save(Tx& tx, const int& n) {
    tx.exec("INSERT INTO rows VALUES (?, ?)", tx.run_id() + " saved", n);
}
int book(Tx& tx, int n) {
    tx.exec("INSERT INTO rows VALUES (?, ?)", tx.run_id() + " booked", n);
    return n;
}
Task<int> work(Context& ctx, int n) {
    n = co_await ctx.step("one", add_one, n);
    n = co_await ctx.step("two", add_one, n).commit(save);
    co_await ctx.sleep(1s);
    n = co_await ctx.transaction("book", book, n);
    co_return co_await ctx.step("three", add_one, n);
}

// One process of two. Its engine is built as any other, on a disk that it shares.
class Worker {
public:
    Worker(env::Simulation& simulation, const std::shared_ptr<store::MemoryDisk>& disk)
        : executor_(simulation.make_executor()),
          core_(engine::Parts{std::make_unique<store::MemoryStore>(disk),
                              {simulation.clock(), simulation.random(), *executor_},
                              {},
                              {},
                              nullptr}) {
        using W = belay::detail::MakeWorkflow<Task<int> (*)(Context&, int)>::type;
        core_.define(std::make_unique<W>("work", WorkflowOptions{}, work));
        core_.migrate("test", {"CREATE TABLE rows (what TEXT PRIMARY KEY, n INTEGER)"});
        core_.start();
    }

    env::SimulatedExecutor& executor() { return *executor_; }
    engine::Core& core() { return core_; }

private:
    std::unique_ptr<env::SimulatedExecutor> executor_;
    engine::Core core_;
};

constexpr int kRuns = 3;

std::string id_of(int n) { return fmt::format("run-{}", n); }

// All that is on the disk, as text.
std::string everything_on(const std::shared_ptr<store::MemoryDisk>& disk) {
    store::MemoryStore reader{disk, false};
    std::string text;
    for (int n = 0; n < kRuns; ++n) {
        const auto run = reader.find_run(id_of(n));
        text += fmt::format("{} {} epoch {} by {}: {}\n", run->id, to_string(run->status),
                            run->epoch, run->worker, run->result.value_or("-"));
        for (const model::Stage& stage : reader.stages(run->no)) {
            text += fmt::format("  {} {} {} {}\n", stage.path, stage.stage_key,
                                to_string(stage.status), stage.output.value_or("-"));
        }
    }
    const SqlRows rows{reader.query("SELECT what, n FROM rows ORDER BY what", {})};
    for (const SqlRow row : rows)
        text += fmt::format("  {} {}\n", row.get<std::string>(0), row.get<int>(1));
    return text;
}

bool all_succeeded(const std::shared_ptr<store::MemoryDisk>& disk) {
    store::MemoryStore reader{disk, false};
    return reader.count_runs().succeeded == kRuns;
}

// Freezes the older process after `jobs` jobs; gives how many of its writes were refused, or -1 if it had
// finished by then.
std::int64_t freeze_after(std::uint64_t seed, int jobs) {
    env::Simulation simulation{seed};
    const auto disk = store::make_memory_disk();
    Worker older{simulation, disk};
    std::vector<belay::detail::Submission> submissions;
    for (int n = 0; n < kRuns; ++n)
        submissions.push_back({"work", std::to_string(n), {.id = id_of(n)}});
    older.core().submit(std::move(submissions));
    for (int i = 0; i < jobs; ++i) simulation.run_one();
    if (all_succeeded(disk)) return -1;
    older.executor().freeze();

    Worker newer{simulation, disk};
    while (simulation.run_one()) {
    }
    EXPECT_TRUE(all_succeeded(disk)) << everything_on(disk);
    const std::string before = everything_on(disk);
    older.executor().thaw();
    while (simulation.run_one()) {
    }

    EXPECT_EQ(everything_on(disk), before)
        << "seed " << seed << ", frozen after " << jobs << " jobs";
    EXPECT_EQ(newer.core().counters().writes_fenced.load(), 0);
    return older.core().counters().writes_fenced.load();
}

TEST(P5_only_the_newest_epoch_writes, whenever_a_process_is_frozen_and_wakes_up) {
    std::int64_t refused = 0;
    int freezes = 0;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        for (int jobs = 0;; ++jobs) {
            const std::int64_t fenced = freeze_after(seed, jobs);
            if (fenced < 0 || ::testing::Test::HasFailure()) break;
            refused += fenced;
            ++freezes;
        }
    }
    EXPECT_GT(freezes, 50);
    EXPECT_GT(refused, freezes / 2) << "hardly anything was refused: the test tests nothing";
}

}  // namespace
}  // namespace belay::test
