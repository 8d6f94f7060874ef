// full_disk_test.cpp — a real engine on SQLite whose disk is full for a while: runs go on when it is not.
#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <belay/belay.hpp>

#include "core/store/sqlite/faulty_disk.hpp"
#include "support/temp_dir.hpp"

namespace belay::test {
namespace {

using namespace std::chrono_literals;

// Larger than SQLite's page cache, so that it has to be written before the commit.
constexpr const char* kMuch = "INSERT INTO notes VALUES (?, zeroblob(8000000))";

class FullDisk : public testing::Test {
protected:
    FullDisk() {
        EngineOptions quiet;
        quiet.log_to_stderr = false;
        engine = std::make_unique<Engine>(sqlite(dir.file("runs.db")), quiet);
        engine->migrate("test", {"CREATE TABLE notes (text TEXT, bytes BLOB)"});
    }
    // Waits, on the real clock because the engine's threads are real, until the disk was met so often.
    void wait_until_met(int times) {
        for (int seen = met; seen < times; seen = met) met.wait(seen);
    }
    void write(Tx& tx, const std::string& text) {
        ++met;
        met.notify_all();
        tx.exec(kMuch, text);
    }
    std::int64_t count(const std::string& text) {
        return engine->query("SELECT count(*) FROM notes WHERE text = ?", text)[0]
            .get<std::int64_t>(0);
    }

    store::sqlite::FaultyDisk disk;  // before the engine that stands on it
    TempDir dir;
    std::atomic<int> met{0};
    std::atomic<int> caught{0};
    std::unique_ptr<Engine> engine;
};

TEST_F(FullDisk, a_transaction_waits_for_room_and_the_code_hears_nothing) {
    engine->define("wf", [this](Context& ctx) -> Task<std::string> {
        const int n = co_await ctx.step("before", [] { return 7; });
        try {
            co_await ctx.transaction("save", [&](Tx& tx) { write(tx, "saved"); });
        } catch (const std::exception& error) {
            ++caught;
        }
        co_return std::to_string(n);
    });
    engine->start();
    disk.bytes_max = 4 << 20;

    const auto run = engine->submit<std::string>("wf");
    wait_until_met(3);
    disk.bytes_max = 1 << 30;

    EXPECT_EQ(run.result(), "7");
    EXPECT_EQ(caught, 0);
    EXPECT_EQ(count("saved"), 1);
}

TEST_F(FullDisk, hooks_wait_for_room_as_well) {
    engine->define(
        "wf", [](Context& ctx) -> Task<int> { co_return co_await ctx.step("a", [] { return 1; }); },
        {.on_start = [this](Tx& tx, const RunInfo&) { write(tx, "started"); },
         .on_end = [this](Tx& tx, const RunInfo&) { write(tx, "ended"); }});
    const auto run = engine->submit<int>("wf");  // queued: claimed by the start
    disk.bytes_max = 4 << 20;
    engine->start();
    wait_until_met(1);
    disk.bytes_max = 1 << 30;

    EXPECT_EQ(run.result(), 1);
    EXPECT_EQ(count("started"), 1);
    EXPECT_EQ(count("ended"), 1);
}

TEST_F(FullDisk, whoever_asks_is_told_at_once_whatever_the_verb) {
    engine->define(
        "waits", [](Context& ctx) -> Task<int> { co_return co_await ctx.receive<int>("answer"); });
    engine->start();
    const auto run = engine->submit<int>("waits", {.id = "waits"});
    const std::string much(100'000, 'x');
    const auto code_of = [](auto what) -> std::optional<ErrorCode> {
        try {
            what();
        } catch (const Error& error) {
            return error.code();
        }
        return std::nullopt;
    };
    disk.bytes_max = 1;

    const std::vector<std::pair<std::string, std::function<void()>>> callers{
        {"submit", [&] { engine->submit<int>("waits", {.id = "another"}); }},
        {"send", [&] { engine->send("waits", "other", much); }},
        {"transact",
         [&] {
             engine->transact([](Tx& tx) { tx.exec("INSERT INTO notes VALUES ('t', NULL)"); });
         }},
        {"cancel", [&] { engine->cancel("waits"); }},
        {"queue", [&] { engine->queue("narrow", {.concurrency = 1}); }},
    };
    for (int round = 0; round < 3; ++round) {
        for (const auto& [what, ask] : callers)
            EXPECT_EQ(code_of(ask), ErrorCode::StoreUnavailable) << what;
    }
    disk.bytes_max = 1 << 30;

    while (code_of([&] { engine->send("waits", "answer", 7); })) std::this_thread::yield();
    EXPECT_EQ(run.result(), 7);
}

}  // namespace
}  // namespace belay::test
