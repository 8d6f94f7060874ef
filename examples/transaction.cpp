// transaction.cpp — rows of your own, written exactly once: in the transaction of the checkpoint itself.
#include <fmt/format.h>
#include <belay/belay.hpp>
#include <boost/describe.hpp>

struct Order {
    std::string item;
    int pieces = 0;
};
BOOST_DESCRIBE_STRUCT(Order, (), (item, pieces))

// The slow part, on a pool thread: it may run again after a crash.
int look_up_price(const Order& order) { return 250 * order.pieces; }

// The part inside the commit: SQL only. It and the record of the step are one transaction.
void save_price(belay::Tx& tx, const int& price) {
    tx.exec("INSERT INTO prices (run_id, price) VALUES (?, ?)", tx.run_id(), price);
}

int take_from_stock(belay::Tx& tx, const Order& order) {
    tx.exec("UPDATE stock SET pieces = pieces - ? WHERE item = ?", order.pieces, order.item);
    return tx.value<int>("SELECT pieces FROM stock WHERE item = ?", order.item).value();
}

belay::Task<int> buy(belay::Context& ctx, Order order) {
    co_await ctx.step("price", look_up_price, order).commit(save_price);
    co_return co_await ctx.transaction("take_from_stock", take_from_stock, order);
}

int main() {
    belay::Engine engine{belay::memory()};
    engine.migrate("shop",
                   {"CREATE TABLE stock (item TEXT PRIMARY KEY, pieces INTEGER NOT NULL);"
                    "INSERT INTO stock VALUES ('rope', 10);"
                    "CREATE TABLE prices (run_id TEXT PRIMARY KEY, price INTEGER NOT NULL);"});
    engine.define("BUY", buy);
    engine.start();
    const auto run = engine.submit<int>("BUY", Order{"rope", 3}, {.id = "order-1"});
    fmt::print("left in stock: {}\n", run.result());
    // The same id again is the same run: nothing is bought twice.
    fmt::print("and again: {}\n",
               engine.submit<int>("BUY", Order{"rope", 3}, {.id = "order-1"}).result());
    const auto row = engine.query("SELECT price FROM prices WHERE run_id = ?", "order-1");
    fmt::print("price: {}\n", row[0].get<int>(0));
}
