// fan_out.cpp — 100,000 items, at most 64 at a time; those that fail are told, and the rest is not lost. docs/cookbook.md
#include <numeric>

#include <fmt/format.h>
#include <belay/belay.hpp>
#include <boost/describe.hpp>

struct Totals {
    std::int64_t sum = 0;
    int failed = 0;
};
BOOST_DESCRIBE_STRUCT(Totals, (), (sum, failed))

int size_of(int item) {
    if (item % 25'000 == 0) throw belay::NonRetryable("it is broken");
    return item % 7;
}

belay::Task<Totals> measure(belay::Context& ctx, int count) {
    std::vector<int> items(static_cast<std::size_t>(count));
    std::iota(items.begin(), items.end(), 1);
    const belay::FanOptions gently{.step = {.retry = {.attempts_max = 2}}, .width = 64};
    const auto sizes = co_await ctx.map("size", gently, items, size_of).collect();
    Totals totals;
    for (const auto& size : sizes) size ? totals.sum += *size.value : totals.failed += 1;
    co_return totals;
}

int main() {
    belay::Engine engine{belay::memory()};
    engine.define("MEASURE", measure);
    engine.start();
    const auto totals = engine.submit<Totals>("MEASURE", 100'000).result();
    fmt::print("sum {}, {} failed\n", totals.sum, totals.failed);
}
