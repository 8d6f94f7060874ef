// A workflow under the installed test kit.
#include <belay/testing.hpp>
#include <fmt/format.h>

int twice(int number) { return 2 * number; }
belay::Task<int> doubled(belay::Context& ctx, int number) {
    co_return co_await ctx.step("twice", twice, number);
}

int main() {
    const auto report = belay::testing::crash_everywhere(doubled, 21);
    fmt::print("{}\n", report.text());
    return report.passed() ? 0 : 1;
}
