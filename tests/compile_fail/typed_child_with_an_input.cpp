// expect-error: belay: this workflow's handle, a belay::Workflow<void, Out>, says that it takes no input.
#include <belay/belay.hpp>

inline constexpr belay::Workflow<void, int> Nightly{"NIGHTLY"};

belay::Task<int> parent(belay::Context& ctx) { co_return co_await ctx.child(Nightly, 7); }
