// expect-error: belay: an undo is called with what the step returned
#include <string>

#include <belay/belay.hpp>

struct Ticket {};
int charge(int n) { return n; }
void refund(const Ticket&, const int&) {}

belay::Task<int> workflow(belay::Context& ctx, int n) {
    co_return co_await ctx.step("charge", charge, n).undo(refund);
}
