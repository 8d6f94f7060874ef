// approval.cpp — an expense waits up to a week for a person; a crash in between costs nothing.
#include <fmt/format.h>
#include <belay/belay.hpp>
#include <belay/testing.hpp>

using namespace std::chrono_literals;

struct Answer {
    bool approved = false;
    std::string comment;
};
BOOST_DESCRIBE_STRUCT(Answer, (), (approved, comment))

belay::Task<std::string> approval(belay::Context& ctx, std::string title) {
    const auto answer = co_await ctx.receive<Answer>("answer", 7 * 24h);
    if (!answer) co_return title + ": nobody answered";
    co_return fmt::format("{}: {} ({})", title, answer->approved ? "approved" : "rejected",
                          answer->comment);
}

// Asks for an approval as a run of its own, and waits for what comes of it.
belay::Task<std::string> expense(belay::Context& ctx, std::string title) {
    co_return co_await ctx.child<std::string>("APPROVAL", title);
}

int main() {
    belay::testing::World world;
    belay::Engine& engine = world.engine();
    engine.define("APPROVAL", approval);
    engine.define("EXPENSE", expense);
    engine.start();

    const auto train = engine.submit<std::string>("EXPENSE", "train", {.id = "train"});
    const auto lunch = engine.submit<std::string>("APPROVAL", "lunch", {.id = "lunch"});
    world.advance(2 * 24h);
    world.restart();
    const Answer yes{true, "have a good trip"};
    engine.send("train/1", "answer", yes);
    fmt::print("{}\n{}\n", train.result(), lunch.result());
}
