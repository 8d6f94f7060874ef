// expect-error: belay: this input is not what the workflow's handle, a belay::Workflow<In, Out>, says that it takes.
#include <belay/belay.hpp>

inline constexpr belay::Workflow<int, int> Double{"DOUBLE"};

void submit(belay::Engine& engine) { engine.submit(Double, 1.5); }
