#include <belay/server.hpp>
#include <boost/describe.hpp>

struct Order {
    std::string item;
    int pieces = 1;
};
BOOST_DESCRIBE_STRUCT(Order, (), (item, pieces))

void save(belay::Tx& tx, const Order& order) {
    tx.exec("INSERT INTO sales (run_id, item, pieces) VALUES (?, ?, ?)", tx.run_id(), order.item, order.pieces);
}

belay::Task<int> sell(belay::Context& ctx, Order order) {
    co_await ctx.sleep(std::chrono::seconds(2));
    co_await ctx.transaction("save", save, order);
    co_return order.pieces * 250;
}

int main(int argc, char** argv) {
    belay::App app{"shop", "Sells things, durably"};
    app.migrate("shop", {"CREATE TABLE sales (run_id TEXT PRIMARY KEY, item TEXT, pieces INTEGER)"});
    app.define("SELL", sell, {.summary = "Sells a thing"});
    return app.run(argc, argv);
}
