// expect-error: belay: several functions, or a template, have this name. Say which is meant:
#include <belay/belay.hpp>

int twice(int x);
double twice(double x);

belay::Task<void> workflow(belay::Context& ctx) { co_await ctx.step("twice", twice, 2); }
