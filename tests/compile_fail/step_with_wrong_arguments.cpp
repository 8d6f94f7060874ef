// expect-error: belay: this step's function cannot be called with these arguments.
#include <belay/belay.hpp>

int length(const std::string& text) { return static_cast<int>(text.size()); }

belay::Task<int> workflow(belay::Context& ctx) {
    co_return co_await ctx.step("length", length, 1, 2);
}
