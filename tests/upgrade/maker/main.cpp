// main.cpp STORE — leaves a database with runs in every state and dies in the middle. tests/upgrade/make calls it.
#include "../workflows.hpp"

#include <cstdio>
#include <cstdlib>

#include <signal.h>
#include <unistd.h>

int main(int, char** argv) {
    using namespace upgrade;
    is_old = true;
    belay::Engine engine{belay::store_at(argv[1])};
    define(engine);
    engine.start();
    const auto until = [&engine](const char* id, belay::RunStatus status, const char* stage) {
        for (int i = 0; i < 600; ++i) {
            const auto rows = engine.query(
                "SELECT count(*) FROM workflow_stage_runs s JOIN workflow_runs r ON r.id = s.workflow_run_id "
                "WHERE r.public_id = ? AND s.stage_key = ?",
                id, stage);
            if (engine.find<int>(id).status() == status && rows[0].get<int>(0) == 1) return;
            std::this_thread::sleep_for(50ms);
        }
        std::fprintf(stderr, "%s did not come to %s\n", id, stage);
        std::_Exit(1);
    };

    engine.submit<int>("SELL", Order{"rope", 3}, {.id = "sold"}).result();
    try {
        engine.submit<int>("FAILING", Order{"hook", 2}, {.id = "failed"}).result();
    } catch (const belay::Error&) {
    }
    engine.submit<std::string>("CACHED", std::string("ahoy"), {.id = "cached"}).result();
    engine.submit<std::string>("ASK", Order{"nut", 1}, {.id = "asks"});
    engine.submit<std::string>("ASK", Order{"canceled", 1}, {.id = "canceled"});
    engine.submit<std::string>("PARENT", Order{"tent", 2}, {.id = "parent"});
    engine.submit<int>("LARGE", 300'000, {.id = "large"});
    engine.submit<std::string>("ASK", Order{"paused", 4}, {.id = "paused"});
    until("asks", belay::RunStatus::Waiting, "price");
    until("canceled", belay::RunStatus::Waiting, "price");
    until("paused", belay::RunStatus::Waiting, "price");
    until("large", belay::RunStatus::Waiting, "grow");
    until("parent/1", belay::RunStatus::Waiting, "price");
    engine.cancel("canceled");
    engine.pause("paused", "for the inventory");
    engine.send("later", "word", std::string("early"));  // for a run that does not exist yet
    engine.submit<std::string>("SLEEPER", Order{"axe", 1}, {.id = "sleeps"});
    engine.pause_queue("narrow", "the scanner is cleaned");
    for (const char* id : {"queued-1", "queued-2"})
        engine.submit<int>("SELL", Order{id, 1}, {.id = id, .queue = "narrow"});
    engine.submit<int>("PAGES", 5, {.id = "pages"});
    until("sleeps", belay::RunStatus::Waiting, "price");
    std::this_thread::sleep_for(2s);
    std::puts("made");
    std::fflush(stdout);
    ::kill(::getpid(), SIGKILL);
}
