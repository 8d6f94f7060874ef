// expect-error: belay: a member function has no object to be called on. Capture the object by reference:
#include <belay/belay.hpp>

struct Shop {
    int sell(int pieces) const { return pieces; }
};

belay::Task<int> workflow(belay::Context& ctx, Shop shop) {
    co_return co_await ctx.step("sell", &Shop::sell, 3);
}
