// expect-ok: every form that a handle and a key as text have.
#include <belay/belay.hpp>
struct Order {
    std::string item;
    int pieces = 1;
};
BOOST_DESCRIBE_STRUCT(Order, (), (item, pieces))
inline constexpr belay::Workflow<Order, int> Sell{"SELL"};
inline constexpr belay::Workflow<void, int> Nightly{"NIGHTLY"};
belay::Task<int> sell(belay::Context& ctx, Order order) {
    const belay::ChildOptions named{.id = "x"};
    co_await ctx.start(Nightly);
    co_await ctx.start("NIGHTLY", named);
    co_await ctx.start("NIGHTLY");
    const int a = co_await ctx.child(Sell, order);
    const int b = co_await ctx.child(Nightly, named);
    const int c = co_await ctx.child<int>("NIGHTLY");
    const int d = co_await ctx.child<int>("SELL", order, named);
    const auto [first, second] = co_await ctx.all("x", ctx.child(Sell, order), ctx.child(Nightly));
    co_await ctx.transaction("t", [&](belay::Tx& tx) {
        tx.submit(Sell, order);
        tx.submit(Nightly);
        tx.submit("X");
        tx.submit("X", {.id = "d"});
        tx.submit("X", 7, {.id = "d"});
    });
    co_return a + b + c + d;
}
belay::Task<int> nightly(belay::Context&) { co_return 1; }
void f(belay::Engine& engine) {
    engine.define(Sell, sell);
    engine.define(Nightly, nightly);
    Order o;
    belay::Run<int> r = engine.submit(Sell, o);
    r = engine.submit(Sell, {"rope", 3}, {.id = "x"});
    r = engine.submit(Sell, {"rope"});
    r = engine.submit(Nightly);
    r = engine.submit(Nightly, {.id = "x"});
    auto many = engine.submit_many(Sell, {o, o});
    r = engine.find(Sell, "x");
    engine.schedule("n", Sell, {"rope"}, {.cron = "* * * * *"});
}
