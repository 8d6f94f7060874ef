// schema_test.cpp — which files are opened, how they are made, and which are refused.
#include "core/store/sqlite/schema.hpp"

#include <sys/stat.h>

#include <regex>
#include <set>

#include <fmt/format.h>

#include "core/model/transitions.hpp"
#include "core/store/sql/body.hpp"
#include "core/store/sqlite/sql.hpp"
#include "core/store/sqlite/sqlite_test.hpp"

namespace belay::store::sqlite {
namespace {

class Schema : public SqliteTest {
protected:
    // The words in single quotes of the CHECK on a table's status.
    std::set<std::string> statuses_of(const std::string& table) {
        auto db = prompt();
        const std::string text =
            db.text("SELECT sql FROM sqlite_master WHERE name = '" + table + "'").value();
        const auto from = text.find("CHECK (");
        return words_of(text.substr(from, text.find(')', from) - from));
    }
    static std::set<std::string> words_of(const std::string& text) {
        const std::regex quoted{"'([a-z]+)'"};
        return {std::sregex_token_iterator{text.begin(), text.end(), quoted, 1}, {}};
    }
};

TEST_F(Schema, a_new_file_is_made_durable_and_says_whose_it_is) {
    const auto store = open_store();

    auto db = prompt();
    EXPECT_EQ(db.text("PRAGMA journal_mode"), "wal");
    EXPECT_EQ(db.integer("PRAGMA application_id"), 0x42656c79);
    EXPECT_EQ(db.integer("SELECT max(number) FROM schema_migrations WHERE owner = 'belay'"),
              sql::migrations.back().number);
    EXPECT_EQ(db.text("PRAGMA integrity_check"), "ok");
    EXPECT_EQ(store->name(), "sqlite:" + file.string());
}

TEST_F(Schema, the_lists_of_statuses_are_those_of_the_model) {
    const auto store = open_store();

    const auto runs = statuses_of("workflow_runs");
    EXPECT_EQ(runs, words_of(model::sql_list_of_run_statuses()));
    const auto stages = statuses_of("workflow_stage_runs");
    EXPECT_EQ(stages, words_of(model::sql_list_of_stage_statuses()));
}

TEST_F(Schema, every_table_that_it_makes_is_refused_to_bodies) {
    const auto store = open_store();

    auto db = prompt();
    Statement tables{db,
                     "SELECT name FROM sqlite_master WHERE type = 'table' "
                     "AND name NOT LIKE 'sqlite_%'"};
    while (tables.next()) {
        EXPECT_TRUE(is_own_table(tables.text(0))) << tables.text(0);
    }
}

TEST_F(Schema, opening_again_changes_nothing_but_the_session) {
    open_store();
    open_store();

    auto db = prompt();
    EXPECT_EQ(db.integer("SELECT count(*) FROM schema_migrations"),
              static_cast<std::int64_t>(sql::migrations.size()));
    EXPECT_EQ(db.integer("SELECT value FROM belay_meta WHERE key = 'session'"), 2);
}

TEST_F(Schema, a_file_of_a_newer_belay_is_refused_by_name_and_number) {
    open_store();
    prompt().run("INSERT INTO schema_migrations VALUES ('belay', 99, 'later', 0)");

    for (const bool execute : {true, false}) {
        const auto error = error_of([&] { open_store(execute); });

        EXPECT_EQ(error.code(), ErrorCode::SchemaTooNew);
        EXPECT_NE(std::string(error.what()).find("schema 99"), std::string::npos) << error.what();
        EXPECT_NE(
            std::string(error.what()).find("schema " + std::to_string(sql::migrations.size())),
            std::string::npos)
            << error.what();
    }
}

TEST_F(Schema, a_file_that_is_no_database_is_left_alone) {
    write_file(
        "Dear diary, today I wrote more than one hundred bytes, which SQLite takes for a header "
        "and finds that it is none.");
    const auto before = read_file();

    const auto error = error_of([&] { open_store(); });

    EXPECT_EQ(error.code(), ErrorCode::StoreUnavailable);
    EXPECT_NE(std::string(error.what()).find("is not a SQLite database"), std::string::npos);
    EXPECT_EQ(read_file(), before);
    EXPECT_FALSE(std::filesystem::exists(file.string() + ".lock"));
}

TEST_F(Schema, somebody_elses_database_is_left_alone) {
    {
        Connection theirs{file, OpenMode::Create, 100ms};
        theirs.run("CREATE TABLE songs (title TEXT)");
    }
    const auto before = read_file();

    for (const bool execute : {true, false}) {
        const auto error = error_of([&] { open_store(execute); });

        EXPECT_EQ(error.code(), ErrorCode::StoreUnavailable);
        EXPECT_NE(std::string(error.what()).find("songs"), std::string::npos) << error.what();
    }
    EXPECT_EQ(read_file(), before);
    EXPECT_FALSE(std::filesystem::exists(file.string() + ".lock"));
}

TEST_F(Schema, a_reader_does_not_make_a_file) {
    const auto error = error_of([&] { open_store(false); });

    EXPECT_EQ(error.code(), ErrorCode::StoreUnavailable);
    EXPECT_NE(std::string(error.what()).find("there is no database at"), std::string::npos);
    EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(Schema, a_folder_that_is_not_there_is_named) {
    file = folder / "nowhere" / "belay.db";

    const auto error = error_of([&] { open_store(); });

    EXPECT_EQ(error.code(), ErrorCode::StoreUnavailable);
    EXPECT_NE(std::string(error.what()).find("nowhere"), std::string::npos) << error.what();
}

// Root may write anything, so the test becomes somebody else for a moment.
class WithoutPower {
public:
    WithoutPower() : was_(::geteuid()) {
        if (was_ == 0) changed_ = ::seteuid(65534) == 0;
    }
    ~WithoutPower() {
        if (changed_ && ::seteuid(was_) != 0) ADD_FAILURE() << "still without power";
    }

    WithoutPower(const WithoutPower&) = delete;
    WithoutPower& operator=(const WithoutPower&) = delete;

private:
    uid_t was_;
    bool changed_ = false;
};

TEST_F(Schema, a_file_and_folder_that_are_read_only_can_be_read_and_not_executed_on) {
    {
        const auto store = open_store();
        running(*store, "july");
    }
    ::chmod(file.c_str(), 0444);
    ::chmod((file.string() + ".lock").c_str(), 0444);
    ::chmod(folder.c_str(), 0555);

    {
        const WithoutPower nobody;
        const auto reader = open_store(false);
        EXPECT_EQ(reader->find_run("july")->status, RunStatus::Running);
        EXPECT_EQ(error_of([&] { reader->ask({}); }).code(), ErrorCode::StoreUnavailable);
        EXPECT_EQ(error_of([&] { open_store(); }).code(), ErrorCode::StoreUnavailable);
    }
    ::chmod(folder.c_str(), 0755);
}

TEST_F(Schema, migrations_of_an_owner_are_applied_once_each) {
    const Migrations first{"shop",
                           {"CREATE TABLE items (name TEXT); INSERT INTO items VALUES ('a')"}};
    const Migrations both{"shop", {first.scripts[0], "ALTER TABLE items ADD COLUMN price INTEGER"}};

    open_store()->migrate(first);
    const auto store = open_store();
    store->migrate(both);
    store->migrate(both);

    EXPECT_EQ(store->query("SELECT name, price FROM items", {}).rows.size(), 1u);
    EXPECT_EQ(error_of([&] { store->migrate(first); }).code(), ErrorCode::SchemaTooNew);
}

TEST_F(Schema, a_migration_that_fails_leaves_nothing_and_is_named) {
    const auto store = open_store();
    const Migrations broken{"shop",
                            {"CREATE TABLE items (name TEXT); INSERT INTO nowhere VALUES (1)"}};
    const Migrations greedy{"shop", {"DROP TABLE workflow_runs"}};

    const auto error = error_of([&] { store->migrate(broken); });
    EXPECT_NE(std::string(error.what()).find("migration 1 of shop"), std::string::npos)
        << error.what();
    EXPECT_EQ(error_of([&] { store->migrate(greedy); }).code(), ErrorCode::TransactionRefused);

    EXPECT_EQ(prompt().integer("SELECT count(*) FROM sqlite_master WHERE name = 'items'"), 0);
    EXPECT_EQ(error_of([&] { store->migrate({"belay", {}}); }).code(), ErrorCode::InvalidArgument);
}

TEST_F(Schema, the_views_show_runs_and_stages_to_people) {
    const auto store = open_store();
    const auto run = running(*store, "july");
    Record record = record_of(run, "1");
    record.stage.started_at = kNow - 1500ms;
    record.stage.finished_at = kNow;
    apply(*store, record);

    const auto overview = store->query(
        "SELECT public_id, status, current_stage, created_at FROM v_workflow_overview", {});
    EXPECT_EQ(std::get<std::string>(overview.rows[0][2]), "stage_1");
    EXPECT_EQ(std::get<std::string>(overview.rows[0][3]), "2025-11-15T20:53:20.000Z");
    const auto stages = store->query("SELECT duration_seconds FROM v_workflow_stages", {});
    EXPECT_EQ(std::get<double>(stages.rows[0][0]), 1.5);
}

}  // namespace
}  // namespace belay::store::sqlite
