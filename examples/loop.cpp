// loop.cpp — a loop without end: every ten rounds it begins anew, so its history never grows long.
#include <fmt/format.h>
#include <belay/belay.hpp>
#include <belay/testing.hpp>

using namespace std::chrono_literals;

int look(int seen) {
    return seen + 1;  // whatever is new at the source
}

belay::Task<int> watch_source(belay::Context& ctx, int seen) {
    while (true) {
        seen = co_await ctx.step("look", look, seen);
        const auto stop = co_await ctx.receive<bool>("stop", 10min);
        if (stop) co_return seen;
        if (ctx.steps() >= 20) co_return co_await ctx.continue_as_new(seen);
    }
}

int main() {
    belay::testing::World world;
    belay::Engine& engine = world.engine();
    engine.define("WATCH_SOURCE", watch_source);
    engine.start();
    const auto run = engine.submit<int>("WATCH_SOURCE", 0, {.id = "source"});
    world.advance(24h);
    world.restart();
    engine.send("source", "stop", true);
    fmt::print("looked {} times in a day\n", run.result());
}
