// expect-error: belay: options built inside the co_await expression would be destroyed twice here (a g++ 12 bug).
// right-where: temporaries in a co_await expression are destroyed once
#include <belay/belay.hpp>

belay::Task<int> parent(belay::Context& ctx, std::string id) {
    co_return co_await ctx.child<int>("SELL", 7, belay::ChildOptions{.id = id});
}
