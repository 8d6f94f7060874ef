// 1_first.cpp — the tutorial's first chapter: an order is priced, charged and packed. docs/tutorial/1-first.md
#include <fstream>

#include <fmt/format.h>
#include <belay/belay.hpp>
#include <boost/describe.hpp>

struct Order {
    std::string item;
    int pieces = 1;
};
BOOST_DESCRIBE_STRUCT(Order, (), (item, pieces))  // all a type needs to be recorded

// Steps are functions. Each runs on a thread of its own choice, is tried three times, and is recorded once.
int price_of(const Order& order) { return 250 * order.pieces; }

// Stands for a payment service: a line in a file is a charge.
std::string charge(belay::Attempt& attempt, int amount) {
    std::ofstream("charges.txt", std::ios::app) << amount << "\n";
    return "paid " + attempt.idempotency_key().substr(0, 4);
}

std::string pack(const Order& order) { return fmt::format("{} × {}", order.pieces, order.item); }

// The workflow: a coroutine that reads like the process it stands for.
belay::Task<std::string> sell(belay::Context& ctx, Order order) {
    const int price = co_await ctx.step("price", price_of, order);
    co_await ctx.step("charge", charge, price);
    const std::string parcel = co_await ctx.step("pack", pack, order);
    co_return fmt::format("{} for {}", parcel, price);
}

int main() {
    belay::Engine engine{belay::sqlite("shop.db")};
    engine.define("SELL", sell);
    engine.start();  // goes on with what an earlier process left unfinished
    // One id is one run: start the program again, and this joins it instead of selling twice.
    const auto run = engine.submit<std::string>("SELL", Order{"rope", 3}, {.id = "order-1"});
    fmt::print("{}\n", run.result());
}
