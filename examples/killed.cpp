// killed.cpp — README's workflow under crash_everywhere, and one that breaks the rule: it counts in a global variable.
#include <iostream>

#include <belay/belay.hpp>
#include <belay/testing.hpp>
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
    co_await ctx.sleep(std::chrono::seconds(20));
    co_await ctx.transaction("save", save, order.item, price);
    co_return price;
}

int sold = 0;

belay::Task<int> sell_and_count(belay::Context& ctx, Order order) {
    if (++sold % 2 == 0) co_return co_await ctx.step("price again", price_of, order);
    co_return co_await ctx.step("price", price_of, order);
}

int main() {
    belay::testing::CrashOptions options;
    options.define = [](belay::Engine& engine) {
        engine.migrate("shop", {"CREATE TABLE sales (run_id TEXT, item TEXT, price INTEGER)"});
    };
    const auto report = belay::testing::crash_everywhere(sell, Order{"rope", 3}, options);
    std::cout << report.text() << "\n";

    options.begin = [] { sold = 0; };
    options.store_failures = false;
    options.failures_max = 1;
    std::cout << belay::testing::crash_everywhere(sell_and_count, Order{"rope", 3}, options).text()
              << "\n";
}
