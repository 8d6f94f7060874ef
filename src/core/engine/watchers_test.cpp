#include "core/engine/watchers.hpp"

#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/env/simulation.hpp"
#include "core/store/fault_store.hpp"
#include "core/store/memory/memory_store.hpp"

namespace belay::engine {
namespace {

using namespace std::chrono_literals;

// Runs that another worker executes, and threads that wait here for them to end.
class WatchersTest : public testing::Test {
protected:
    static constexpr int kWaiting = 20;

    WatchersTest() {
        for (int i = 0; i < kWaiting; ++i) {
            store::Submit submit;
            submit.run.id = "run-" + std::to_string(i);
            submit.run.workflow_key = "ONE";
            submit.run.input = "null";
            submit.claim_as = "the other worker";
            runs.push_back(std::get<store::SubmitOutcome>(apply(submit).outcome).run);
            executor->post(env::Lane::Pool, [this, id = submit.run.id] {
                if (watchers.wait(store, id, std::nullopt).status == RunStatus::Succeeded) ++heard;
            });
        }
    }

    template <class V>
    V apply(V verb) {
        store::Batch batch;
        batch.now = sim.clock().now();
        batch.verbs.emplace_back(std::move(verb));
        store.commit(batch);
        return std::get<V>(std::move(batch.verbs.front()));
    }
    void end(const model::Run& run) {
        store::End end;
        end.lease = {run.no, run.epoch};
        end.status = RunStatus::Succeeded;
        end.result = "1";
        apply(std::move(end));
    }
    // Once all of them wait.
    void then(std::function<void()> what) {
        executor->post_at(sim.clock().now() + 1s, env::Lane::Loop, std::move(what));
        while (sim.run_one()) {
        }
    }

    env::Simulation sim{1};
    std::unique_ptr<env::SimulatedExecutor> executor = sim.make_executor();
    Environment world{sim.clock(), sim.random(), *executor};
    store::FaultStore store{std::make_unique<store::MemoryStore>()};
    Watchers watchers{world};
    std::vector<model::Run> runs;
    int heard = 0;
};

TEST_F(WatchersTest, however_many_wait_what_ended_elsewhere_is_one_read) {
    then([&] {
        ASSERT_EQ(watchers.count(), std::size_t{kWaiting});
        for (const model::Run& run : runs) end(run);
        const auto before = store.run_reads();
        watchers.ended(watchers.look(store));
        EXPECT_EQ(store.run_reads() - before, 1);
    });

    EXPECT_EQ(heard, kWaiting);
}

TEST_F(WatchersTest, the_end_of_a_run_that_nobody_waits_for_reads_nothing) {
    then([&] {
        const std::set<model::RunNo> others{model::RunNo{987654}};
        const auto before = store.run_reads();
        EXPECT_TRUE(watchers.look(store, &others).empty());
        EXPECT_EQ(store.run_reads(), before);

        end(runs[3]);
        const std::set<model::RunNo> with_ours{model::RunNo{987654}, runs[3].no};
        const auto ends = watchers.look(store, &with_ours);
        ASSERT_EQ(ends.size(), 1U);
        EXPECT_EQ(ends[0].first, "run-3");
        EXPECT_EQ(store.run_reads() - before, 1);

        for (const model::Run& run : runs) {
            if (run.id != "run-3") end(run);
        }
        watchers.ended(watchers.look(store));
    });

    EXPECT_EQ(heard, kWaiting);
}

}  // namespace
}  // namespace belay::engine
