// expect-error: belay: a member function has no object to be called on. Write
#include <belay/belay.hpp>

struct Shop {
    belay::Task<int> sell(belay::Context&, int pieces) { co_return pieces; }
};

void define(belay::Engine& engine) { engine.define("SELL", &Shop::sell); }
