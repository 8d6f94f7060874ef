// expect-error: belay: several functions, or a template, have this name. Say which is meant:
#include <belay/belay.hpp>

belay::Task<int> group(belay::Context& inner, int x);
belay::Task<int> group(belay::Context& inner, double x);

belay::Task<void> workflow(belay::Context& ctx) { co_await ctx.scope("group", group, 2); }
