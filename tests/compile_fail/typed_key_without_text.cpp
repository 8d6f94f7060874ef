// expect-error: belay: a workflow's key is not empty.
#include <belay/belay.hpp>

inline constexpr belay::Workflow<int, int> Nameless{""};
