// hello.cpp — the smallest workflow: two steps, each recorded before the next one starts.
#include <fmt/format.h>
#include <belay/belay.hpp>

std::string greet(const std::string& name) { return "Hello, " + name; }

std::string add_mark(const std::string& text) { return text + "!"; }

belay::Task<std::string> hello(belay::Context& ctx, std::string name) {
    const auto greeting = co_await ctx.step("greet", greet, name);
    co_return co_await ctx.step("add_mark", add_mark, greeting);
}

int main() {
    belay::Engine engine{belay::memory()};
    engine.define("HELLO", hello);
    engine.start();
    const auto run = engine.submit<std::string>("HELLO", "Ada", {.id = "first"});
    fmt::print("{}\n", run.result());
}
