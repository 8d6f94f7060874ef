// A program by someone who only read README.md, against the installed package: README's own example (with
// a shorter sleep).
#include <cstdio>

#include <fmt/format.h>
#include <belay/belay.hpp>
#include <boost/describe.hpp>

struct Order {
    std::string item;
    int pieces = 0;
};
BOOST_DESCRIBE_STRUCT(Order, (), (item, pieces))

int price_of(const Order& order) { return 250 * order.pieces; }

void save(belay::Tx& tx, const std::string& item, int price) {
    tx.exec("INSERT INTO sales (run_id, item, price) VALUES (?, ?, ?)", tx.run_id(), item, price);
}

belay::Task<int> sell(belay::Context& ctx, Order order) {
    const int price = co_await ctx.step("price", price_of, order);
    co_await ctx.sleep(std::chrono::seconds(1));
    co_await ctx.transaction("save", save, order.item, price);
    co_return price;
}

int main() {
    belay::Engine engine{belay::sqlite("shop.db")};
    engine.migrate("shop", {"CREATE TABLE sales (run_id TEXT, item TEXT, price INTEGER)"});
    engine.define("SELL", sell);
    engine.start();
    const auto run = engine.submit<int>("SELL", Order{"rope", 3}, {.id = "order-1"});
    fmt::print("{}\n", run.result());
    const auto sold = engine.query("SELECT item, price FROM sales WHERE run_id = ?", "order-1");
    return sold.size() == 1 && sold[0].get<int>(1) == 750 ? 0 : 1;
}
