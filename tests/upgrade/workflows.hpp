// workflows.hpp — what the databases in this folder were made with, and are gone on with.
//
// maker/main.cpp is compiled with the headers of the release whose database it makes, upgrade_test.cpp with today's, so only what
// every release has may be used here. Never change a workflow: that is what a database of an old release is kept for. Add one,
// for the next.
#pragma once

#include <belay/belay.hpp>
#include <boost/describe.hpp>

#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace upgrade {

using namespace std::chrono_literals;

struct Order {
    std::string item;
    int pieces = 0;
};
BOOST_DESCRIBE_STRUCT(Order, (), (item, pieces))

// Which steps really ran in this process, and how often; and whether this is the process that makes the database.
inline std::map<std::string, int> ran;
inline std::mutex ran_lock;
inline bool is_old = false;

inline void note(const std::string& what) {
    const std::lock_guard lock(ran_lock);
    ++ran[what];
}

inline int price(const Order& order) {
    note("price " + order.item);
    return 250 * order.pieces;
}

inline void save(belay::Tx& tx, const std::string& item, int amount) {
    tx.exec("INSERT INTO sales (run_id, item, price) VALUES (?, ?, ?)", tx.run_id(), item, amount);
}

// Ends at once.
inline belay::Task<int> sell(belay::Context& ctx, Order order) {
    const int amount = co_await ctx.step("price", price, order);
    co_await ctx.transaction("save", save, order.item, amount);
    co_return amount;
}

// Waits for a message, behind a recorded step.
inline belay::Task<std::string> ask(belay::Context& ctx, Order order) {
    const int amount = co_await ctx.step("price", price, order);
    const auto word = co_await ctx.receive<std::string>("word", 24h * 365 * 20);
    co_return order.item + " " + std::to_string(amount) + " " + word.value_or("nobody");
}

// Waits for a child that waits.
inline belay::Task<std::string> parent(belay::Context& ctx, Order order) {
    const std::string said = co_await ctx.child<std::string>("ASK", order);
    co_return "child: " + said;
}

inline belay::Task<std::string> sleeper(belay::Context& ctx, Order order) {
    const int amount = co_await ctx.step("price", price, order);
    co_await ctx.sleep(5s);
    co_return "woke with " + std::to_string(amount);
}

// Half of its branches are recorded, one waits for another attempt, one hangs: the process dies in it.
inline int page(int number) {
    note("page " + std::to_string(number));
    if (is_old && number == 4) throw belay::RetryAfter("the scanner is away", 1s * 60);
    if (is_old && number == 5) std::this_thread::sleep_for(24h);
    return number * 10;
}

inline belay::Task<int> pages(belay::Context& ctx, int count) {
    std::vector<int> numbers;
    for (int i = 1; i <= count; ++i) numbers.push_back(i);
    const auto read = co_await ctx.map("page", numbers, page);
    int sum = 0;
    for (const int one : read) sum += one;
    co_return sum;
}

inline int refuse(const Order& order) {
    note("refuse " + order.item);
    if (is_old) throw belay::NonRetryable("no " + order.item);
    return order.pieces;
}

// Fails in the old process, behind a recorded step; a retry goes on from there.
inline belay::Task<int> failing(belay::Context& ctx, Order order) {
    const int amount = co_await ctx.step("price", price, order);
    co_return amount + co_await ctx.step("refuse", refuse, order);
}

inline std::string shout(const std::string& text) {
    note("shout " + text);
    return text + "!";
}

// Answered by another run's answer while that is kept.
inline belay::Task<std::string> cached(belay::Context& ctx, std::string text) {
    const belay::StepOptions once{.cache = {.key = belay::cache_key("shout", text), .keep_for = 24h * 365 * 20}};
    co_return co_await ctx.step("shout", once, shout, text);
}

// A value too large for a row of its own.
inline std::string grow(int length) { return std::string(static_cast<std::size_t>(length), 'x'); }
inline belay::Task<int> large(belay::Context& ctx, int length) {
    const std::string text = co_await ctx.step("grow", grow, length);
    const auto word = co_await ctx.receive<std::string>("word", 24h * 365 * 20);
    co_return static_cast<int>(text.size()) + static_cast<int>(word.value_or("").size());
}

inline void define(belay::Engine& engine) {
    engine.migrate("shop", {"CREATE TABLE sales (run_id TEXT PRIMARY KEY, item TEXT, price INTEGER)"});
    engine.define("SELL", sell);
    engine.define("ASK", ask);
    engine.define("PARENT", parent);
    engine.define("SLEEPER", sleeper);
    engine.define("PAGES", pages);
    engine.define("FAILING", failing);
    engine.define("CACHED", cached);
    engine.define("LARGE", large);
    engine.queue("narrow", {.concurrency = 1});
    engine.schedule("nightly", "SELL", Order{"nightly", 1}, {.cron = "30 2 1 1 *", .zone = "Europe/Stockholm"});
}

}  // namespace upgrade
