// upgrade_test.cpp — databases that released versions left, killed in the middle, are gone on with by today's code.
//
// tests/upgrade/VERSION has them, made by tests/upgrade/make; workflows.hpp says what runs in them. A release adds a
// folder and changes none.
#include "upgrade/workflows.hpp"

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <ostream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#ifdef BELAY_HAS_POSTGRES
#include "support/postgres_server.hpp"
#endif

namespace belay {
namespace {

using namespace std::chrono_literals;
using upgrade::Order;
namespace fs = std::filesystem;

// A copy of what is kept, in a database of this test's own.
class Restored {
public:
    virtual ~Restored() = default;
    virtual StoreConfig store() const = 0;
};

void run(const std::string& command) {
    if (std::system(command.c_str()) != 0) throw std::runtime_error("failed: " + command);
}

class RestoredFolder : public Restored {
public:
    RestoredFolder() {
        std::string pattern = (fs::temp_directory_path() / "belay-upgrade-XXXXXX").string();
        folder_ = ::mkdtemp(pattern.data());
        fs::permissions(folder_, fs::perms::others_read | fs::perms::others_exec, fs::perm_options::add);
    }
    ~RestoredFolder() override { fs::remove_all(folder_); }

protected:
    fs::path folder_;
};

class RestoredSqlite final : public RestoredFolder {
public:
    explicit RestoredSqlite(const fs::path& dump) {
        run(fmt::format("tar -xzf '{}' -C '{}'", dump.string(), folder_.string()));
    }
    StoreConfig store() const override { return sqlite(file().string()); }

private:
    fs::path file() const { return folder_ / "old.db"; }
};

#ifdef BELAY_HAS_POSTGRES
class RestoredPostgres final : public RestoredFolder {
public:
    explicit RestoredPostgres(const fs::path& dump) {
        const fs::path sql = folder_ / "old.sql";
        run(fmt::format("gunzip -c '{}' >'{}' && chmod 644 '{}'", dump.string(), sql.string(), sql.string()));
        server().sql("DROP SCHEMA IF EXISTS belay CASCADE");
        server().sql("\\i " + sql.string());
    }
    StoreConfig store() const override { return postgres(server().address("belay")); }

private:
    static test::PostgresServer& server() { return test::PostgresServer::shared(); }
};
#endif

struct Kept {
    std::string name;
    std::string version;
    std::function<std::unique_ptr<Restored>(const fs::path&)> restore;
    friend void PrintTo(const Kept& kept, std::ostream* out) { *out << kept.name; }
};

// Every version that is kept, on every store of this build.
std::vector<Kept> every() {
    std::vector<Kept> kept;
    for (const auto& folder : fs::directory_iterator(fs::path(BELAY_UPGRADE))) {
        const std::string version = folder.path().filename().string();
        if (version.find_first_not_of("0123456789.") != std::string::npos) continue;  // what makes them
        kept.push_back({"sqlite", version, [](const fs::path& place) {
                            return std::make_unique<RestoredSqlite>(place / "sqlite.tar.gz");
                        }});
#ifdef BELAY_HAS_POSTGRES
        kept.push_back({"postgres", version, [](const fs::path& place) {
                            return std::make_unique<RestoredPostgres>(place / "postgres.sql.gz");
                        }});
#endif
    }
    return kept;
}

class Upgrade : public testing::TestWithParam<Kept> {
protected:
    Upgrade() : restored(GetParam().restore(fs::path(BELAY_UPGRADE) / GetParam().version)) {
        upgrade::ran.clear();
        open();
    }

    void open() {
        EngineOptions options;
        options.log_to_stderr = false;
        engine = std::make_unique<Engine>(restored->store(), options);
        upgrade::define(*engine);
        engine->start();
    }

    int ran(const std::string& step) {
        const std::lock_guard lock(upgrade::ran_lock);
        return upgrade::ran[step];
    }

