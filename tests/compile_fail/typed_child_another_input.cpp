// expect-error: belay: this input is not what the workflow's handle, a belay::Workflow<In, Out>, says that it takes.
#include <belay/belay.hpp>

struct Order {
    std::string item;
    int pieces = 1;
};
BOOST_DESCRIBE_STRUCT(Order, (), (item, pieces))

inline constexpr belay::Workflow<Order, int> Sell{"SELL"};

belay::Task<int> parent(belay::Context& ctx, std::string text) {
    co_return co_await ctx.child(Sell, text);
}
