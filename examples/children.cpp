// children.cpp — three runs that another has started, and what becomes of each when that one has ended.
#include <string>

#include <fmt/format.h>
#include <belay/belay.hpp>
#include <belay/testing.hpp>

using namespace std::chrono_literals;
using belay::WhenParentEnds;

belay::Task<void> later(belay::Context& ctx, int hours) {
    co_await ctx.sleep(std::chrono::hours(hours));
}

belay::Task<std::string> sell(belay::Context& ctx) {
    const belay::ChildOptions parcel{.id = "parcel", .when_parent_ends = WhenParentEnds::Wait};
    const belay::ChildOptions reminder{.id = "reminder",
                                       .when_parent_ends = WhenParentEnds::Cancel};
    const belay::ChildOptions newsletter{.id = "newsletter"};  // ctx.start leaves it
    co_await ctx.start("LATER", 1, parcel);
    co_await ctx.start("LATER", 24, reminder);
    co_await ctx.start("LATER", 24, newsletter);
    co_return "sold";
}

int main() {
    belay::testing::World world;
    belay::Engine& engine = world.engine();
    engine.define("SELL", sell);
    engine.define("LATER", later);
    engine.start();

    const belay::Time begun = world.now();
    const std::string outcome = engine.submit<std::string>("SELL").result();
    fmt::print("{} after {} minutes\n", outcome, (world.now() - begun) / 1min);
    world.advance(1min);
    for (const std::string id : {"parcel", "reminder", "newsletter"})
        fmt::print("{}: {}\n", id, to_string(engine.find(id).status()));
}
