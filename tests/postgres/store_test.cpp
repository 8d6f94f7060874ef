// store_test.cpp — what only a store that several share can get wrong: takeovers, lost connections, servers that
// restart or cannot be written, ten workers that start at once, and what a claim costs when millions have ended.
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <belay/error.hpp>

#include "core/store/postgres/sql.hpp"
#include "postgres/store_bench.hpp"

namespace belay::store {
namespace {

TEST_F(PostgresStoreTest, a_worker_that_lives_keeps_its_runs) {
    const auto one = open();
    const auto two = open();
    running(*one, "july", "one");

    EXPECT_TRUE(apply(*two, claim_of("two")).outcome.claimed.empty());
}

TEST_F(PostgresStoreTest, the_writes_of_a_worker_whose_lease_ran_out_are_refused) {
    const auto frozen = open_silent();
    const auto other = open_quick();
    const auto old = running(*frozen, "july", "frozen");
    let_lease_run_out("frozen");

    const auto taken = take_over(*other, "other");

    ASSERT_EQ(taken.size(), 1u);
    EXPECT_EQ(taken[0].epoch, old.epoch + 1);
    EXPECT_EQ(taken[0].recoveries, 1);
    EXPECT_TRUE(std::holds_alternative<Fenced>(apply(*frozen, record_of(old, "1")).outcome));
    EXPECT_TRUE(std::holds_alternative<Applied>(apply(*other, record_of(taken[0], "1")).outcome));
    EXPECT_EQ(other->stages(old.no).size(), 1u);
}

TEST_F(PostgresStoreTest, a_lost_lease_hurts_no_neighbour_in_its_batch) {
    const auto frozen = open_silent();
    const auto other = open_quick();
    const auto lost = running(*frozen, "lost", "frozen");
    let_lease_run_out("frozen");
    ASSERT_EQ(take_over(*other, "other").size(), 1u);
    const auto kept = running(*frozen, "kept", "frozen");
    Batch batch;
    batch.now = now;
    batch.verbs = {record_of(lost, "1"), record_of(kept, "1"), record_of(lost, "2")};

    frozen->commit(batch);

    EXPECT_TRUE(std::holds_alternative<Fenced>(std::get<Record>(batch.verbs[0]).outcome));
    EXPECT_TRUE(std::holds_alternative<Applied>(std::get<Record>(batch.verbs[1]).outcome));
    EXPECT_TRUE(std::holds_alternative<Fenced>(std::get<Record>(batch.verbs[2]).outcome));
}

TEST_F(PostgresStoreTest, a_worker_that_stops_leaves_its_runs_to_be_taken_at_once) {
    auto one = open();
    const auto two = open();
    running(*one, "july", "one");

    one.reset();

    EXPECT_EQ(apply(*two, claim_of("two")).outcome.claimed.size(), 1u);
}

TEST_F(PostgresStoreTest,
       workers_that_claim_at_the_same_time_share_without_waiting_and_without_doubles) {
    const auto first = open();
    for (int i = 0; i < 200; ++i) apply(*first, submit_of("run-" + std::to_string(i), ""));
    std::vector<std::future<std::vector<std::int64_t>>> claims;
    for (int w = 0; w < 4; ++w) {
        claims.push_back(std::async(std::launch::async, [this, w] {
            const auto store = open();
            std::vector<std::int64_t> taken;
            while (true) {
                const auto outcome =
                    apply(*store, claim_of("worker-" + std::to_string(w), 7)).outcome;
                for (const auto& run : outcome.claimed) taken.push_back(run.no.value);
                if (outcome.claimed.empty() && !outcome.more_due) break;
            }
            // Its runs stay its own while it lives: it ends them before it stops.
            for (const std::int64_t no : taken) {
                model::Run run;
                run.no = RunNo{no};
                run.epoch = 1;
                EXPECT_TRUE(std::holds_alternative<Applied>(apply(*store, end_of(run)).outcome));
            }
            return taken;
        }));
    }
    std::vector<std::int64_t> all;
    for (auto& claim : claims) {
        for (const std::int64_t no : claim.get()) all.push_back(no);
    }
    std::sort(all.begin(), all.end());

    EXPECT_EQ(all.size(), 200u);
    EXPECT_TRUE(std::adjacent_find(all.begin(), all.end()) == all.end());
    EXPECT_EQ(first->count_runs().succeeded, 200);
}

TEST_F(PostgresStoreTest, batches_that_signal_each_others_runs_do_not_stay_in_a_deadlock) {
    // Each worker ends children of the other's parents, in opposite orders.
    const auto one = open();
    const auto two = open();
    std::vector<model::Run> children_of_one;
    std::vector<model::Run> children_of_two;
    for (int i = 0; i < 20; ++i) {
        const auto mine = running(*one, "parent-1-" + std::to_string(i), "one");
        const auto its = running(*two, "parent-2-" + std::to_string(i), "two");
        children_of_one.push_back(running(*two, "child-1-" + std::to_string(i), "two"));
        children_of_two.push_back(running(*one, "child-2-" + std::to_string(i), "one"));
        for (const auto& [store, parent, child] :
             {std::tuple{one.get(), mine, children_of_one.back()},
              std::tuple{two.get(), its, children_of_two.back()}}) {
            apply(*store, await_of(parent, child));
        }
    }
    const auto end_all = [this](Store& store, std::vector<model::Run> runs) {
        Batch batch;
        batch.now = now;
        for (const auto& run : runs) batch.verbs.emplace_back(end_of(run));
        store.commit(batch);
        return batch.woken.size();
    };
    std::reverse(children_of_two.begin(), children_of_two.end());
    auto other = std::async(std::launch::async, [&] { return end_all(*two, children_of_one); });

    EXPECT_EQ(end_all(*one, children_of_two), 20u);
    EXPECT_EQ(other.get(), 20u);
}

TEST_F(PostgresStoreTest, ten_workers_may_start_on_an_empty_database_at_once) {
    std::vector<std::future<void>> starts;
    for (int i = 0; i < 10; ++i) {
        starts.push_back(std::async(std::launch::async, [this] {
            open()->migrate({"room",
                             {"CREATE TABLE things (id INTEGER PRIMARY KEY)",
                              "INSERT INTO things VALUES (1)"}});
        }));
    }
    for (auto& start : starts) start.get();

    EXPECT_EQ(open()->query("SELECT id FROM things", {}).rows.size(), 1u);
}

TEST_F(PostgresStoreTest, a_lost_connection_loses_the_batch_and_a_reopened_store_goes_on) {
    const auto store = open();
    const auto run = running(*store, "july", "one");
    kill_connections();

    const auto code = code_of([&] { apply(*store, record_of(run, "1")); });
    EXPECT_TRUE(code == ErrorCode::StoreUnavailable || code == ErrorCode::CommitUnknown);
    store->reopen();

    EXPECT_TRUE(std::holds_alternative<Applied>(apply(*store, record_of(run, "1")).outcome));
    EXPECT_EQ(store->find_run("july")->status,
              RunStatus::Running);  // the reader came back by itself
}

TEST_F(PostgresStoreTest, a_connection_lost_in_the_middle_of_a_body_leaves_nothing_of_the_batch) {
    const auto store = open();
    store->migrate({"notes", {"CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)"}});
    const auto run = running(*store, "july", "one");
    Record record = record_of(run, "1");
    record.body = [this](SqlTx& tx) -> std::string {
        tx.run("INSERT INTO notes (text) VALUES ('half')", {});
        kill_connections();
        tx.run("INSERT INTO notes (text) VALUES ('whole')", {});
        return "null";
    };

    EXPECT_EQ(code_of([&] { apply(*store, record); }), ErrorCode::StoreUnavailable);
    store->reopen();

    EXPECT_TRUE(store->query("SELECT * FROM notes", {}).rows.empty());
    EXPECT_TRUE(store->stages(run.no).empty());
}

TEST_F(PostgresStoreTest, a_server_that_cannot_be_written_says_so_until_it_can) {
    const auto store = open();
    const auto run = running(*store, "july", "one");
    server.sql("ALTER ROLE postgres SET default_transaction_read_only = on");
    kill_connections();
    EXPECT_NE(code_of([&] { apply(*store, record_of(run, "1")); }), std::nullopt);

    try {
        store->reopen();
        ADD_FAILURE() << "it could be reopened";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::StoreUnavailable);
        EXPECT_NE(std::string(error.what()).find("read-only"), std::string::npos) << error.what();
    }
    server.sql("BEGIN READ WRITE; ALTER ROLE postgres RESET default_transaction_read_only; COMMIT");
    store->reopen();

