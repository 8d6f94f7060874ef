// read_test.cpp — finding, listing, counting, querying; and the program's own tables.
#include <algorithm>

#include "conformance/store_test.hpp"

namespace belay::store {
namespace {

class ReadTest : public StoreTest {
protected:
    Ids list(RunFilter filter) { return ids_of(store->list_runs(filter).runs); }
};

TEST_P(ReadTest, a_run_is_found_by_its_id_and_by_its_number) {
    const auto run = queued("july");

    EXPECT_EQ(store->find_run("july")->no, run.no);
    EXPECT_EQ(store->find_run(run.no)->id, "july");
    EXPECT_EQ(store->find_run("jul"), std::nullopt);
    EXPECT_EQ(store->find_run("JULY"), std::nullopt);
    EXPECT_EQ(store->find_run(RunNo{987654}), std::nullopt);
    EXPECT_TRUE(store->stages(RunNo{987654}).empty());
    EXPECT_TRUE(store->attempts(RunNo{987654}).empty());
}

TEST_P(ReadTest, of_many_runs_those_that_have_ended_or_are_paused_are_told_at_once) {
    ended("done", RunStatus::Succeeded);
    ended("failed", RunStatus::Failed);
    ended("paused", RunStatus::Paused);
    ended("another", RunStatus::Succeeded);
    queued("queued");
    running("running");
    waiting("waiting");

    const auto over =
        store->ended_of({"queued", "done", "nobody", "running", "failed", "paused", "waiting"});

    Ids ids = ids_of(over);
    std::sort(ids.begin(), ids.end());
    EXPECT_EQ(ids, (Ids{"done", "failed", "paused"}));
    for (const model::Run& run : over) {
        const model::Run alone = get(run.id);
        EXPECT_EQ(run.no, alone.no);
        EXPECT_EQ(run.status, alone.status);
        EXPECT_EQ(run.result, alone.result);
        EXPECT_EQ(run.failure.has_value(), alone.failure.has_value());
    }
    EXPECT_TRUE(store->ended_of({}).empty());
}

TEST_P(ReadTest, runs_are_listed_newest_first_page_by_page) {
    for (const auto* id : {"a", "b", "c", "d", "e"}) queued(id);
    RunFilter filter;
    filter.limit = 2;

    const auto first = store->list_runs(filter);
    filter.before = first.next;
    const auto second = store->list_runs(filter);
    filter.before = second.next;
    const auto third = store->list_runs(filter);

    EXPECT_EQ(ids_of(first.runs), (Ids{"e", "d"}));
    EXPECT_EQ(ids_of(second.runs), (Ids{"c", "b"}));
    EXPECT_EQ(ids_of(third.runs), Ids{"a"});
    EXPECT_EQ(third.next, std::nullopt);
}

TEST_P(ReadTest, a_page_that_is_just_full_is_the_last) {
    queued("a");
    queued("b");
    RunFilter filter;
    filter.limit = 2;

    EXPECT_EQ(store->list_runs(filter).next, std::nullopt);
}

TEST_P(ReadTest, a_store_without_runs_lists_none) {
    EXPECT_TRUE(store->list_runs({}).runs.empty());
    EXPECT_EQ(store->list_runs({}).next, std::nullopt);
}

TEST_P(ReadTest, a_list_can_be_filtered) {
    Submit acme = submit_of("acme-1");
    acme.run.organization_id = "acme";
    Submit receipt = submit_of("receipt-1");
    receipt.run.workflow_key = "receipt";
    apply_all({acme, receipt});
    ended("done-1", RunStatus::Succeeded);

    EXPECT_EQ(list({.status = RunStatus::Succeeded}), Ids{"done-1"});
    EXPECT_EQ(list({.status = RunStatus::Queued}), (Ids{"receipt-1", "acme-1"}));
    EXPECT_EQ(list({.workflow_key = "receipt"}), Ids{"receipt-1"});
    EXPECT_EQ(list({.workflow_key = "rec"}), Ids{});
    EXPECT_EQ(list({.organization_id = "acme"}), Ids{"acme-1"});
    EXPECT_EQ(list({.status = RunStatus::Queued, .organization_id = "acme"}), Ids{"acme-1"});
    EXPECT_EQ(list({.status = RunStatus::Failed, .organization_id = "acme"}), Ids{});
}

TEST_P(ReadTest, a_list_can_be_filtered_by_when_runs_were_created_and_when_they_ended) {
    const Time start = now;
    queued("at_0");
    now = start + 10min;
    const auto long_run = running("at_10");
    now = start + 20min;
    ended("at_20", RunStatus::Failed);
    now = start + 30min;
    apply(end_of(long_run, RunStatus::Succeeded));

    EXPECT_EQ(list({.since = start + 10min}), (Ids{"at_20", "at_10"}));
    EXPECT_EQ(list({.since = start + 10min + 1ms}), Ids{"at_20"});
    EXPECT_EQ(list({.until = start + 10min}), Ids{"at_0"});
    EXPECT_EQ(list({.since = start + 10min, .until = start + 20min}), Ids{"at_10"});
    EXPECT_EQ(list({.ended_since = start}), (Ids{"at_20", "at_10"}));
    EXPECT_EQ(list({.ended_since = start + 30min}), Ids{"at_10"});
    EXPECT_EQ(list({.ended_until = start + 30min}), Ids{"at_20"});
    EXPECT_EQ(list({.status = RunStatus::Failed, .ended_since = start + 30min}), Ids{});
}

TEST_P(ReadTest, a_text_is_looked_for_in_ids_and_workflow_keys_to_the_letter) {
    queued("a%b");
    queued("a_b");
    queued("axb");
    Submit receipt = submit_of("z");
    receipt.run.workflow_key = "receipt_v2";
    apply(receipt);

    EXPECT_EQ(list({.text = "%"}), Ids{"a%b"});
    EXPECT_EQ(list({.text = "a_b"}), Ids{"a_b"});
    EXPECT_EQ(list({.text = "ceipt"}), Ids{"z"});
    EXPECT_EQ(list({.text = "xb"}), Ids{"axb"});
    EXPECT_EQ(list({.text = "'"}), Ids{});
}

TEST_P(ReadTest, filters_hold_across_pages) {
    for (const auto* id : {"a1", "b1", "a2", "b2", "a3"}) queued(id);
    RunFilter filter;
    filter.text = "a";
    filter.limit = 2;

    const auto first = store->list_runs(filter);
    filter.before = first.next;
    const auto second = store->list_runs(filter);

    EXPECT_EQ(ids_of(first.runs), (Ids{"a3", "a2"}));
    EXPECT_EQ(ids_of(second.runs), Ids{"a1"});
    EXPECT_EQ(second.next, std::nullopt);
}

TEST_P(ReadTest, every_state_is_counted) {
    for (const auto status :
         {RunStatus::Queued, RunStatus::Running, RunStatus::Waiting, RunStatus::Paused,
          RunStatus::Succeeded, RunStatus::Failed, RunStatus::Canceled}) {
        in_state(std::string(to_string(status)), status);
    }
    ended("another", RunStatus::Succeeded);

    const auto counts = store->count_runs();

    EXPECT_EQ(counts.queued, 1);
    EXPECT_EQ(counts.running, 1);
    EXPECT_EQ(counts.waiting, 1);
    EXPECT_EQ(counts.paused, 1);
    EXPECT_EQ(counts.succeeded, 2);
    EXPECT_EQ(counts.failed, 1);
    EXPECT_EQ(counts.canceled, 1);
}

TEST_P(ReadTest, a_query_reads_with_parameters) {
    make_notes_table();
    const auto run = running("july");
    apply(transaction_of(run, "1", write_note("räksmörgås")));
    const std::vector<SqlValue> parameters{std::string("räksmörgås")};

    const auto result = store->query("SELECT id, text FROM notes WHERE text = ?", parameters);

    EXPECT_EQ(result.columns, (Ids{"id", "text"}));
    ASSERT_EQ(result.rows.size(), 1u);
    EXPECT_EQ(std::get<std::string>(result.rows[0][1]), "räksmörgås");
}

TEST_P(ReadTest, a_query_only_reads) {
    make_notes_table();
    for (const auto* sql :
         {"INSERT INTO notes (text) VALUES ('x')", "DELETE FROM notes", "DROP TABLE notes",
          "CREATE TABLE more (id)", "SELECT * FROM nowhere", "SELECT ?"}) {
        EXPECT_EQ(thrown_by([&] { store->query(sql, {}); }), ErrorCode::InvalidArgument) << sql;
    }
    EXPECT_EQ(notes(), Ids{});
}

TEST_P(ReadTest, another_process_reads_what_was_committed) {
    make_notes_table();
    const auto run = running("july");
    apply(transaction_of(run, "1", write_note("hello")));

    const auto reader = open_reader();

    EXPECT_EQ(reader->find_run("july")->status, RunStatus::Running);
    EXPECT_EQ(reader->stages(run.no).size(), 1u);
    EXPECT_EQ(reader->count_runs().running, 1);
    EXPECT_EQ(reader->list_runs({}).runs.size(), 1u);
    EXPECT_EQ(reader->query("SELECT * FROM notes", {}).rows.size(), 1u);
    apply(end_of(run, RunStatus::Succeeded));
    EXPECT_EQ(reader->find_run("july")->status, RunStatus::Succeeded);
}

TEST_P(ReadTest, migrations_are_applied_once_each_and_in_order) {
    const std::string first = "CREATE TABLE t (a); INSERT INTO t VALUES (1);";
    const std::string second = "INSERT INTO t VALUES (2); -- the second\n";

    store->migrate({"room", {first}});
    store->migrate({"room", {first}});
    restart();
    store->migrate({"room", {first, second}});
    store->migrate({"room", {first, second}});

    EXPECT_EQ(store->query("SELECT a FROM t", {}).rows.size(), 2u);
}

TEST_P(ReadTest, every_owner_counts_for_itself) {
    store->migrate({"one", {"CREATE TABLE one (a)"}});
    store->migrate({"two", {"CREATE TABLE two (a)"}});

    EXPECT_TRUE(store->query("SELECT * FROM one, two", {}).rows.empty());
}

TEST_P(ReadTest, a_migration_that_fails_leaves_nothing_of_itself_and_can_be_mended) {
    const std::string good = "CREATE TABLE good (a)";
    const std::string bad = "CREATE TABLE bad (a); SELEKT 1";

    EXPECT_EQ(thrown_by([&] {
                  store->migrate({"room", {good, bad}});
              }),
              ErrorCode::InvalidArgument);

    EXPECT_TRUE(store->query("SELECT * FROM good", {}).rows.empty());
    EXPECT_EQ(thrown_by([&] { store->query("SELECT * FROM bad", {}); }),
              ErrorCode::InvalidArgument);
    store->migrate({"room", {good, "CREATE TABLE bad (a)"}});
    EXPECT_TRUE(store->query("SELECT * FROM bad", {}).rows.empty());
}

TEST_P(ReadTest, a_program_older_than_its_tables_is_refused) {
    store->migrate({"room", {"CREATE TABLE a (a)", "CREATE TABLE b (a)"}});

    EXPECT_EQ(thrown_by([&] {
                  store->migrate({"room", {"CREATE TABLE a (a)"}});
              }),
              ErrorCode::SchemaTooNew);
}

TEST_P(ReadTest, an_empty_batch_commits_and_a_reopened_store_works_on) {
    Batch empty;
    empty.now = now;
    store->commit(empty);
    const auto run = running("july");

    store->reopen();

    EXPECT_EQ(get("july").status, RunStatus::Running);
    EXPECT_TRUE(is<Applied>(apply(record_of(run, stage_of("1", StageStatus::Succeeded))).outcome));
    EXPECT_FALSE(store->name().empty());
}

TEST_P(ReadTest, everything_survives_a_restart) {
    make_notes_table();
    const auto run = running("july");
    Record record = transaction_of(run, "1", write_note("kept"));
    record.attempts = {attempt_of("1", 1)};
    record.touch_run = true;
    apply(record);
    const auto before = get("july");

    restart();

    const auto after = get("july");
    EXPECT_EQ(after.no, before.no);
    EXPECT_EQ(after.status, before.status);
    EXPECT_EQ(after.worker, before.worker);
    EXPECT_EQ(after.epoch, before.epoch);
    EXPECT_EQ(after.current_stage, before.current_stage);
    EXPECT_EQ(after.created_at, before.created_at);
    EXPECT_EQ(after.updated_at, before.updated_at);
    EXPECT_EQ(after.started_at, before.started_at);
    EXPECT_EQ(store->stages(run.no).size(), 1u);
    EXPECT_EQ(store->attempts(run.no).size(), 1u);
    EXPECT_EQ(notes(), Ids{"kept"});
    EXPECT_GT(queued("august").no, run.no);
}

BELAY_ON_EVERY_STORE(ReadTest);

}  // namespace
}  // namespace belay::store
