// expect-error: belay: only ctx.step(…) has an undo, and it is written first
#include <belay/belay.hpp>

int charge(int n) { return n; }
void refund(const int&, const int&) {}
void save(belay::Tx&, const int&) {}

belay::Task<int> workflow(belay::Context& ctx, int n) {
    co_return co_await ctx.step("charge", charge, n).commit(save).undo(refund);
}
