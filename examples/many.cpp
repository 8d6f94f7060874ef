// many.cpp — ten thousand runs at once, each of three steps, in one process with one SQLite file.
#include <filesystem>
#include <numeric>

#include <fmt/format.h>
#include <belay/belay.hpp>

int add(int a, int b) { return a + b; }

belay::Task<int> three_steps(belay::Context& ctx, int number) {
    const int one = co_await ctx.step("one", add, number, 1);
    const int two = co_await ctx.step("two", add, one, 10);
    co_return co_await ctx.step("three", add, two, 100);
}

int main() {
    for (const char* file : {"many.db", "many.db-wal", "many.db-shm"})
        std::filesystem::remove(file);
    belay::Engine engine{belay::sqlite("many.db")};
    engine.define("THREE_STEPS", three_steps);
    engine.start();

    std::vector<int> numbers(10'000);
    std::iota(numbers.begin(), numbers.end(), 0);
    const auto runs = engine.submit_many<int>("THREE_STEPS", numbers);

    long sum = 0;
    for (const auto& run : runs) sum += run.result();
    fmt::print("{} runs, sum {}\n", runs.size(), sum);
}
