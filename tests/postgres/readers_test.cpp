// readers_test.cpp — slow reads: who does not wait for them, how many connections they take, and when they are ended.
//
// A read is made slow by a lock that the test holds, never by time.
#include <algorithm>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <belay/belay.hpp>

#include "core/store/news.hpp"
#include "core/store/postgres/limits.hpp"
#include "core/store/postgres/readers.hpp"
#include "postgres/store_bench.hpp"

namespace belay::store {
namespace {

constexpr const char* kSlow = "SELECT pg_advisory_xact_lock(4711)";

class ReadersTest : public PostgresStoreTest {
protected:
    // Until it is let go, queries of kSlow wait.
    void hold() {
        holder->run("BEGIN");
        holder->run(kSlow);
    }
    void let_go() { holder->run("COMMIT"); }

    static std::future<SqlResult> slow_query(Store& store) {
        return std::async(std::launch::async, [&store] { return store.query(kSlow, {}); });
    }
    template <class T>
    static bool is_over(const std::future<T>& one) {
        return one.wait_for(0s) == std::future_status::ready;
    }
    // Until so many wait for a lock, or everything has ended.
    template <class T>
    void until_waiting(int count, const std::vector<std::future<T>>& reads) const {
        const auto all_over = [&] {
            return std::all_of(reads.begin(), reads.end(),
                               [](const auto& read) { return is_over(read); });
        };
        while (waiting() < count && !all_over()) {
        }
    }
    int connections(const std::string& name = "belay%") const {
        return std::stoi(
            server.sql("SELECT count(*) FROM pg_stat_activity WHERE "
                       "application_name LIKE '" +
                       name + "'"));
    }

