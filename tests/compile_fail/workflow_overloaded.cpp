// expect-error: belay: several functions, or a template, have this name. Say which is meant:
#include <belay/belay.hpp>

belay::Task<int> sell(belay::Context&, int pieces);
belay::Task<int> sell(belay::Context&, std::string item);

void define(belay::Engine& engine) { engine.define("SELL", sell); }
