// undo.cpp — an order whose parcel cannot be sent: the charge and the reservation are taken back, once, wherever it dies.
#include <map>

#include <fmt/format.h>
#include <belay/belay.hpp>
#include <belay/testing.hpp>
#include <boost/describe.hpp>

struct Order {
    std::string item;
    int amount = 0;
};
BOOST_DESCRIBE_STRUCT(Order, (), (item, amount))

// A bank that takes keys: what it has for each, however often it is asked.
std::map<std::string, int> bank;
bool bank_is_open = true;

std::string reserve(const Order& order) { return "shelf of " + order.item; }
void put_back(const std::string& shelf, const Order&) { fmt::print("  back on the {}\n", shelf); }

std::string charge(belay::Attempt& attempt, const Order& order) {
    bank[attempt.idempotency_key()] = order.amount;
    return attempt.idempotency_key();
}
void refund(const std::string& charged, const Order& order) {
    if (!bank_is_open) throw std::runtime_error("the bank is closed");
    bank.erase(charged);
    fmt::print("  {} given back\n", order.amount);
}

void send(const Order&) { throw belay::NonRetryable("nobody lives there"); }

belay::Task<void> sell(belay::Context& ctx, Order order) {
    const belay::StepOptions patient{.retry = {.attempts_max = 2}};
    co_await ctx.step("reserve", reserve, order).undo(put_back);
    co_await ctx.step("charge", charge, order).undo(patient, refund);
    co_await ctx.step("send", send, order);
}

void try_to_sell(belay::testing::World& world, const std::string& id) {
    const auto run = world.engine().submit("SELL", Order{"rope", 250}, {.id = id});
    try {
        run.result();
    } catch (const belay::Error& why) {
        fmt::print("{}: {}, {} charged\n", id, belay::to_string(run.status()), bank.size());
    }
}

int main() {
    belay::testing::World world;
    world.engine().define("SELL", sell);
    world.engine().start();
    try_to_sell(world, "first");

    bank_is_open = false;  // an undo that cannot work pauses the run for a person …
    try_to_sell(world, "second");
    bank_is_open = true;  // … and a resume goes on with it
    world.engine().resume("second");
    world.run_until_quiet();
    fmt::print("second: {}, {} charged\n", belay::to_string(world.engine().find("second").status()),
               bank.size());
}