    std::unique_ptr<postgres::Connection> holder = session();
};

TEST_F(ReadersTest, nothing_waits_for_a_slow_query) {
    const auto store = open();
    const auto other = open();
    const auto run = running(*store, "july", "one");
    store->query("SELECT 1", {});
    hold();
    std::vector<std::future<SqlResult>> slow;
    for (std::size_t i = 0; i < postgres::kQueriesMax; ++i) slow.push_back(slow_query(*store));
    until_waiting(static_cast<int>(postgres::kQueriesMax), slow);

    EXPECT_TRUE(store->find_run("july"));
    EXPECT_EQ(store->list_runs({}).runs.size(), 1u);
    EXPECT_EQ(store->count_runs().running, 1);
    Control cancel;
    cancel.run_id = "july";
    apply(*other, cancel);
    std::vector<RunNews> told;
    while (told.empty()) told = dynamic_cast<Outside&>(*store).news().runs;
    EXPECT_TRUE(told[0].cancel_requested);
    EXPECT_TRUE(std::holds_alternative<Applied>(apply(*store, record_of(run, "1")).outcome));

    for (const auto& query : slow) EXPECT_FALSE(is_over(query));
    let_go();
    for (auto& query : slow) EXPECT_EQ(query.get().rows.size(), 1u);
}

// What others asked of one run is not read of all that this worker holds.
TEST_F(ReadersTest, news_of_one_run_reads_that_run_alone) {
    const auto store = open();
    const auto other = open();
    for (int i = 0; i < 20; ++i) running(*store, "held-" + std::to_string(i), "one");
    running(*other, "theirs", "two");  // a worker, which knows that there are others to be told
    // What was heard with the first connection means any run.
    for (std::vector<RunNews> first; first.size() < 20;)
        first = dynamic_cast<Outside&>(*store).news().runs;

    // Now and then all of them are read, as a net: not each time.
    bool is_alone = false;
    for (int i = 0; i < 5 && !is_alone; ++i) {
        Control cancel;
        cancel.run_id = "held-" + std::to_string(i);
        apply(*other, cancel);
        std::vector<RunNews> told;
        while (told.empty()) told = dynamic_cast<Outside&>(*store).news().runs;
        is_alone = told.size() == 1 && told[0].run == store->find_run(cancel.run_id)->no;
        EXPECT_TRUE(told[static_cast<std::size_t>(is_alone ? 0 : i)].cancel_requested);
    }
    EXPECT_TRUE(is_alone);
}

TEST_F(ReadersTest, an_engine_goes_on_beside_a_slow_query) {
    Engine engine{belay::postgres(address)};
    engine.define("ONE", [](Context&, int x) -> Task<int> { co_return x; });
    engine.start();
    EXPECT_EQ(engine.submit<int>("ONE", 1).result(), 1);
    hold();
    std::vector<std::future<int>> slow;
    slow.push_back(std::async(std::launch::async, [&] {
        engine.query(kSlow);
        return 1;
    }));
    until_waiting(1, slow);

    for (int i = 0; i < 20; ++i) EXPECT_EQ(engine.submit<int>("ONE", i).result(), i);
    EXPECT_NO_THROW(engine.query("SELECT 1"));

    EXPECT_FALSE(is_over(slow[0]));
    let_go();
    EXPECT_EQ(slow[0].get(), 1);
}

TEST_F(ReadersTest, many_slow_reads_take_few_connections_and_news_needs_none_of_them) {
    const auto store = open();
    const auto other = open();
    const auto run = running(*store, "july", "one");
    const int before = connections();
    holder->run("BEGIN");
    holder->run("LOCK TABLE workflow_stage_attempts");
    std::vector<std::future<std::size_t>> reads;
    for (int i = 0; i < 20; ++i) {
        reads.push_back(
            std::async(std::launch::async, [&] { return store->attempts(run.no).size(); }));
    }
    until_waiting(static_cast<int>(postgres::kReadersMax), reads);

    Control cancel;
    cancel.run_id = "july";
    auto asked = std::async(std::launch::async, [&] { return apply(*other, cancel).outcome; });
    EXPECT_EQ(asked.get(), ControlResult::Requested);
    std::vector<RunNews> told;
    while (told.empty()) told = dynamic_cast<Outside&>(*store).news().runs;
    EXPECT_LE(connections() - before, static_cast<int>(postgres::kReadersMax) + 1);

    for (const auto& read : reads) EXPECT_FALSE(is_over(read));
    holder->run("COMMIT");
    for (auto& read : reads) EXPECT_EQ(read.get(), 0u);
}

TEST_F(ReadersTest, a_query_that_takes_too_long_is_ended_on_the_server_too) {
    postgres::OpenOptions options;
    options.reply_time_max = 1s;
    const auto store = postgres::open(address, options);

    EXPECT_EQ(code_of([&] { store->query("SELECT pg_sleep(3600)", {}); }),
              ErrorCode::InvalidArgument);

    EXPECT_EQ(server.sql("SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query "
                         "LIKE 'SELECT pg_sleep%'"),
              "0");
    EXPECT_EQ(store->query("SELECT 1", {}).rows.size(), 1u);
}

TEST_F(ReadersTest, readers_that_nobody_needs_are_closed_but_for_one) {
    open();  // makes the tables
    const postgres::Address parts = postgres::parse_address(address);
    postgres::ConnectOptions connect;
    connect.url = parts.url;
    connect.schema = parts.schema;
    connect.application = "belay idle";
    connect.reply_time_max = 20s;
    for (const Duration idle_for : {Duration{1h}, Duration{0}}) {
        postgres::Readers readers{connect, "test", 3, idle_for};
        {
            const auto one = readers.take();
            const auto two = readers.take();
            const auto three = readers.take();
            for (postgres::Reader* reader : {one.get(), two.get(), three.get()})
                EXPECT_EQ(reader->count_runs().queued, 0);
        }
        const int left = idle_for == Duration{0} ? 1 : 3;
        // The server hears of a closed connection a moment later.
        const auto patience = std::chrono::steady_clock::now() + 10s;
        while (connections("belay idle") > left && std::chrono::steady_clock::now() < patience) {
        }
        EXPECT_EQ(connections("belay idle"), left);
    }
}

}  // namespace
}  // namespace belay::store
