// expect-error: belay: only ctx.step(…) has an undo, and it is written first
#include <belay/belay.hpp>

int book(belay::Tx&, int n) { return n; }
void unbook(const int&, const int&) {}

belay::Task<int> workflow(belay::Context& ctx, int n) {
    co_return co_await ctx.transaction("book", book, n).undo(unbook);
}
