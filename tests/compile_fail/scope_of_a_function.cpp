// expect-error: belay: a scope runs a coroutine: belay::Task<R> name(belay::Context& inner, Args…).
#include <belay/belay.hpp>

int plain(belay::Context&) { return 1; }

belay::Task<int> workflow(belay::Context& ctx) { co_return co_await ctx.scope("plain", plain); }
