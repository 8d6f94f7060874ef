// expect-error: belay: a step runs a plain function. For a coroutine with steps of its own write co_await ctx.scope
#include <belay/belay.hpp>

belay::Task<int> inner(int n) { co_return n; }

belay::Task<int> workflow(belay::Context& ctx) { co_return co_await ctx.step("inner", inner, 1); }
