// writer_test.cpp — one transaction per batch, whatever the disk and the bodies in it do.
#include "core/store/sqlite/writer.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>

#include "core/model/transitions.hpp"
#include "core/store/sqlite/faulty_disk.hpp"
#include "core/store/sqlite/sqlite_test.hpp"

namespace belay::store::sqlite {
namespace {

class WriterTest : public SqliteTest {
protected:
    std::unique_ptr<Store> store_with_notes() {
        auto store = open_store();
        store->migrate({"test", {"CREATE TABLE notes (id INTEGER PRIMARY KEY, body)"}});
        return store;
    }

    // Three records in one batch, of which the middle one has this body.
    Batch three(const model::Run& run, TxBody middle) {
        Batch batch;
        batch.now = kNow;
        batch.verbs.emplace_back(record_of(run, "1", note(1)));
        batch.verbs.emplace_back(record_of(run, "2", std::move(middle)));
        batch.verbs.emplace_back(record_of(run, "3", note(3)));
        return batch;
    }
    static TxBody note(int id) {
        return [id](SqlTx& tx) {
            tx.run("INSERT INTO notes VALUES (?, 'kept')", std::vector<SqlValue>{std::int64_t{id}});
            return std::string("1");
        };
    }
    static TxBody sql_body(std::string sql) {
        return [sql = std::move(sql)](SqlTx& tx) {
            tx.run(sql, {});
            return std::string("1");
        };
    }
    static const WriteOutcome& outcome(const Batch& batch, std::size_t index) {
        return std::get<Record>(batch.verbs[index]).outcome;
    }

    void expect_neighbours_unharmed(Store& store, const model::Run& run, const Batch& batch) {
        EXPECT_TRUE(std::holds_alternative<Applied>(outcome(batch, 0)));
        EXPECT_FALSE(std::holds_alternative<Applied>(outcome(batch, 1)));
        EXPECT_TRUE(std::holds_alternative<Applied>(outcome(batch, 2)));
        const auto stages = store.stages(run.no);
        ASSERT_EQ(stages.size(), 2u);
        EXPECT_EQ(stages[0].path, "1");
        EXPECT_EQ(stages[1].path, "3");
        EXPECT_EQ(prompt().integer("SELECT sum(id) FROM notes"), 4);
    }

