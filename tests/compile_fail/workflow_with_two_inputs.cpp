// expect-error: belay: a workflow is belay::Task<Result> name(belay::Context& ctx, Input input), or without the input. Put several inputs into one struct.
#include <belay/belay.hpp>

belay::Task<int> workflow(belay::Context&, int a, int b) { co_return a + b; }

void define(belay::Engine& engine) { engine.define("workflow", workflow); }
