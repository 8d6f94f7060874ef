// certain_test.cpp — batches that are written without a look (writer_certain.cpp): that they are, and that each thing
// which is taken for certain is refused by the server when it is not so. Take one of those guards out, and one of these
// fails.
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/store/postgres/address.hpp"
#include "core/store/postgres/connection.hpp"
#include "postgres/store_bench.hpp"

namespace belay::store {
namespace {

class CertainTest : public PostgresStoreTest {
protected:
    // As somebody would who takes every run of a worker without telling it.
    void raise_epochs() {
        server.sql("UPDATE " + table("workflow_runs") + " SET epoch = epoch + 1");
    }
    void give_lease_back(const std::string& worker) {
        server.sql("UPDATE " + table("belay_workers") +
                   " SET expires_at = 9000000000000 WHERE name = '" + worker + "'");
    }
    std::string mark_of(const std::string& worker) {
        return server.sql("SELECT mark FROM " + table("belay_workers") + " WHERE name = '" +
                          worker + "'");
    }
    template <class V>
    static bool is_applied(const V& verb) {
        return std::holds_alternative<Applied>(verb.outcome);
    }
    template <class V>
    static bool is_fenced(const V& verb) {
        return std::holds_alternative<Fenced>(verb.outcome);
    }
};

TEST_F(CertainTest, while_the_mark_stands_no_epoch_is_read) {
    const auto store = open_silent();
    const auto run = running(*store, "july", "one");
    raise_epochs();

    // Nobody may do that without changing the mark; here it shows that the row was not looked at.
    EXPECT_TRUE(is_applied(apply(*store, record_of(run, "1"))));
}

TEST_F(CertainTest, a_changed_mark_makes_every_epoch_be_read) {
    const auto store = open_silent();
    const auto run = running(*store, "july", "one");
    raise_epochs();
    server.sql("UPDATE " + table("belay_workers") + " SET mark = gen_random_uuid()");

    EXPECT_TRUE(is_fenced(apply(*store, record_of(run, "1"))));
    EXPECT_TRUE(store->stages(run.no).empty());
}

TEST_F(CertainTest, a_takeover_changes_the_mark) {
    const auto frozen = open_silent();
    const auto other = open_quick();
    const auto old = running(*frozen, "july", "frozen");
    let_lease_run_out("frozen");
    ASSERT_EQ(take_over(*other, "other").size(), 1u);
    give_lease_back("frozen");  // it wakes up and beats

    EXPECT_TRUE(is_fenced(apply(*frozen, record_of(old, "1"))));
    EXPECT_TRUE(is_fenced(apply(*frozen, end_of(old))));
}

TEST_F(CertainTest, after_a_lease_that_ran_out_nothing_is_certain) {
    const auto store = open_silent();
    const auto run = running(*store, "july", "one");
    raise_epochs();
    let_lease_run_out("one");

    EXPECT_TRUE(is_fenced(apply(*store, record_of(run, "1"))));
}

TEST_F(CertainTest, a_beat_after_the_lease_ran_out_changes_the_mark) {
    const auto store = open_quick();  // beats every 100 ms
    const auto run = running(*store, "july", "one");
    const std::string before = mark_of("one");
    raise_epochs();
    let_lease_run_out("one");
    const auto patience = std::chrono::steady_clock::now() + 30s;
    while (mark_of("one") == before && std::chrono::steady_clock::now() < patience) {
    }

    EXPECT_NE(mark_of("one"), before);
    EXPECT_TRUE(is_fenced(apply(*store, record_of(run, "1"))));
}

TEST_F(CertainTest,
       what_is_still_on_its_way_when_a_worker_takes_its_runs_again_finds_another_mark) {
    const auto store = open_silent();
    const auto run = running(*store, "july", "one");
    const std::string before = mark_of("one");

    Reclaim reclaim;
    reclaim.worker = "one";
    reclaim.runs = {run.no};
    const auto taken = apply(*store, reclaim).outcome;
    const std::string after_reclaim = mark_of("one");
    store->reopen();

    EXPECT_NE(after_reclaim, before);
    EXPECT_NE(mark_of("one"), after_reclaim);
    ASSERT_EQ(taken.size(), 1u);
    EXPECT_TRUE(is_applied(apply(*store, record_of(taken[0], "1"))));
    EXPECT_TRUE(is_fenced(apply(*store, record_of(run, "2"))));
}

TEST_F(CertainTest, an_end_that_came_to_be_awaited_elsewhere_tells_who_awaits_it) {
    const auto one = open();
    const auto two = open();
    const auto child = running(*one, "child", "one");
    const auto parent = running(*two, "parent", "two");
    const auto signals = apply(*two, await_of(parent, child)).signals;

    EXPECT_TRUE(is_applied(apply(*one, end_of(child))));

    EXPECT_GT(two->find_run("parent")->signals, signals);
}

TEST_F(CertainTest, a_stage_that_had_ended_is_refused_alone) {
    const auto store = open();
    const auto first = running(*store, "first", "one");
    const auto second = running(*store, "second", "one");
    apply(*store, record_of(first, "1"));
    Record again = record_of(first, "1");
    again.stage.output = "2";
    Batch batch;
    batch.now = now;
    batch.verbs = {again, record_of(second, "1"), end_of(second)};

    store->commit(batch);

    EXPECT_TRUE(std::holds_alternative<Refused>(std::get<Record>(batch.verbs[0]).outcome));
    EXPECT_TRUE(is_applied(std::get<Record>(batch.verbs[1])));
    EXPECT_TRUE(is_applied(std::get<End>(batch.verbs[2])));
    EXPECT_EQ(store->stages(first.no).at(0).output, "1");
}

TEST_F(CertainTest, an_id_that_another_worker_used_is_joined) {
    const auto one = open();
    const auto two = open();
    const auto there = running(*one, "july", "one");
    running(*two, "june", "two");

    const auto found = std::get<SubmitOutcome>(apply(*two, submit_of("july", "two")).outcome);

    EXPECT_EQ(found.kind, SubmitKind::Joined);
    EXPECT_EQ(found.run.no, there.no);
    EXPECT_EQ(found.run.worker, "one");
}

TEST_F(CertainTest, an_id_whose_run_was_deleted_stays_used) {
    const auto one = open();
    const auto two = open();
    apply(*one, end_of(running(*one, "july", "one")));
    Prune prune;
    prune.run_ids = {"july"};
    ASSERT_EQ(apply(*one, prune).outcome.deleted.size(), 1u);
    running(*two, "june", "two");

    const auto found = std::get<SubmitOutcome>(apply(*two, submit_of("july", "two")).outcome);

    EXPECT_NE(found.kind, SubmitKind::Created);
    EXPECT_FALSE(two->find_run("july"));
}

// The insert of the submission waits for the transaction that deletes, so the tombstone is there only behind it.
TEST_F(CertainTest, an_id_whose_run_is_being_deleted_stays_used) {
    const auto store = open();
    apply(*store, end_of(running(*store, "july", "one")));
    postgres::ConnectOptions options;
    options.url = postgres::parse_address(address).url;
    options.schema = schema();
    options.reply_time_max = 20s;
    postgres::Connection deleting{options};
    postgres::Connection looking{options};
    deleting.run("BEGIN");
    deleting.run(
        "INSERT INTO workflow_tombstones SELECT public_id, workflow_key, organization_id, status, "
        "'', completed_at, 1 FROM workflow_runs WHERE public_id = 'july'");
    deleting.run("DELETE FROM workflow_runs WHERE public_id = 'july'");

    auto submitting = std::async(std::launch::async, [&] {
        return std::get<SubmitOutcome>(apply(*store, submit_of("july", "one")).outcome);
    });
    bool waits = false;
    while (!waits && submitting.wait_for(0s) != std::future_status::ready) {
        waits = looking
                    .run(
                        "SELECT count(*) FROM pg_locks WHERE NOT granted AND "
                        "locktype = 'transactionid'")
                    .integer(0, 0) > 0;
    }
    deleting.run("COMMIT");

    EXPECT_TRUE(waits);
    EXPECT_NE(submitting.get().kind, SubmitKind::Created);
    EXPECT_FALSE(store->find_run("july"));
}

TEST_F(CertainTest, a_database_from_before_marks_gets_them) {
    model::Run run;
    {
        const auto before = open();
        run = running(*before, "july", "one");
    }
    // As the first migration leaves it; what the later ones made goes with its columns.
    const std::string runs = table("workflow_runs");
    server.sql("ALTER TABLE " + table("belay_workers") + " DROP COLUMN mark; ALTER TABLE " +
               table("workflow_waiters") + " DROP COLUMN came; ALTER TABLE " +
               table("workflow_messages") + " DROP COLUMN misfit, DROP COLUMN late; DROP TABLE " +
               table("run_deaths") + "; DROP TABLE " + table("workflow_labels") + "; DROP TABLE " +
               table("workflow_exposed") + "; DROP TABLE " + table("workflow_budgets") +
               "; DROP TABLE " + table("workflow_spending") + "; DROP TABLE " +
               table("workflow_reservations") + "; ALTER TABLE " + runs +
               " DROP COLUMN charges, DROP COLUMN undo, DROP COLUMN undo_plan; " +
               "CREATE INDEX workflow_runs_suspects ON " + runs + " (id); " +
               "CREATE INDEX workflow_runs_running ON " + runs + " (id); DELETE FROM " +
               table("schema_migrations") + " WHERE owner = 'belay' AND number >= 2");

    const auto store = open();
    const auto taken = take_over(*store, "two");

    ASSERT_EQ(taken.size(), 1u);
    EXPECT_TRUE(is_applied(apply(*store, record_of(taken[0], "1"))));
    EXPECT_NE(mark_of("one"), mark_of("two"));
}

TEST_F(CertainTest, a_run_is_written_from_its_submission_to_its_end) {
    const auto store = open();
    running(*store, "june", "one");
    const auto run = running(*store, "july", "one");
    Record running_now = record_of(run, "1");
    running_now.stage.status = StageStatus::Running;
    running_now.stage.output.reset();
    running_now.touch_run = true;
    running_now.progress = model::Progress{1, 2, "half"};
    apply(*store, running_now);
    Batch batch;
    batch.now = now;
    batch.verbs = {record_of(run, "1"), record_of(run, "2"), end_of(run),
                   submit_of("august", "one")};

    store->commit(batch);

    const auto ended = store->find_run("july");
    EXPECT_EQ(ended->status, RunStatus::Succeeded);
    EXPECT_EQ(ended->progress->text, "half");
    ASSERT_EQ(store->stages(run.no).size(), 2u);
    EXPECT_EQ(store->stages(run.no)[0].status, StageStatus::Succeeded);
    EXPECT_EQ(store->find_run("august")->status, RunStatus::Running);
}

}  // namespace
}  // namespace belay::store