    EXPECT_TRUE(std::holds_alternative<Applied>(apply(*store, record_of(run, "1")).outcome));
}

TEST_F(PostgresStoreTest, a_claim_uses_its_index_however_many_runs_have_ended) {
    const auto store = open();
    server.sql(
        "INSERT INTO " + table("workflow_runs") +
        " (id, public_id, workflow_key, status, created_at, updated_at, completed_at, input) "
        "SELECT n, 'old-' || n, "
        "'invoice', 'succeeded', n, n, n, '1' FROM generate_series(1000, 21000) AS n; ANALYZE " +
        table("workflow_runs"));
    const auto explained = [&](std::string_view sql, std::vector<std::string> values) {
        std::string text{sql};
        for (std::size_t i = values.size(); i > 0; --i) {
            const std::string parameter = "$" + std::to_string(i);
            for (auto at = text.find(parameter); at != std::string::npos;
                 at = text.find(parameter)) {
                text.replace(at, parameter.size(), values[i - 1]);
            }
        }
        return server.sql("SET search_path = " + schema() + "; EXPLAIN " + text);
    };
    const std::string due =
        explained(postgres::sql::list_due, {"'{invoice}'", "1800000000000", "100", "NULL"});
    const std::string orphans =
        explained(postgres::sql::list_orphans, {"'invoice'", "'dead'", "0", "9", "100", "NULL"});

    EXPECT_NE(due.find("workflow_runs_due"), std::string::npos) << due;
    EXPECT_EQ(due.find("Seq Scan"), std::string::npos) << due;
    EXPECT_NE(orphans.find("workflow_runs_running"), std::string::npos) << orphans;
    EXPECT_EQ(orphans.find("Seq Scan"), std::string::npos) << orphans;
}

// ---- with a server of its own, that dies

class PostgresServerTest : public PostgresStoreTest {
protected:
    PostgresServerTest() : PostgresStoreTest(own()) {}

private:
    static test::PostgresServer& own() {
        static test::PostgresServer server{{.fsync = true}};
        return server;
    }
};

TEST_F(PostgresServerTest,
       what_was_committed_survives_the_servers_crash_and_the_worker_keeps_its_runs) {
    const auto store = open();
    const auto other = open();
    const auto run = running(*store, "july", "one");
    apply(*store, record_of(run, "1"));
    server.crash_and_start();
    EXPECT_NE(code_of([&] { apply(*store, record_of(run, "2")); }), std::nullopt);
    EXPECT_NE(code_of([&] { apply(*other, claim_of("two")); }), std::nullopt);

    store->reopen();
    other->reopen();

    EXPECT_EQ(store->stages(run.no).size(), 1u);
    // Nobody could beat while the server was away: nobody is taken for dead yet.
    EXPECT_TRUE(apply(*other, claim_of("two")).outcome.claimed.empty());
    EXPECT_TRUE(std::holds_alternative<Applied>(apply(*store, record_of(run, "2")).outcome));
}

TEST_F(PostgresServerTest, a_server_that_is_away_is_told_as_unavailable) {
    const auto store = open();
    const auto run = running(*store, "july", "one");
    server.stop(SIGINT);

    EXPECT_NE(code_of([&] { apply(*store, record_of(run, "1")); }), std::nullopt);
    EXPECT_EQ(code_of([&] { store->reopen(); }), ErrorCode::StoreUnavailable);
    EXPECT_EQ(code_of([&] { store->find_run("july"); }), ErrorCode::StoreUnavailable);
    EXPECT_EQ(code_of([&] { open(); }), ErrorCode::StoreUnavailable);
    server.start();
    store->reopen();

    EXPECT_TRUE(std::holds_alternative<Applied>(apply(*store, record_of(run, "1")).outcome));
}

}  // namespace
}  // namespace belay::store
