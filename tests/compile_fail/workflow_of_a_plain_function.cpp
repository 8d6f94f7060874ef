// expect-error: belay: a workflow is a coroutine, belay::Task<Result> name(belay::Context& ctx, Input input)
#include <belay/belay.hpp>

int sell(belay::Context&, int pieces) { return pieces; }

void define(belay::Engine& engine) { engine.define("SELL", sell); }
