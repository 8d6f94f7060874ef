// 2_crash.cpp — the tutorial's second chapter: the order survives the death of its process, wherever it comes.
// docs/tutorial/2-crash.md
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <set>

#include <fmt/format.h>
#include <belay/belay.hpp>
#include <belay/testing.hpp>
#include <boost/describe.hpp>

struct Order {
    std::string item;
    int pieces = 1;
};
BOOST_DESCRIBE_STRUCT(Order, (), (item, pieces))

// A payment service that knows what it has charged: the same key again is the same charge. Most real ones do.
struct Till {
    std::set<std::string> charged;
    void charge(const std::string& key) { charged.insert(key); }
} till;

int price_of(const Order& order) { return 250 * order.pieces; }

std::string charge(belay::Attempt& attempt, int amount) {
    till.charge(attempt.idempotency_key());  // the same on every attempt, also after a crash
    std::ofstream("charges.txt", std::ios::app) << amount << "\n";
    return fmt::format("paid {}", amount);
}

std::string pack(const Order& order) {
    if (std::getenv("POWER_CUT") != nullptr) std::abort();  // for trying it out
    return fmt::format("{} × {}", order.pieces, order.item);
}

// Rows of the program's own, in the very commit that records the step: exactly once.
void take_from_stock(belay::Tx& tx, const Order& order) {
    tx.exec("UPDATE stock SET pieces = pieces - ? WHERE item = ?", order.pieces, order.item);
}

belay::Task<std::string> sell(belay::Context& ctx, Order order) {
    const int price = co_await ctx.step("price", price_of, order);
    co_await ctx.step("charge", charge, price);
    co_await ctx.transaction("take", take_from_stock, order);
    const std::string parcel = co_await ctx.step("pack", pack, order);
    co_return fmt::format("{} for {}", parcel, price);
}

void make_tables(belay::Engine& engine) {
    engine.migrate("shop", {"CREATE TABLE stock (item TEXT PRIMARY KEY, pieces INTEGER NOT NULL);"
                            "INSERT INTO stock VALUES ('rope', 10)"});
}

// Dies at every commit of the workflow, in five ways, and compares what comes out.
int test() {
    belay::testing::CrashOptions options;
    options.define = make_tables;
    options.begin = [] { till.charged.clear(); };
    options.effects = [] { return fmt::format("{} charges", till.charged.size()); };
    const auto report = belay::testing::crash_everywhere(sell, Order{"rope", 3}, options);
    std::cout << report.text() << "\n";
    return report.passed() ? 0 : 1;
}

int main(int argc, char**) {
    if (argc > 1) return test();
    belay::Engine engine{belay::sqlite("shop.db")};
    make_tables(engine);
    engine.define("SELL", sell);
    engine.start();
    const auto run = engine.submit<std::string>("SELL", Order{"rope", 3}, {.id = "order-1"});
    fmt::print("{}\n", run.result());
    const auto left = engine.query("SELECT pieces FROM stock WHERE item = ?", "rope");
    fmt::print("left: {}\n", left[0].get<int>(0));
}
