// once_test.cpp — two workers are asked the same at the same moment: it is done once, and both know the answer.
#include <atomic>
#include <thread>

#include <fmt/format.h>

#include "postgres/store_bench.hpp"

namespace belay::store {
namespace {

class OnceTest : public PostgresStoreTest {
protected:
    // A run under an id of this worker's own, and the key with that id as the answer.
    static Submit submit_with_key(int worker, int round) {
        Submit submit;
        submit.run.id = fmt::format("run-{}-{}", round, worker);
        submit.run.workflow_key = "invoice";
        submit.run.input = "1";
        submit.rider.body = [round](SqlTx& tx, const Ridden& told) {
            const std::vector<SqlValue> values{SqlValue{fmt::format("key-{}", round)},
                                               SqlValue{told.run->id}};
            const auto written =
                tx.run("INSERT INTO keys (key, answer) VALUES (?, ?) ON CONFLICT (key) DO NOTHING",
                       values);
            if (written.changed == 0) throw std::runtime_error("the key was used before");
            return std::string{};
        };
        return submit;
    }
};

TEST_F(OnceTest, of_two_workers_with_one_key_one_does_it_sixty_times_of_sixty) {
    constexpr int kRounds = 60;
    const auto looking = open();
    looking->migrate({"keys", {"CREATE TABLE keys (key TEXT PRIMARY KEY, answer TEXT NOT NULL)"}});
    std::atomic<int> ready{0};
    std::atomic<int> done{0};
    std::atomic<int> refused{0};
    const auto work = [&](int worker) {
        const auto store = open();
        for (int round = 0; round < kRounds; ++round) {
            // Both at once, each time.
            ++ready;
            while (ready < 2 * (round + 1)) std::this_thread::yield();
            const Submit submitted = apply(*store, submit_with_key(worker, round));
            ++(submitted.rider.failed ? refused : done);
        }
    };
    std::thread other([&] { work(2); });
    work(1);
    other.join();

    EXPECT_EQ(done, kRounds);
    EXPECT_EQ(refused, kRounds);
    RunFilter all;
    all.limit = 3 * kRounds;
    const auto runs = looking->list_runs(all).runs;
    EXPECT_EQ(runs.size(), static_cast<std::size_t>(kRounds));
    for (const model::Run& run : runs) {
        const SqlValue id{run.id};
        EXPECT_EQ(
            looking->query("SELECT key FROM keys WHERE answer = ?", std::span(&id, 1)).rows.size(),
            1u)
            << run.id;
    }
}

}  // namespace
}  // namespace belay::store
