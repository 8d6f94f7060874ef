// expect-error: belay: a lambda that captures by value would be destroyed twice here
// expect-error: co_await ctx.step("name", function, value); or capture by reference
// right-where: temporaries in a co_await expression are destroyed once
#include <belay/belay.hpp>

belay::Task<int> workflow(belay::Context& ctx, std::string text) {
    co_return co_await ctx.step("length", [text] { return static_cast<int>(text.size()); });
}
