// nightly.cpp — a job every night at half past two in Stockholm: never twice, and caught up after an outage. docs/cookbook.md
#include <fmt/format.h>
#include <belay/belay.hpp>
#include <belay/testing.hpp>

using namespace std::chrono_literals;

int count_rows(belay::Tx& tx) {
    tx.exec("INSERT INTO reports (run_id) VALUES (?)", tx.run_id());
    return tx.value<int>("SELECT count(*) FROM reports").value();
}

belay::Task<int> nightly(belay::Context& ctx) { co_return co_await ctx.transaction("count", count_rows); }

int main() {
    belay::testing::World world;  // its time begins on 1 January 2025
    belay::Engine& engine = world.engine();
    engine.migrate("reports", {"CREATE TABLE reports (run_id TEXT PRIMARY KEY)"});
    engine.define("NIGHTLY", nightly);
    // The zone's own clock decides, also when it changes. What was missed is run once, not seven times.
    engine.schedule("nightly", "NIGHTLY",
                    {.cron = "30 2 * * *",
                     .zone = "Europe/Stockholm",
                     .catch_up = belay::CatchUp::Latest,
                     .overlap = belay::Overlap::Skip});
    engine.start();
    world.advance(24h * 7);
    fmt::print("a week: {} reports\n", engine.query("SELECT count(*) FROM reports")[0].get<int>(0));
    world.restart();  // a crash between two nights, or in the middle of one
    world.advance(24h);
    fmt::print("and a day: {}\n", engine.query("SELECT count(*) FROM reports")[0].get<int>(0));
}
