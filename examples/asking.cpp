// asking.cpp — labels, exposed values, questions, and a client that executes nothing.
#include <fmt/format.h>
#include <belay/belay.hpp>
#include <filesystem>

struct Order {
    std::string item;
    int pieces = 1;
};
BOOST_DESCRIBE_STRUCT(Order, (), (item, pieces))

inline constexpr belay::Workflow<Order, int> Sell{"SELL"};

int price_of(const Order& order) { return 12 * order.pieces; }

belay::Task<int> sell(belay::Context& ctx, Order order) {
    int price = co_await ctx.step("price", price_of, order);
    ctx.label("size", order.pieces > 10 ? "large" : "small");
    ctx.expose("price", price);
    ctx.answer("price_of", [&](int pieces) { return price / order.pieces * pieces; });
    const auto agreed = co_await ctx.receive<bool>("agreed");
    ctx.expose("price", agreed ? price : 0);
    co_return agreed ? price : 0;
}

int main() {
    std::filesystem::remove("asking.db");
    belay::Engine engine{belay::sqlite("asking.db")};
    engine.define(Sell, sell);
    engine.start();

    // As another process would: it defines nothing, and asks whoever executes.
    belay::Client shop{belay::store_at("asking.db")};
    const belay::Run<int> run =
        shop.submit(Sell, {"rope", 3}, {.id = "order-7", .labels = {{"customer", "42"}}});
    while (!run.exposed("price")) run.wait_for(std::chrono::milliseconds(10));
    fmt::print("{} for three, {} for five\n", *run.exposed<int>("price"),
               run.ask<int>("price_of", 5));

    shop.send("order-7", "agreed", true);
    fmt::print("sold for {}\n", run.result());
    fmt::print("{} exposed its price: {}\n", run.id(), shop.ask<int>("order-7", "price"));
    for (const belay::RunSummary& one : shop.list({.labels = {{"customer", "42"}}}).runs)
        fmt::print("{} {} {}\n", one.id, to_string(one.status), one.labels.at("size"));
    try {
        shop.ask<int>("order-7", "weight");
    } catch (const belay::Error& error) {
        fmt::print("{}\n", error.what());
    }
}
