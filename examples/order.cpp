// order.cpp — an undo, a budget, a question and types in one workflow, whose process dies at each of its commits.
#include <fmt/format.h>
#include <belay/belay.hpp>
#include <belay/testing.hpp>
#include <set>

using belay::testing::Fault;
using belay::testing::World;

struct Order {
    std::string item;
    int pieces = 1;
};
BOOST_DESCRIBE_STRUCT(Order, (), (item, pieces))
inline constexpr belay::Workflow<Order, int> Sell{"SELL"};

std::set<std::string> charged;  // at the bank, which outlives the process
int charge(const Order& order) {
    charged.insert(order.item);
    return 12 * order.pieces;
}
void refund(std::optional<int>, const Order& order) { charged.erase(order.item); }

std::string praise(const Order& order) { return "a fine " + order.item; }

belay::Task<int> sell(belay::Context& ctx, Order order) {
    const int price = co_await ctx.step("charge", charge, order).undo(refund);
    const belay::StepOptions paid{.costs_at_most = {"0.50", "USD"}};
    const auto words = co_await ctx.step("praise", paid, praise, order);
    ctx.answer("price_of", [&](int pieces) { return price / order.pieces * pieces; });
    const bool agreed = co_await ctx.receive<bool>("agreed");
    if (!agreed) throw belay::NonRetryable("the customer did not want " + words);
    co_return price;
}

// Does something with the order, in a process that is started again when it dies.
template <class Act>
auto insist(World& world, bool& died, Act act) {
    for (;;) {
        while (world.run_until_quiet(), world.crashed()) died = true, world.restart();
        try {
            return act(world.engine().find(Sell, "order-7"));
        } catch (const belay::Error&) {
            if (!world.crashed()) throw;
        }
    }
}

// One order from its beginning to its end, with a death at that commit. False: it has not so many.
bool order_once(std::int64_t death, Fault how, bool agreed) {
    World world;
    belay::Engine& engine = world.engine();
    engine.define(Sell, sell);
    engine.budget("words", {.money = belay::Money("0.20", "USD"), .per = belay::BudgetPer::Run});
    engine.start();
    engine.submit(Sell, {"rope", 3}, {.id = "order-7"});
    const belay::SendOptions once{.dedupe_key = "the answer"};
    bool died = false;
    world.fail_commit(death, how);
    insist(world, died, [&](const auto& run) {  // 0.50 are more than 0.20: it waits for a person
        if (run.status() == belay::RunStatus::Paused) engine.approve_spending(run.id());
    });
    insist(world, died, [](const auto& run) { return run.template ask<int>("price_of", 5); });
    insist(world, died, [&](const auto& run) { engine.send(run.id(), "agreed", agreed, once); });
    const auto end = insist(world, died, [](const auto& run) { return run.status(); });
    const bool is_sold = end == belay::RunStatus::Succeeded;
    if (is_sold != agreed || charged.erase("rope") != (agreed ? 1u : 0u)) std::abort();
    return died;
}

int main() {
    for (const bool agreed : {true, false}) {
        int deaths = 0;
        for (const Fault how : {Fault::CrashBefore, Fault::CrashInside, Fault::CrashAfter})
            for (std::int64_t at = 1; order_once(at, how, agreed); ++at) ++deaths;
        fmt::print("{}, {}\n", agreed ? "sold" : "given back",
                   deaths > 40 ? "whichever of its commits it dies at" : "but it hardly ever died");
    }
}
