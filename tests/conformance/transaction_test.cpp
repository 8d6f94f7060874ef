// transaction_test.cpp — a body's writes and its record commit together: exactly once (P4).
#include "conformance/store_test.hpp"

namespace belay::store {
namespace {

class TransactionTest : public StoreTest {
protected:
    TransactionTest() { make_notes_table(); }

    static SqlResult run(SqlTx& tx, std::string_view sql, std::vector<SqlValue> parameters = {}) {
        return tx.run(sql, parameters);
    }
    static TxBody sql_body(std::string sql) {
        return [sql = std::move(sql)](SqlTx& tx) -> std::string {
            tx.run(sql, {});
            return "null";
        };
    }
    std::optional<ErrorCode> code_of_body(const std::string& sql) {
        const auto run = running(sql);
        const auto outcome = apply(transaction_of(run, "1", sql_body(sql))).outcome;
        return is<BodyFailed>(outcome) ? code_of(std::get<BodyFailed>(outcome).error)
                                       : std::nullopt;
    }
};

TEST_P(TransactionTest, a_body_and_its_record_commit_together) {
    const auto july = running("july");

    const auto verb = apply(transaction_of(july, "1", write_note("paid", R"({"id":7})")));
    restart();

    EXPECT_TRUE(is<Applied>(verb.outcome));
    EXPECT_EQ(verb.stage.output, R"({"id":7})");
    EXPECT_EQ(notes(), Ids{"paid"});
    EXPECT_EQ(stage_at(july, "1")->status, StageStatus::Succeeded);
    EXPECT_EQ(stage_at(july, "1")->output, R"({"id":7})");
}

TEST_P(TransactionTest, a_body_that_throws_leaves_neither_and_spares_its_neighbours) {
    const auto bad = running("bad");
    const auto good = running("good");
    Record failing = transaction_of(bad, "1", [](SqlTx& tx) -> std::string {
        write_note("half")(tx);
        throw std::runtime_error("the total is wrong");
    });
    failing.attempts = {attempt_of("1", 1)};
    failing.progress = model::Progress{1, 1, "done"};

    apply_all({transaction_of(good, "1", write_note("before")), failing,
               transaction_of(good, "2", write_note("after"))});

    EXPECT_TRUE(is<Applied>(verb_at<Record>(0).outcome));
    ASSERT_TRUE(is<BodyFailed>(verb_at<Record>(1).outcome));
    EXPECT_EQ(text_of(std::get<BodyFailed>(verb_at<Record>(1).outcome)), "the total is wrong");
    EXPECT_TRUE(is<Applied>(verb_at<Record>(2).outcome));
    EXPECT_EQ(notes(), (Ids{"before", "after"}));
    EXPECT_TRUE(store->stages(bad.no).empty());
    EXPECT_TRUE(store->attempts(bad.no).empty());
    EXPECT_EQ(get("bad").progress, std::nullopt);
}

TEST_P(TransactionTest, what_a_body_throws_need_not_be_a_std_exception) {
    const auto july = running("july");

    const auto outcome =
        apply(transaction_of(july, "1", [](SqlTx&) -> std::string { throw 42; })).outcome;

    ASSERT_TRUE(is<BodyFailed>(outcome));
    EXPECT_THROW(std::rethrow_exception(std::get<BodyFailed>(outcome).error), int);
}

TEST_P(TransactionTest, a_body_is_not_called_for_a_stage_that_has_its_record) {
    const auto july = running("july");
    apply(transaction_of(july, "1", write_note("paid", "1")));

    const auto again = apply(transaction_of(july, "1", write_note("paid", "2")));

    EXPECT_TRUE(is<Refused>(again.outcome));
    EXPECT_EQ(notes(), Ids{"paid"});
    EXPECT_EQ(stage_at(july, "1")->output, "1");
}

TEST_P(TransactionTest, a_body_under_an_old_epoch_is_not_called) {
    const auto old = running("july");
    restart();
    apply(claim_of());

    EXPECT_TRUE(is<Fenced>(apply(transaction_of(old, "1", write_note("paid"))).outcome));
    EXPECT_EQ(notes(), Ids{});
}

TEST_P(TransactionTest, a_run_that_a_body_submits_exists_if_and_only_if_it_commits) {
    const auto july = running("july");
    const auto submit_child = [](std::string id, bool fail) -> TxBody {
        return [id = std::move(id), fail](SqlTx& tx) -> std::string {
            const auto outcome = tx.submit(new_run(id));
            if (fail) throw std::runtime_error("changed my mind");
            return outcome.kind == SubmitKind::Created ? "\"created\"" : "\"joined\"";
        };
    };

    apply(transaction_of(july, "1", submit_child("kept", false)));
    apply(transaction_of(july, "2", submit_child("lost", true)));
    const auto joined = apply(transaction_of(july, "3", submit_child("kept", false)));

    EXPECT_EQ(get("kept").status, RunStatus::Queued);
    EXPECT_FALSE(exists("lost"));
    EXPECT_EQ(stage_at(july, "1")->output, "\"created\"");
    EXPECT_EQ(joined.stage.output, "\"joined\"");
    EXPECT_EQ(ids_of(apply(claim_of()).outcome.claimed), Ids{"kept"});
}

TEST_P(TransactionTest, a_submission_that_does_not_fit_is_told_to_the_body) {
    const auto july = running("july");
    queued("june");

    const auto verb = apply(transaction_of(july, "1", [](SqlTx& tx) -> std::string {
        auto other = new_run("june");
        other.input = "{}";
        return tx.submit(other).kind == SubmitKind::Mismatch ? "\"mismatch\"" : "\"?\"";
    }));

    EXPECT_EQ(verb.stage.output, "\"mismatch\"");
}

TEST_P(TransactionTest, a_body_reads_what_it_and_earlier_bodies_wrote) {
    const auto july = running("july");
    const TxBody count = [](SqlTx& tx) -> std::string {
        write_note("mine")(tx);
        const auto rows = tx.run("SELECT count(*) FROM notes", {}).rows;
        return std::to_string(std::get<std::int64_t>(rows.at(0).at(0)));
    };

    apply_all({transaction_of(july, "1", count), transaction_of(july, "2", count)});

    EXPECT_EQ(stage_at(july, "1")->output, "1");
    EXPECT_EQ(stage_at(july, "2")->output, "2");
}

TEST_P(TransactionTest, values_of_every_kind_cross_and_come_back) {
    using namespace std::string_literals;
    const auto july = running("july");
    const std::vector<SqlValue> values{std::monostate{},
                                       std::int64_t{-9'223'372'036'854'775'807},
                                       0.1,
                                       "it's räksmörgås\0 with a nul"s,
                                       ""s,
                                       Bytes{std::string_view("\0\xff bytes", 8)},
                                       Bytes{}};
    SqlResult result;

    apply(transaction_of(july, "1", [&](SqlTx& tx) -> std::string {
        result = tx.run("SELECT ? AS a, ? AS b, ? AS c, ? AS d, ? AS e, ? AS f, ? AS g", values);
        return "null";
    }));

    EXPECT_EQ(result.columns, (Ids{"a", "b", "c", "d", "e", "f", "g"}));
    ASSERT_EQ(result.rows.size(), 1u);
    EXPECT_EQ(result.rows[0], values);
}

TEST_P(TransactionTest, a_statement_says_how_many_rows_it_changed) {
    const auto july = running("july");
    std::vector<std::int64_t> changed;

    apply(transaction_of(july, "1", [&](SqlTx& tx) -> std::string {
        changed.push_back(run(tx, "INSERT INTO notes (text) VALUES ('a'), ('b')").changed);
        changed.push_back(run(tx, "SELECT * FROM notes").changed);
        changed.push_back(run(tx, "UPDATE notes SET text = 'c'").changed);
        changed.push_back(run(tx, "DELETE FROM notes WHERE text = 'nobody'").changed);
        return "null";
    }));

    EXPECT_EQ(changed, (std::vector<std::int64_t>{2, 0, 2, 0}));
}

TEST_P(TransactionTest, what_a_body_must_not_do_is_refused) {
    for (const auto* sql :
         {"COMMIT", "ROLLBACK", "BEGIN", "END", "SAVEPOINT mine", "RELEASE mine",
          "ROLLBACK TO mine", "PRAGMA synchronous = OFF", "ATTACH ':memory:' AS other",
          "DETACH other", "DELETE FROM workflow_runs", "INSERT INTO workflow_runs (id) VALUES (1)",
          "DROP TABLE workflow_stage_runs", "DELETE FROM control_requests",
          "CREATE TEMP TABLE workflow_runs (id)"}) {
        EXPECT_EQ(code_of_body(sql), ErrorCode::TransactionRefused) << sql;
    }
    const auto july = running("july");
    EXPECT_TRUE(is<Applied>(apply(transaction_of(july, "1", write_note("still works"))).outcome));
}

TEST_P(TransactionTest, sql_that_fails_gives_the_databases_message) {
    for (const auto* sql :
         {"SELEKT 1", "SELECT * FROM nowhere", "INSERT INTO notes (id) VALUES ('x')", "SELECT ?",
          "", "SELECT 1; SELECT 2"}) {
        EXPECT_EQ(code_of_body(sql), ErrorCode::InvalidArgument) << sql;
    }
}

TEST_P(TransactionTest, a_body_may_catch_a_failed_statement_and_go_on) {
    const auto july = running("july");

    const auto outcome = apply(transaction_of(july, "1", [](SqlTx& tx) -> std::string {
                             run(tx, "INSERT INTO notes (id, text) VALUES (1, 'first')");
                             try {
                                 run(tx, "INSERT INTO notes (id, text) VALUES (1, 'second')");
                             } catch (const Error&) {
                                 run(tx, "UPDATE notes SET text = 'first, twice' WHERE id = 1");
                             }
                             return "null";
                         })).outcome;

    EXPECT_TRUE(is<Applied>(outcome));
    EXPECT_EQ(notes(), Ids{"first, twice"});
}

TEST_P(TransactionTest, a_body_that_runs_too_long_is_stopped_and_spares_its_neighbours) {
    const auto slow = running("slow");
    const auto good = running("good");
    const TxBody endless = sql_body(
        "INSERT INTO notes (text) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
        "SELECT 'x' FROM n WHERE i < 0");

    apply_all({transaction_of(good, "1", write_note("before")), transaction_of(slow, "1", endless),
               transaction_of(good, "2", write_note("after"))});

    ASSERT_TRUE(is<BodyFailed>(verb_at<Record>(1).outcome));
    EXPECT_EQ(code_of(std::get<BodyFailed>(verb_at<Record>(1).outcome).error),
              ErrorCode::Overloaded);  // worth another attempt: the machine may have been slow
    EXPECT_TRUE(is<Applied>(verb_at<Record>(0).outcome));
    EXPECT_TRUE(is<Applied>(verb_at<Record>(2).outcome));
    EXPECT_EQ(notes(), (Ids{"before", "after"}));
    EXPECT_TRUE(store->stages(slow.no).empty());
    EXPECT_EQ(store->stages(good.no).size(), 2u);
}

TEST_P(TransactionTest, a_statement_that_ends_the_whole_transaction_fails_its_body_alone) {
    const auto bad = running("bad");
    const auto good = running("good");
    const TxBody rolls_back = [](SqlTx& tx) -> std::string {
        run(tx, "INSERT INTO notes (id, text) VALUES (100, 'mine')");
        try {
            run(tx, "INSERT OR ROLLBACK INTO notes (id, text) VALUES (100, 'again')");
        } catch (const Error&) {
            // Caught, and yet nothing of this body may be kept.
        }
        return "null";
    };
    Submit child = submit_of("child");

    apply_all({transaction_of(good, "1", write_note("before")), child,
               transaction_of(bad, "1", rolls_back),
               transaction_of(good, "2", write_note("after"))});

    EXPECT_TRUE(is<BodyFailed>(verb_at<Record>(2).outcome));
    EXPECT_TRUE(is<Applied>(verb_at<Record>(0).outcome));
    EXPECT_EQ(std::get<SubmitOutcome>(verb_at<Submit>(1).outcome).kind, SubmitKind::Created);
    EXPECT_TRUE(is<Applied>(verb_at<Record>(3).outcome));
    EXPECT_EQ(notes(), (Ids{"before", "after"}));
    EXPECT_TRUE(exists("child"));
    EXPECT_TRUE(store->stages(bad.no).empty());
}

TEST_P(TransactionTest, a_broken_foreign_key_fails_the_body_and_not_the_commit_of_all) {
    store->migrate({"orders",
                    {"CREATE TABLE orders (id INTEGER PRIMARY KEY);"
                     "CREATE TABLE lines (order_id INTEGER REFERENCES orders (id) "
                     "DEFERRABLE INITIALLY DEFERRED)"}});
    const auto bad = running("bad");
    const auto good = running("good");

    apply_all({transaction_of(bad, "1", sql_body("INSERT INTO lines (order_id) VALUES (1)")),
               transaction_of(good, "1", write_note("after"))});

    EXPECT_TRUE(is<BodyFailed>(verb_at<Record>(0).outcome));
    EXPECT_TRUE(is<Applied>(verb_at<Record>(1).outcome));
    EXPECT_EQ(notes(), Ids{"after"});
    EXPECT_TRUE(store->query("SELECT * FROM lines", {}).rows.empty());
}

TEST_P(TransactionTest, a_body_may_make_a_table) {
    const auto july = running("july");

    apply(transaction_of(july, "1", sql_body("CREATE TABLE totals (total TEXT)")));
    apply(transaction_of(july, "2", sql_body("INSERT INTO totals VALUES ('12.50')")));

    EXPECT_EQ(store->query("SELECT * FROM totals", {}).rows.size(), 1u);
}

TEST_P(TransactionTest, a_transaction_outside_any_run_commits_whole_or_not_at_all) {
    const auto july = running("july");
    const auto failing = [](SqlTx& tx) -> std::string {
        write_note("half")(tx);
        throw std::runtime_error("no such file");
    };

    apply_all({Transact{write_note("outside", "7"), {}}, Transact{failing, {}},
               transaction_of(july, "1", write_note("inside"))});

    EXPECT_EQ(std::get<std::string>(verb_at<Transact>(0).outcome), "7");
    ASSERT_TRUE(std::holds_alternative<BodyFailed>(verb_at<Transact>(1).outcome));
    EXPECT_EQ(text_of(std::get<BodyFailed>(verb_at<Transact>(1).outcome)), "no such file");
    EXPECT_TRUE(is<Applied>(verb_at<Record>(2).outcome));
    restart();
    EXPECT_EQ(notes(), (Ids{"outside", "inside"}));
}

TEST_P(TransactionTest, a_body_may_open_a_failed_run_again) {
    const auto july = running("july");
    ended("june", RunStatus::Failed);

    apply(transaction_of(july, "1", [](SqlTx& tx) -> std::string {
        return tx.submit(new_run("june"), true).kind == SubmitKind::Retried ? "\"retried\""
                                                                            : "\"?\"";
    }));

    EXPECT_EQ(stage_at(july, "1")->output, "\"retried\"");
    EXPECT_EQ(get("june").status, RunStatus::Queued);
}

BELAY_ON_EVERY_STORE(TransactionTest);

}  // namespace
}  // namespace belay::store
