// body_tx_test.cpp — what the body of a transaction may do in the writer's own transaction.
#include "core/store/sqlite/body_tx.hpp"

#include <array>

#include "core/store/sqlite/sqlite_test.hpp"

namespace belay::store::sqlite {
namespace {

class BodyTxTest : public SqliteTest {
protected:
    BodyTxTest() : store(open_store()), run(running(*store, "july")) {
        store->migrate({"test", {"CREATE TABLE notes (id INTEGER PRIMARY KEY, body TEXT)"}});
    }

    WriteOutcome record(const std::string& path, TxBody body) {
        return apply(*store, record_of(run, path, std::move(body))).outcome;
    }
    WriteOutcome record_sql(const std::string& path, std::string sql) {
        return record(path, [sql = std::move(sql)](SqlTx& tx) {
            tx.run(sql, {});
            return std::string("1");
        });
    }

    std::unique_ptr<Store> store;
    model::Run run;
};

TEST_F(BodyTxTest, its_writes_and_its_record_commit_together_with_what_it_returned) {
    const auto outcome = record("1", [](SqlTx& tx) {
        const std::array<SqlValue, 2> row{std::int64_t{7}, std::string("hello")};
        EXPECT_EQ(tx.run("INSERT INTO notes VALUES (?, ?)", row).changed, 1);
        return std::string(R"({"note":7})");
    });

    EXPECT_TRUE(std::holds_alternative<Applied>(outcome));
    EXPECT_EQ(store->stages(run.no).at(0).output, R"({"note":7})");
    EXPECT_EQ(prompt().text("SELECT body FROM notes WHERE id = 7"), "hello");
}

TEST_F(BodyTxTest, it_may_read_belays_tables_and_not_write_them_nor_end_the_transaction) {
    EXPECT_TRUE(std::holds_alternative<Applied>(record_sql("1", "SELECT * FROM workflow_runs")));

    int path = 1;
    for (const auto* sql :
         {"COMMIT", "ROLLBACK", "BEGIN", "SAVEPOINT mine", "RELEASE verb", "ROLLBACK TO verb",
          "PRAGMA synchronous = OFF", "ATTACH 'other.db' AS other", "DETACH other",
          "UPDATE workflow_runs SET epoch = 99", "DELETE FROM workflow_stage_runs",
          "INSERT INTO control_requests (kind, created_at) VALUES ('cancel', 0)",
          "DROP TABLE workflow_stage_attempts", "DELETE FROM schema_migrations",
          "UPDATE belay_meta SET value = 0", "ALTER TABLE workflow_runs ADD COLUMN mine",
          "CREATE TRIGGER spy AFTER INSERT ON workflow_runs BEGIN SELECT 1; END"}) {
        const auto outcome = record_sql(std::to_string(++path), sql);
        EXPECT_EQ(body_error_of(outcome).code(), ErrorCode::TransactionRefused) << sql;
    }
    EXPECT_EQ(store->stages(run.no).size(), 1u);
    EXPECT_EQ(store->find_run("july")->epoch, 1);
}

TEST_F(BodyTxTest, a_trigger_cannot_write_belays_tables_for_it) {
    record_sql("1",
               "CREATE TRIGGER sly AFTER INSERT ON notes BEGIN "
               "UPDATE workflow_runs SET epoch = 99; END");

    EXPECT_EQ(body_error_of(record_sql("2", "INSERT INTO notes VALUES (1, 'x')")).code(),
              ErrorCode::TransactionRefused);
    EXPECT_EQ(store->find_run("july")->epoch, 1);
}

TEST_F(BodyTxTest, one_that_throws_is_undone_alone) {
    const auto outcome = record("1", [](SqlTx& tx) -> std::string {
        tx.run("INSERT INTO notes VALUES (1, 'x')", {});
        model::NewRun child;
        child.id = "child";
        child.workflow_key = "invoice";
        child.input = "{}";
        EXPECT_EQ(tx.submit(child).kind, SubmitKind::Created);
        throw std::runtime_error("no");
    });

    EXPECT_TRUE(std::holds_alternative<BodyFailed>(outcome));
    EXPECT_EQ(prompt().integer("SELECT count(*) FROM notes"), 0);
    EXPECT_EQ(store->find_run("child"), std::nullopt);
    EXPECT_TRUE(store->stages(run.no).empty());
}

TEST_F(BodyTxTest, one_that_reads_for_too_long_is_told_its_limit) {
    store.reset();
    time_max = 20ms;
    store = open_store();

    const auto outcome = record_sql(
        "1",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n");

    const auto error = body_error_of(outcome);
    EXPECT_EQ(error.code(), ErrorCode::Overloaded);
    EXPECT_NE(std::string(error.what()).find("20 ms"), std::string::npos) << error.what();
    EXPECT_TRUE(std::holds_alternative<Applied>(record_sql("1", "SELECT 1")));
}

TEST_F(BodyTxTest, a_broken_deferred_key_fails_its_body_and_not_the_commit) {
    store->migrate({"test2",
                    {"CREATE TABLE lines (note INTEGER REFERENCES notes (id) "
                     "DEFERRABLE INITIALLY DEFERRED)"}});

    EXPECT_TRUE(
        std::holds_alternative<BodyFailed>(record_sql("1", "INSERT INTO lines VALUES (5)")));
    EXPECT_TRUE(
        std::holds_alternative<Applied>(record_sql("2", "INSERT INTO notes VALUES (1, 'x')")));
}

}  // namespace
}  // namespace belay::store::sqlite
