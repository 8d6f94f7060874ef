#include <belay/server.hpp>
#include <boost/describe.hpp>

struct Order {
    std::string item;
    int pieces = 1;
    int seconds_to_pack = 2;
};
BOOST_DESCRIBE_STRUCT(Order, (), (item, pieces, seconds_to_pack))

int charge(const Order& order) {
    if (std::getenv("TILL_CLOSED")) throw belay::NonRetryable("the till is closed");
    return order.pieces * 250;
}

belay::Task<int> sell(belay::Context& ctx, Order order) {
    const int price = co_await ctx.step("charge", charge, order);
    co_await ctx.receive<bool>("packed", std::chrono::seconds(order.seconds_to_pack));
    co_return price;
}

int main(int argc, char** argv) {
    belay::App app{"shop", "Sells things, durably"};
    return app.define("SELL", sell, {.summary = "Sells a thing"}).run(argc, argv);
}
