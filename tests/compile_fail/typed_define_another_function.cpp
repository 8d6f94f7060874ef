// expect-error: belay: this function is not what its handle says: a belay::Workflow<In, Out> is defined by belay::Task<Out> name(belay::Context& ctx, In input)
#include <belay/belay.hpp>

struct Order {
    std::string item;
    int pieces = 1;
};
BOOST_DESCRIBE_STRUCT(Order, (), (item, pieces))

inline constexpr belay::Workflow<Order, int> Sell{"SELL"};

belay::Task<std::string> sell(belay::Context&, Order order) { co_return order.item; }

void define(belay::Engine& engine) { engine.define(Sell, sell); }