    FaultyDisk disk;
};

TEST_F(WriterTest, a_body_whose_write_is_interrupted_does_not_cost_its_neighbours_theirs) {
    time_max = 30ms;
    const auto store = store_with_notes();
    const auto run = running(*store, "july");

    auto batch =
        three(run, sql_body("INSERT INTO notes WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL "
                            "SELECT i + 1 FROM n) SELECT i, 'flood' FROM n"));
    store->commit(batch);

    expect_neighbours_unharmed(*store, run, batch);
    const auto error = body_error_of(outcome(batch, 1));
    EXPECT_EQ(error.code(), ErrorCode::Overloaded);
    EXPECT_NE(std::string(error.what()).find("limit of 30 ms"), std::string::npos) << error.what();
}

TEST_F(WriterTest, a_body_that_fills_the_disk_does_not_cost_its_neighbours_their_writes) {
    const auto store = store_with_notes();
    const auto run = running(*store, "july");
    disk.bytes_max = 16 << 20;

    // Larger than the page cache, so that it has to be written before the commit.
    auto batch = three(run, sql_body("INSERT INTO notes VALUES (10, zeroblob(100000000))"));
    store->commit(batch);

    expect_neighbours_unharmed(*store, run, batch);
    EXPECT_TRUE(std::holds_alternative<Lost>(outcome(batch, 1)));
    disk.bytes_max = 1 << 30;
    EXPECT_TRUE(
        std::holds_alternative<Applied>(apply(*store, record_of(run, "2", note(10))).outcome));
}

TEST_F(WriterTest, a_body_that_rolls_everything_back_does_so_alone_even_if_it_hides_it) {
    const auto store = store_with_notes();
    const auto run = running(*store, "july");
    int calls = 0;

    auto batch = three(run, [&](SqlTx& tx) {
        ++calls;
        try {
            tx.run("INSERT OR ROLLBACK INTO notes VALUES (1, 'twice')", {});
        } catch (const Error&) {
        }
        EXPECT_THROW(tx.run("INSERT INTO notes VALUES (20, 'outside any transaction')", {}), Error);
        EXPECT_THROW(tx.submit({}), Error);
        return std::string("fine");
    });
    store->commit(batch);

    expect_neighbours_unharmed(*store, run, batch);
    EXPECT_TRUE(std::holds_alternative<BodyFailed>(outcome(batch, 1)));
    EXPECT_EQ(calls, 1);
}

TEST_F(WriterTest, a_batch_with_several_offenders_is_redone_until_none_is_left) {
    const auto store = store_with_notes();
    const auto run = running(*store, "july");
    Batch batch;
    batch.now = kNow;
    batch.verbs.emplace_back(record_of(run, "1", note(1)));
    for (const auto* path : {"2", "3", "4"}) {
        batch.verbs.emplace_back(
            record_of(run, path, sql_body("INSERT OR ROLLBACK INTO notes VALUES (1, 'twice')")));
    }
    batch.verbs.emplace_back(submit_of("august", "worker-1"));

    store->commit(batch);

    EXPECT_TRUE(std::holds_alternative<Applied>(outcome(batch, 0)));
    for (std::size_t i = 1; i <= 3; ++i) {
        EXPECT_TRUE(std::holds_alternative<BodyFailed>(outcome(batch, i)));
    }
    EXPECT_EQ(store->find_run("august")->status, RunStatus::Running);
    EXPECT_EQ(store->stages(run.no).size(), 1u);
}

TEST_F(WriterTest, a_start_hook_that_rolls_everything_back_fails_its_run_alone) {
    const auto store = store_with_notes();
    for (const auto* id : {"a", "b", "c"}) apply(*store, submit_of(id));
    Claim claim = claim_of();
    claim.on_start = [](const model::Run& run) -> TxBody {
        if (run.id != "b") return sql_body("INSERT INTO notes (body) VALUES ('started')");
        return sql_body("INSERT OR ROLLBACK INTO notes VALUES (1, 'twice')");
    };

    const auto outcome = apply(*store, claim).outcome;

    ASSERT_EQ(outcome.claimed.size(), 2u);
    ASSERT_EQ(outcome.ended.size(), 1u);
    EXPECT_EQ(store->find_run("b")->status, RunStatus::Failed);
    EXPECT_EQ(prompt().integer("SELECT count(*) FROM notes"), 2);
}

TEST_F(WriterTest, a_full_disk_fails_the_batch_whole_and_the_next_one_goes_on_when_there_is_room) {
    const auto store = open_store();
    const auto run = running(*store, "july");
    disk.bytes_max = 0;

    const auto error = error_of([&] { apply(*store, record_of(run, "1")); });
    EXPECT_EQ(error.code(), ErrorCode::StoreUnavailable);
    EXPECT_NE(std::string(error.what()).find("free space in " + folder.string()), std::string::npos)
        << error.what();
    EXPECT_TRUE(store->stages(run.no).empty());
    EXPECT_EQ(error_of([&] { store->reopen(); }).code(), ErrorCode::StoreUnavailable);
    EXPECT_EQ(store->find_run("july")->status, RunStatus::Running);  // reading goes on

    disk.bytes_max = 1 << 30;
    store->reopen();
    EXPECT_TRUE(std::holds_alternative<Applied>(apply(*store, record_of(run, "1")).outcome));
}

TEST_F(WriterTest, after_a_full_disk_it_goes_on_without_being_reopened_too) {
    const auto store = open_store();
    const auto run = running(*store, "july");
    disk.bytes_max = 0;
    error_of([&] { apply(*store, record_of(run, "1")); });

    disk.bytes_max = 1 << 30;

    EXPECT_TRUE(std::holds_alternative<Applied>(apply(*store, record_of(run, "1")).outcome));
}

TEST_F(WriterTest, a_commit_whose_fsync_fails_is_unknown) {
    const auto store = open_store();
    const auto run = running(*store, "july");
    disk.sync_fails = true;

    const auto error = error_of([&] { apply(*store, record_of(run, "1")); });
    EXPECT_EQ(error.code(), ErrorCode::CommitUnknown);
    EXPECT_NE(std::string(error.what()).find(file.string()), std::string::npos);

    disk.sync_fails = false;
    store->reopen();
    Reclaim reclaim;
    reclaim.worker = "worker-1";
    reclaim.runs = {run.no};
    const auto again = apply(*store, reclaim).outcome;
    ASSERT_EQ(again.size(), 1u);
    EXPECT_TRUE(std::holds_alternative<Fenced>(apply(*store, record_of(run, "2")).outcome));
    EXPECT_TRUE(std::holds_alternative<Applied>(apply(*store, record_of(again[0], "2")).outcome));
}

TEST_F(WriterTest, what_was_committed_survives_the_death_of_the_process) {
    const pid_t child = ::fork();
    if (child == 0) {
        const auto store = open_store();
        apply(*store, record_of(running(*store, "july"), "1"));
        ::kill(::getpid(), SIGKILL);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));

