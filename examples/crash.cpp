// crash.cpp — kill it at any moment, start it again: it goes on after the last recorded step.
//
// crash.test.sh does just that. Every step writes its name to `witness` when it really runs, so the file
// shows that no recorded step ran again.
#include <chrono>
#include <fstream>
#include <thread>

#include <fmt/format.h>
#include <belay/belay.hpp>

int work(belay::Attempt& attempt, int number) {
    std::ofstream("witness", std::ios::app) << attempt.stage() << "\n" << std::flush;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // long enough to be killed in
    return number * number;
}

belay::Task<int> sum_of_squares(belay::Context& ctx, int count) {
    int sum = 0;
    for (int i = 1; i <= count; ++i) {
        sum += co_await ctx.step(fmt::format("square_{}", i), work, i);
    }
    co_return sum;
}

int main() {
    belay::Engine engine{belay::sqlite("crash.db")};
    engine.define("SUM_OF_SQUARES", sum_of_squares);
    engine.start();
    // One id, one run: the first start creates it, every later start joins it.
    const auto run = engine.submit<int>("SUM_OF_SQUARES", 20, {.id = "squares"});
    fmt::print("sum: {}\n", run.result());
}
