// sqlite_store_test.cpp — who may use one file at the same time, and how claims find their runs.
#include "core/store/sqlite/sqlite_store.hpp"

#include "core/store/sqlite/sql.hpp"
#include "core/store/sqlite/sqlite_test.hpp"

namespace belay::store::sqlite {
namespace {

class SqliteStoreTest : public SqliteTest {
protected:
    // How SQLite would run a statement, as one text.
    std::string plan(std::string_view sql) {
        auto db = prompt();
        Statement explain{db, "EXPLAIN QUERY PLAN " + std::string(sql)};
        std::string text;
        while (explain.next()) text.append(explain.text(3)).append("\n");
        return text;
    }
};

TEST_F(SqliteStoreTest, a_second_executor_is_told_who_the_first_one_is) {
    const auto first = open_store();

    const auto error = error_of([&] { open_store(); });

    EXPECT_EQ(error.code(), ErrorCode::StoreLocked);
    EXPECT_NE(std::string(error.what()).find("a test"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find(std::to_string(::getpid())), std::string::npos);
}

TEST_F(SqliteStoreTest, the_lock_is_kept_through_a_reopen_and_freed_at_the_end) {
    auto first = open_store();
    first->reopen();
    EXPECT_EQ(error_of([&] { open_store(); }).code(), ErrorCode::StoreLocked);

    first.reset();
    EXPECT_NO_THROW(open_store());
}

TEST_F(SqliteStoreTest, a_reader_sees_what_the_executor_commits_and_may_ask) {
    const auto executor = open_store();
    const auto reader = open_store(false);
    const auto run = running(*executor, "july");
    EXPECT_EQ(reader->find_run("july")->no, run.no);
    EXPECT_FALSE(executor->changed_outside());

    const auto id =
        reader->ask({.kind = "cancel", .run_id = "july", .payload = "", .created_at = kNow});
    EXPECT_TRUE(executor->changed_outside());
    EXPECT_FALSE(executor->changed_outside());
    const auto taken = apply(*executor, TakeRequests{}).outcome;
    ASSERT_EQ(taken.size(), 1u);
    EXPECT_EQ(reader->answer(id), std::nullopt);

    apply(*executor, AnswerRequest{.id = taken[0].id, .ok = true, .answer = "requested"});
    EXPECT_EQ(reader->answer(id)->text, "requested");
    EXPECT_TRUE(apply(*executor, TakeRequests{}).outcome.empty());
}

TEST_F(SqliteStoreTest, a_reader_can_neither_commit_nor_migrate) {
    open_store();
    const auto reader = open_store(false);
    Batch batch;
    EXPECT_EQ(error_of([&] { reader->commit(batch); }).code(), ErrorCode::InvalidArgument);
    EXPECT_EQ(error_of([&] { reader->migrate({"x", {}}); }).code(), ErrorCode::InvalidArgument);
    EXPECT_EQ(error_of([&] { reader->reopen(); }).code(), ErrorCode::InvalidArgument);
}

TEST_F(SqliteStoreTest, a_running_runs_current_stage_is_its_newest_even_if_its_row_is_behind) {
    const auto store = open_store();
    const auto run = running(*store, "july");
    apply(*store, record_of(run, "1"));
    apply(*store, record_of(run, "2"));
    EXPECT_EQ(store->find_run("july")->current_stage, "stage_2");
    EXPECT_EQ(prompt().text("SELECT current_stage FROM workflow_runs"), "queued");

    End end;
    end.lease = {run.no, run.epoch};
    apply(*store, end);
    EXPECT_EQ(prompt().text("SELECT current_stage FROM workflow_runs"), "stage_2");
}

TEST_F(SqliteStoreTest, claims_find_their_runs_by_the_partial_indexes_and_never_sort) {
    const auto store = open_store();

    for (const auto statement : {sql::list_due, sql::next_due}) {
        const auto text = plan(statement);
        EXPECT_NE(text.find("workflow_runs_due (workflow_key=? AND turn=? AND <expr>"),
                  std::string::npos)
            << text;
        EXPECT_EQ(text.find("TEMP B-TREE"), std::string::npos) << text;
    }
    EXPECT_NE(plan(sql::next_worker).find("workflow_runs_running (workflow_key=? AND worker>?)"),
              std::string::npos)
        << plan(sql::next_worker);
    const auto orphans = plan(sql::list_orphans);
    EXPECT_NE(orphans.find("workflow_runs_running (workflow_key=? AND worker=? AND charges>"),
              std::string::npos)
        << orphans;
    EXPECT_EQ(orphans.find("TEMP B-TREE"), std::string::npos) << orphans;
}

TEST_F(SqliteStoreTest, a_line_is_read_in_its_order_and_counted_without_its_runs) {
    const auto store = open_store();

    const auto line = plan(sql::list_line);
    EXPECT_NE(line.find("workflow_runs_line (queue=? AND workflow_key=? AND <expr>=?)"),
              std::string::npos)
        << line;
    EXPECT_EQ(line.find("TEMP B-TREE"), std::string::npos) << line;
    const auto count = plan(sql::count_in_queue);
    EXPECT_EQ(count.find("USING INDEX"), std::string::npos) << count;
    EXPECT_NE(
        count.find("USING COVERING INDEX workflow_runs_queue (queue=? AND status=? AND worker=?"),
        std::string::npos)
        << count;
    EXPECT_NE(plan(sql::last_turn)
                  .find("workflow_runs_partition (queue=? AND priority=? AND partition_key=?"),
              std::string::npos);
    EXPECT_NE(plan(sql::list_scheduled).find("workflow_runs_schedule (schedule=?"),
              std::string::npos);
}

TEST_F(SqliteStoreTest, lists_and_counts_do_not_read_the_whole_table) {
    const auto store = open_store();

    const auto counts = plan(sql::count_runs);
    EXPECT_EQ(counts.find("SCAN workflow_runs\n"), std::string::npos) << counts;
    for (const auto* index : {"_due", "_running", "_stopped"}) {
        EXPECT_NE(counts.find(std::string("INDEX workflow_runs") + index), std::string::npos)
            << counts;
    }
}

TEST_F(SqliteStoreTest, answers_are_kept_for_a_while_and_then_forgotten) {
    std::int64_t old = 0;
    std::int64_t fresh = 0;
    {
        const auto store = open_store();
        old = store->ask({.kind = "cancel"});
        fresh = store->ask({.kind = "cancel"});
        apply(*store, AnswerRequest{.id = old});
        prompt().run("UPDATE control_requests SET answered_at = 9e15 WHERE id = 2");
        prompt().run("UPDATE control_requests SET answered_at = 1 WHERE id = 1");
    }

    const auto store = open_store();

    EXPECT_EQ(store->answer(old), std::nullopt);
    EXPECT_NE(store->answer(fresh), std::nullopt);
    EXPECT_GT(store->ask({.kind = "cancel"}), fresh);
}

TEST_F(SqliteStoreTest, a_file_name_may_have_any_character) {
    file = folder / "100% really? #1 åäö.db";

    open_store();

    EXPECT_TRUE(std::filesystem::exists(file));
    EXPECT_NO_THROW(open_store(false));
}

}  // namespace
}  // namespace belay::store::sqlite
