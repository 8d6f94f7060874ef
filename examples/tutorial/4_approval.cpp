// 4_approval.cpp — the tutorial's fourth chapter: a server with a page, on which a person decides. docs/tutorial/4-approval.md
#include <fmt/format.h>
#include <belay/server.hpp>
#include <boost/describe.hpp>

struct Order {
    std::string item;
    int pieces = 1;
};
BOOST_DESCRIBE_STRUCT(Order, (), (item, pieces))

// What is asked, and what came of it: the page shows the first and sends the second.
struct Question {
    std::string title;
    std::string details;
};
BOOST_DESCRIBE_STRUCT(Question, (), (title, details))

struct Decision {
    bool approved = false;
    std::string comment;
};
BOOST_DESCRIBE_STRUCT(Decision, (), (approved, comment))

int price_of(const Order& order) { return 250 * order.pieces; }
std::string charge(int amount) { return fmt::format("paid {}", amount); }

belay::Task<std::string> sell(belay::Context& ctx, Order order) {
    const int price = co_await ctx.step("price", price_of, order);
    if (price > 1000) {
        const Question question{fmt::format("Sell {} × {}?", order.pieces, order.item),
                                fmt::format("It is {}.", price)};
        // APPROVAL is a workflow that every App has: it waits up to a week, holding nothing but a row.
        const auto decision = co_await ctx.child<Decision>("APPROVAL", question);
        if (!decision.approved) co_return "not sold: " + decision.comment;
    }
    co_return co_await ctx.step("charge", charge, price);
}

int main(int argc, char** argv) {
    belay::App app{"shop", "Sells things, durably"};
    app.define("SELL", sell, {.summary = "Sells a thing"});
    return app.run(argc, argv);
}
