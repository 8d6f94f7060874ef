// expect-error: belay: an undo runs when the workflow's frame may be gone
#include <belay/belay.hpp>

int charge(int n) { return n; }

belay::Task<int> workflow(belay::Context& ctx, int n) {
    co_return co_await ctx.step("charge", charge, n).undo([&](const int&, const int&) { ++n; });
}
