// sleep.cpp — a reminder after a week. The test kit moves the time: this takes no time at all.
#include <fmt/format.h>
#include <belay/belay.hpp>
#include <belay/testing.hpp>

using namespace std::chrono_literals;

std::string send(const std::string& what) { return what + " sent"; }

belay::Task<std::string> remind(belay::Context& ctx, std::string who) {
    const belay::Time begun = ctx.now();
    const auto first = co_await ctx.step("welcome", send, "welcome to " + who);
    co_await ctx.sleep(7 * 24h);
    const auto second = co_await ctx.step("reminder", send, "reminder to " + who);
    const auto days = (ctx.now() - begun) / 24h;
    co_return fmt::format("{}; {} after {} days", first, second, days);
}

int main() {
    belay::testing::World world;
    belay::Engine& engine = world.engine();
    engine.define("REMIND", remind);
    engine.start();
    const auto run = engine.submit<std::string>("REMIND", "Ada", {.id = "ada"});
    world.advance(3 * 24h);
    world.restart();  // a crash while it sleeps costs nothing
    fmt::print("{}\n", run.result());
}
