// 5_deploy.cpp — the tutorial's fifth chapter: the program of chapter 4, changed while its runs wait. docs/tutorial/5-deploy.md
#include <fmt/format.h>
#include <belay/server.hpp>
#include <boost/describe.hpp>

struct Order {
    std::string item;
    int pieces = 1;
    std::string note = "none";  // new: records of the old code have none, and keep this
};
BOOST_DESCRIBE_STRUCT(Order, (), (item, pieces, note))

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
std::string reserve(const Order& order) { return fmt::format("{} reserved", order.pieces); }
std::string charge(int amount) { return fmt::format("paid {}", amount); }

belay::Task<std::string> sell(belay::Context& ctx, Order order) {
    const int price = co_await ctx.step("price", price_of, order);
    // A new step before one that unfinished runs have passed: those go on without it, new ones have it.
    std::string reserved = "not reserved";
    if (ctx.patch("reserve")) reserved = co_await ctx.step("reserve", reserve, order);
    if (price > 1000) {
        const Question question{fmt::format("Sell {} × {}?", order.pieces, order.item),
                                fmt::format("It is {}.", price)};
        const auto decision = co_await ctx.child<Decision>("APPROVAL", question);
        if (!decision.approved) co_return "not sold: " + decision.comment;
    }
    const std::string paid = co_await ctx.step("charge", charge, price);
    co_return fmt::format("{}, {}, note: {}", paid, reserved, order.note);
}

int main(int argc, char** argv) {
    belay::App app{"shop", "Sells things, durably", "2.0"};
    app.define("SELL", sell, {.summary = "Sells a thing"});
    return app.run(argc, argv);
}
