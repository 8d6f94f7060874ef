// expect-error: belay: this input is not what the workflow's handle, a belay::Workflow<In, Out>, says that it takes.
#include <belay/belay.hpp>

struct Order {
    std::string item;
    int pieces = 1;
};
BOOST_DESCRIBE_STRUCT(Order, (), (item, pieces))

inline constexpr belay::Workflow<Order, int> Sell{"SELL"};

void save(belay::Tx& tx) { tx.submit(Sell, 7); }
