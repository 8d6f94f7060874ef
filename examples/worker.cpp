// worker.cpp — a worker's main: it executes until SIGTERM or Ctrl-C, and what is not over then goes on with the next start.
#include <fstream>
#include <string>

#include <belay/belay.hpp>

using namespace std::chrono_literals;

int knock(const std::string& door) {
    std::ofstream("knocks", std::ios::app) << door << '\n';
    return 1;
}

belay::Task<int> rounds(belay::Context& ctx, std::string door) {
    int knocks = co_await ctx.step("first", knock, door);
    co_await ctx.sleep(2s);
    knocks += co_await ctx.step("second", knock, door);
    co_return knocks;
}

int main() {
    belay::Engine engine{belay::sqlite("worker.db")};
    engine.define("ROUNDS", rounds);
    // One id, one run: the next start finds it.
    engine.submit<int>("ROUNDS", std::string("north"), {.id = "north"});
    return engine.run();
}
