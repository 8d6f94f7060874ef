// expect-error: belay: a workflow takes its input by value: a coroutine outlives the caller's reference.
#include <belay/belay.hpp>

belay::Task<int> workflow(belay::Context&, const std::string& text) {
    co_return static_cast<int>(text.size());
}

void define(belay::Engine& engine) { engine.define("workflow", workflow); }
