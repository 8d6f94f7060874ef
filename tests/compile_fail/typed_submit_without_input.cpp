// expect-error: belay: this workflow's handle, a belay::Workflow<In, Out>, says that it takes an input: give one.
#include <belay/belay.hpp>

struct Order {
    std::string item;
    int pieces = 1;
};
BOOST_DESCRIBE_STRUCT(Order, (), (item, pieces))

inline constexpr belay::Workflow<Order, int> Sell{"SELL"};

void submit(belay::Engine& engine) { engine.submit(Sell); }
