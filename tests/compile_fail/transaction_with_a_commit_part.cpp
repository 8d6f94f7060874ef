// expect-error: only ctx.step(…) takes a commit part
#include <belay/belay.hpp>

void save(belay::Tx&) {}

belay::Task<> wrong(belay::Context& ctx) { co_await ctx.transaction("save", save).commit(save); }
