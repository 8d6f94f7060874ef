// expect-error: belay: a step is awaited where it is written: co_await ctx.step(…).
#include <belay/belay.hpp>

int one() { return 1; }

belay::Task<int> workflow(belay::Context& ctx) {
    auto step = ctx.step("one", one);
    co_return co_await step;
}
