#include "core/store/sql/body.hpp"

#include <memory>
#include <vector>

#include <gtest/gtest.h>
#include <sqlite3.h>

namespace belay::store {
namespace {

struct Close {
    void operator()(sqlite3* db) const { sqlite3_close_v2(db); }
};

class SqlBodyTest : public testing::Test {
protected:
    SqlBodyTest() {
        sqlite3* opened = nullptr;
        sqlite3_open(":memory:", &opened);
        connection.reset(opened);
        own("CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)");
        own("CREATE TABLE workflow_runs (id INTEGER PRIMARY KEY, status TEXT)");
        body = std::make_unique<SqlBody>(opened);
    }

    // As Belay itself would run it.
    int own(const char* sql) {
        return sqlite3_exec(connection.get(), sql, nullptr, nullptr, nullptr);
    }

    std::optional<ErrorCode> code_of(std::string_view sql) {
        try {
            body->run(sql, {});
        } catch (const Error& e) {
            return e.code();
        }
        return std::nullopt;
    }

    std::unique_ptr<sqlite3, Close> connection;
    std::unique_ptr<SqlBody> body;
};

TEST_F(SqlBodyTest, the_rules_hold_for_bodies_and_not_for_belays_own_statements) {
    EXPECT_EQ(code_of("BEGIN"), ErrorCode::TransactionRefused);
    EXPECT_EQ(own("BEGIN"), SQLITE_OK);
    EXPECT_EQ(code_of("COMMIT"), ErrorCode::TransactionRefused);
    EXPECT_EQ(own("SAVEPOINT s; RELEASE s; COMMIT"), SQLITE_OK);
    EXPECT_EQ(own("PRAGMA user_version"), SQLITE_OK);
    EXPECT_EQ(own("INSERT INTO workflow_runs (id) VALUES (1)"), SQLITE_OK);
}

TEST_F(SqlBodyTest, belays_tables_may_be_read_but_not_written_altered_or_shadowed) {
    EXPECT_EQ(code_of("SELECT * FROM workflow_runs"), std::nullopt);
    for (const auto* sql :
         {"INSERT INTO workflow_runs (id) VALUES (1)", "UPDATE workflow_runs SET status = 'x'",
          "DELETE FROM WORKFLOW_RUNS", "REPLACE INTO workflow_runs (id) VALUES (1)",
          "DROP TABLE workflow_runs", "ALTER TABLE workflow_runs ADD COLUMN mine",
          "CREATE INDEX mine ON workflow_runs (status)",
          "CREATE TRIGGER mine AFTER INSERT ON workflow_runs BEGIN SELECT 1; END",
          "CREATE TABLE belay_mine (id)", "CREATE TEMP TABLE mine (id)", "VACUUM",
          "CREATE TEMP VIEW workflow_runs AS SELECT 1"}) {
        EXPECT_EQ(code_of(sql), ErrorCode::TransactionRefused) << sql;
    }
}

TEST_F(SqlBodyTest, a_trigger_of_the_program_may_not_write_belays_tables_either) {
    own("CREATE TRIGGER mine AFTER INSERT ON notes BEGIN DELETE FROM workflow_runs; END");

    EXPECT_EQ(code_of("INSERT INTO notes (text) VALUES ('x')"), ErrorCode::TransactionRefused);
}

TEST_F(SqlBodyTest, a_statement_is_prepared_once_and_survives_a_change_of_the_schema) {
    body->run("SELECT * FROM notes", {});
    body->run("ALTER TABLE notes ADD COLUMN more TEXT", {});

    EXPECT_EQ(body->run("SELECT * FROM notes", {}).columns.size(), 3u);
}

TEST_F(SqlBodyTest, more_statements_than_are_kept_all_work) {
    for (int i = 0; i < 500; ++i) {
        const auto result = body->run("SELECT " + std::to_string(i), {});
        EXPECT_EQ(std::get<std::int64_t>(result.rows.at(0).at(0)), i);
    }
}

TEST_F(SqlBodyTest, a_query_does_not_borrow_the_rights_of_a_body) {
    const auto* insert = "INSERT INTO notes (text) VALUES ('x')";
    body->run(insert, {});

    EXPECT_THROW(body->query(insert, {}), Error);

    EXPECT_EQ(body->query("SELECT * FROM notes", {}).rows.size(), 1u);
}

TEST_F(SqlBodyTest, comments_and_semicolons_around_one_statement_are_fine) {
    EXPECT_EQ(code_of("-- why\n /* how */ SELECT 1 ; -- done"), std::nullopt);
    EXPECT_EQ(code_of("-- nothing"), ErrorCode::InvalidArgument);
    EXPECT_EQ(code_of(";"), ErrorCode::InvalidArgument);
}

TEST_F(SqlBodyTest, the_limit_interrupts_and_an_interrupted_write_loses_the_transaction) {
    body->over_limit = [] { return true; };
    own("BEGIN");

    EXPECT_EQ(
        code_of("INSERT INTO notes (text) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 "
                "FROM n) SELECT 'x' FROM n"),
        ErrorCode::Overloaded);

    EXPECT_TRUE(body->transaction_lost());
}

TEST_F(SqlBodyTest, a_script_runs_statement_by_statement_by_the_same_rules) {
    body->run_script(
        "INSERT INTO notes (text) VALUES ('a;b'); -- one\nINSERT INTO notes (text) VALUES ('c')");
    EXPECT_EQ(body->query("SELECT * FROM notes", {}).rows.size(), 2u);

    EXPECT_THROW(body->run_script("INSERT INTO notes (text) VALUES ('d'); COMMIT"), Error);
    EXPECT_THROW(body->run_script("INSERT INTO notes (nobody) VALUES ('d')"), Error);
    body->run_script(" \n-- nothing to do\n");
}

}  // namespace
}  // namespace belay::store
