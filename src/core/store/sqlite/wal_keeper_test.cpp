// How long the write-ahead log becomes, whatever reads beside it.
#include "core/store/sqlite/wal_keeper.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <optional>
#include <thread>
#include <vector>

#include "core/store/sqlite/sqlite_test.hpp"
#include "core/store/sqlite/wal_readers.hpp"
#include "core/store/upkeep.hpp"

namespace belay::store::sqlite {
namespace {

class WalKeeperTest : public SqliteTest {
protected:
    static constexpr std::int64_t kUnit = 1 << 20;

    std::unique_ptr<Store> open_small() {
        OpenOptions options;
        options.holder = "a test";
        options.wal = {kUnit / 4, kUnit, 2 * kUnit, 4 * kUnit};
        return open(file, options);
    }
    std::int64_t wal_bytes() const {
        return static_cast<std::int64_t>(std::filesystem::file_size(file.string() + "-wal"));
    }
    // Writes so many bytes into the log, and no more than that.
    void write(Store& store, std::int64_t bytes) {
        if (!run_) run_ = running(store, "july");
        const std::string output = "\"" + std::string(20'000, 'x') + "\"";
        for (std::int64_t written = 0; written < bytes; written += 20'000) {
            Batch batch;
            batch.now = kNow;
            Record record = record_of(*run_, std::to_string(++stages_));
            record.stage.output = output;
            batch.verbs.emplace_back(std::move(record));
            store.commit(batch);
        }
    }
    // Looks until it holds; false after a long while.
    static bool until(const std::function<bool()>& holds) {
        for (int i = 0; i < 20'000; ++i) {
            if (holds()) return true;
            std::this_thread::yield();
            std::this_thread::sleep_for(1ms);
        }
        return false;
    }
    static std::string held_up(Store& store) { return dynamic_cast<Upkeep&>(store).held_up(); }

    // A query that lasts for as long as it is let.
    static constexpr const char* kEndless =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
        "SELECT count(*) FROM n, workflow_runs";

private:
    std::optional<model::Run> run_;
    int stages_ = 0;
};

TEST_F(WalKeeperTest, readers_that_overlap_do_not_make_the_log_grow) {
    const auto store = open_small();
    write(*store, kUnit / 8);
    std::atomic<bool> done{false};
    std::vector<std::thread> readers;
    for (int i = 0; i < 4; ++i) {
        readers.emplace_back([&] {
            while (!done) {
                store->query(
                    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE "
                    "i < 20000) SELECT count(*) FROM n, workflow_runs",
                    {});
            }
        });
    }

    write(*store, 16 * kUnit);

    done = true;
    for (std::thread& reader : readers) reader.join();
    EXPECT_LE(wal_bytes(), 6 * kUnit);
}

TEST_F(WalKeeperTest, a_read_that_keeps_the_log_long_is_ended_and_says_why) {
    const auto store = open_small();
    write(*store, kUnit / 8);
    std::atomic<bool> ended{false};
    std::optional<Error> told;
    std::thread reader{[&] {
        told = error_of([&] { store->query(kEndless, {}); });
        ended = true;
    }};

    EXPECT_TRUE(until([&] {
        write(*store, wal_bytes() < 16 * kUnit ? 20'000 : 1);
        return ended.load();
    }));

    reader.join();
    EXPECT_EQ(told->code(), ErrorCode::StoreUnavailable);
    EXPECT_NE(std::string(told->what()).find("write-ahead log"), std::string::npos);
    EXPECT_TRUE(until([&] { return held_up(*store).empty(); }));
}

TEST_F(WalKeeperTest, a_process_that_reads_for_long_is_named) {
    int ready[2];
    int over[2];
    ASSERT_EQ(::pipe(ready), 0);
    ASSERT_EQ(::pipe(over), 0);
    // Before this process has anything of SQLite's open, which a child must not inherit.
    const ::pid_t child = ::fork();
    if (child == 0) {
        char byte = 0;
        if (::read(over[0], &byte, 1) != 1) ::_exit(1);
        Connection other{file, OpenMode::Write, 1s};
        other.run("BEGIN");
        other.integer("SELECT count(*) FROM workflow_runs");
        if (::write(ready[1], "r", 1) != 1 || ::read(over[0], &byte, 1) != 1) ::_exit(1);
        ::_exit(0);
    }
    const auto store = open_small();
    write(*store, kUnit / 8);
    char byte = 0;
    ASSERT_EQ(::write(over[1], "g", 1), 1);
    ASSERT_EQ(::read(ready[0], &byte, 1), 1);

    const auto readers = wal_readers(file);
    EXPECT_TRUE(until([&] {
        if (wal_bytes() < 8 * kUnit) write(*store, kUnit / 8);
        return !held_up(*store).empty();
    }));

    ASSERT_EQ(readers.size(), 1u);
    EXPECT_EQ(readers[0].pid, child);
    EXPECT_NE(held_up(*store).find("(pid " + std::to_string(child) + ")"), std::string::npos)
        << held_up(*store);
    ASSERT_EQ(::write(over[1], "o", 1), 1);
    ::waitpid(child, nullptr, 0);
    EXPECT_TRUE(until([&] { return held_up(*store).empty(); }));
}

TEST_F(WalKeeperTest, a_store_that_is_opened_again_keeps_its_log_short) {
    const auto store = open_small();
    write(*store, kUnit / 8);
    store->reopen();
    write(*store, 8 * kUnit);
    EXPECT_LE(wal_bytes(), 6 * kUnit);
}

}  // namespace
}  // namespace belay::store::sqlite