    std::unique_ptr<Restored> restored;
    std::unique_ptr<Engine> engine;
};

TEST_P(Upgrade, what_had_ended_is_there_and_is_not_done_again) {
    EXPECT_EQ(engine->submit<int>("SELL", Order{"rope", 3}, {.id = "sold"}).result(), 750);
    EXPECT_THROW(engine->submit<int>("SELL", Order{"rope", 4}, {.id = "sold"}), Error);
    EXPECT_EQ(engine->find<std::string>("canceled").status(), RunStatus::Canceled);
    EXPECT_EQ(engine->query("SELECT count(*) FROM sales WHERE run_id = ?", "sold")[0].get<int>(0), 1);
    EXPECT_EQ(engine->submit<std::string>("CACHED", std::string("ahoy"), {.id = "again"}).result(), "ahoy!");

    EXPECT_EQ(ran("price rope"), 0);
    EXPECT_EQ(ran("shout ahoy"), 0);
}

TEST_P(Upgrade, what_waited_goes_on_behind_its_records) {
    for (const char* id : {"asks", "parent/1", "large"}) engine->send(id, "word", std::string("yes"));

    EXPECT_EQ(engine->find<std::string>("asks").result(), "nut 250 yes");
    EXPECT_EQ(engine->find<std::string>("parent").result(), "child: tent 500 yes");
    EXPECT_EQ(engine->find<int>("large").result(), 300'003);
    EXPECT_EQ(engine->find<std::string>("sleeps").result(), "woke with 250");
    EXPECT_EQ(engine->submit<std::string>("ASK", Order{"late", 1}, {.id = "later"}).result(), "late 250 early");

    for (const char* item : {"nut", "tent", "axe"}) EXPECT_EQ(ran(std::string("price ") + item), 0) << item;
}

TEST_P(Upgrade, what_was_under_way_when_the_process_died_is_gone_on_with) {
    EXPECT_EQ(engine->find<int>("pages").result(), 150);

    for (int page = 1; page <= 3; ++page) EXPECT_EQ(ran(fmt::format("page {}", page)), 0) << page;
    EXPECT_EQ(ran("page 4"), 1);
    EXPECT_EQ(ran("page 5"), 1);
}

TEST_P(Upgrade, what_failed_is_tried_again_from_the_step_that_failed) {
    const auto failed = engine->find<int>("failed");
    EXPECT_EQ(failed.status(), RunStatus::Failed);

    engine->retry("failed");

    EXPECT_EQ(failed.result(), 502);
    EXPECT_EQ(ran("price hook"), 0);
    EXPECT_EQ(ran("refuse hook"), 1);
}

TEST_P(Upgrade, what_people_held_up_is_still_held_up_until_they_let_it_go) {
    EXPECT_EQ(engine->find<std::string>("paused").status(), RunStatus::Paused);
    EXPECT_EQ(engine->find<int>("queued-1").status(), RunStatus::Queued);
    ASSERT_EQ(engine->queues().size(), 1u);
    EXPECT_EQ(engine->queues().front().pause_reason, "the scanner is cleaned");
    ASSERT_EQ(engine->schedules().size(), 1u);

    engine->resume("paused");
    engine->send("paused", "word", std::string("yes"));
    engine->resume_queue("narrow");

    EXPECT_EQ(engine->find<std::string>("paused").result(), "paused 1000 yes");
    EXPECT_EQ(engine->find<int>("queued-1").result(), 250);
    EXPECT_EQ(engine->find<int>("queued-2").result(), 250);
    EXPECT_EQ(ran("price paused"), 0);
}

TEST_P(Upgrade, a_second_start_finds_a_database_of_today) {
    engine.reset();
    open();
    EXPECT_EQ(engine->submit<int>("SELL", Order{"new", 1}, {.id = "new"}).result(), 250);
}

INSTANTIATE_TEST_SUITE_P(Kept, Upgrade, testing::ValuesIn(every()), [](const auto& info) {
    std::string name = info.param.name + "_" + info.param.version;
    for (char& c : name)
        if (c == '.') c = '_';
    return name;
});

}  // namespace
}  // namespace belay