    const auto store = open_store();

    const auto run = store->find_run("july");
    ASSERT_TRUE(run);
    EXPECT_EQ(run->status, RunStatus::Running);
    EXPECT_EQ(store->stages(run->no).size(), 1u);
    Claim claim = claim_of();
    claim.worker = "worker-2";
    EXPECT_EQ(apply(*store, claim).outcome.claimed.size(), 1u);
}

TEST_F(WriterTest, a_worker_takes_all_it_holds_but_what_it_names) {
    const auto store = open_store();
    const auto known = running(*store, "known");
    const auto unheard_of = running(*store, "unheard of");
    apply(*store, submit_of("another's", "worker-2"));
    Reclaim reclaim;
    reclaim.worker = "worker-1";
    reclaim.runs = {known.no};
    reclaim.all_others = true;

    const auto taken = apply(*store, reclaim).outcome;

    ASSERT_EQ(taken.size(), 1u);
    EXPECT_EQ(taken[0].id, "unheard of");
    EXPECT_TRUE(std::holds_alternative<Applied>(apply(*store, record_of(known, "1")).outcome));
    EXPECT_TRUE(std::holds_alternative<Fenced>(apply(*store, record_of(unheard_of, "1")).outcome));
}

TEST_F(WriterTest, every_commit_that_wrote_is_synced) {
    const auto store = open_store();
    const auto run = running(*store, "july");
    for (const auto* path : {"1", "2", "3"}) {
        const int before = disk.syncs;
        apply(*store, record_of(run, path));
        EXPECT_GT(disk.syncs, before);
    }
}

TEST_F(WriterTest, what_somebody_else_wrote_is_seen_by_the_next_lease_check) {
    const auto store = open_store();
    const auto run = running(*store, "july");
    apply(*store, record_of(run, "1"));

    prompt().run("UPDATE workflow_runs SET epoch = 7");

    EXPECT_TRUE(std::holds_alternative<Fenced>(apply(*store, record_of(run, "2")).outcome));
}

TEST_F(WriterTest, a_record_is_accepted_exactly_where_the_table_of_transitions_allows_it) {
    constexpr std::array kAll{StageStatus::Queued,    StageStatus::Running, StageStatus::Retrying,
                              StageStatus::Succeeded, StageStatus::Failed,  StageStatus::Skipped,
                              StageStatus::Canceled};
    const auto store = open_store();
    const auto run = running(*store, "july");
    int path = 0;
    for (const auto from : kAll) {
        for (const auto to : kAll) {
            Record first = record_of(run, std::to_string(++path));
            first.stage.status = from;
            apply(*store, first);
            Record second = first;
            second.stage.status = to;

            const auto outcome = apply(*store, second).outcome;

            EXPECT_EQ(std::holds_alternative<Applied>(outcome), model::may_follow(from, to))
                << to_string(from) << " to " << to_string(to);
        }
    }
}

TEST_F(WriterTest, a_prompt_that_holds_the_file_is_waited_for_and_then_named_as_the_reason) {
    const auto store = open_store();
    const auto run = running(*store, "july");
    auto other = prompt();
    other.run("BEGIN IMMEDIATE");

    const auto error = error_of([&] { apply(*store, record_of(run, "1")); });
    EXPECT_EQ(error.code(), ErrorCode::StoreUnavailable);
    EXPECT_NE(std::string(error.what()).find("another process"), std::string::npos) << error.what();

    other.run("ROLLBACK");
    EXPECT_TRUE(std::holds_alternative<Applied>(apply(*store, record_of(run, "1")).outcome));
}

}  // namespace
}  // namespace belay::store::sqlite
