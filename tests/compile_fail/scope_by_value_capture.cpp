// expect-error: belay: a lambda that captures by value would be destroyed twice here
// right-where: temporaries in a co_await expression are destroyed once
#include <belay/belay.hpp>

belay::Task<int> workflow(belay::Context& ctx, std::string text) {
    co_return co_await ctx.scope("group", [text](belay::Context&) -> belay::Task<int> {
        co_return static_cast<int>(text.size());
    });
}
