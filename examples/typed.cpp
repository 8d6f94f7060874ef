// typed.cpp — a workflow's key and types as one value: what does not fit does not compile.
#include <fmt/format.h>
#include <belay/belay.hpp>
#include <belay/testing.hpp>

struct Order {
    std::string item;
    int pieces = 1;
};
BOOST_DESCRIBE_STRUCT(Order, (), (item, pieces))

// In a header, for whoever defines, submits or awaits it.
inline constexpr belay::Workflow<Order, int> Sell{"SELL"};
inline constexpr belay::Workflow<std::vector<Order>, int> SellAll{"SELL_ALL"};
inline constexpr belay::Workflow<void, std::string> Greet{"GREET"};

int take_from_the_shelf(const Order& order) { return order.pieces; }

belay::Task<int> sell(belay::Context& ctx, Order order) {
    co_return co_await ctx.step("take", take_from_the_shelf, order);
}
belay::Task<int> sell_all(belay::Context& ctx, std::vector<Order> orders) {
    int pieces = 0;
    for (const Order& order : orders) pieces += co_await ctx.child(Sell, order);
    co_return pieces;
}
belay::Task<std::string> greet(belay::Context&) { co_return "good morning"; }

int main() {
    belay::testing::World world;
    belay::Engine& engine = world.engine();
    engine.define(Sell, sell);
    engine.define(SellAll, sell_all);
    engine.define(Greet, greet);
    engine.start();

    const belay::Run<std::string> greeting = engine.submit(Greet);
    const belay::Run<int> run =
        engine.submit(SellAll, {{"rope", 3}, {"harness", 2}}, {.id = "july"});
    world.restart();
    fmt::print("{}\n{}\n", greeting.result(), run.result());
    fmt::print("{}\n", engine.find(Sell, "july/1").result());
    try {
        // A key as text knows no types until it is submitted.
        engine.submit<std::string>("SELL", 7);
    } catch (const belay::Error& error) {
        fmt::print("{}\n", error.what());
    }
}
